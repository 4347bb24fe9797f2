// SPDX-License-Identifier: GPL-2.0-or-later
// Construction, and the hooks through which the block layer asks about merges and tags. Mirrors bfq_init_queue,
// bfq_bio_merge, bfq_allow_bio_merge, bfq_request_merged, bfq_requests_merged, bfq_limit_depth and bfq_update_depths of
// block/bfq-iosched.c (6.1).
#include "model/scheduler/bfq/scheduler.hpp"

#include <algorithm>

namespace elvcheck::bfq {

namespace {

// Indexed by "is not rotational": the reference devices (ref_rate, ref_wr_duration).
constexpr std::array<std::int64_t, 2> ref_rate{14000, 33000};  // sectors a microsecond, times 2^16
constexpr std::array<std::int64_t, 2> ref_wr_duration_ms{7000, 2500};
constexpr std::int64_t softrt_duration_ms = 300;
constexpr std::int64_t min_idle_ms = 2000;

}  // namespace

Scheduler::Scheduler(ElevatorHost& host, const TunableValues& tunables, const Features& features)
    : host_(host),
      features_(features),
      time_(host),
      tunables_(tunables, time_),
      rotational_(host.device().rotational),
      softrt_duration_(time_.ms(softrt_duration_ms)),
      min_idle_time_(time_.ms(min_idle_ms)),
      rate_duration_(ref_rate[rotational_ ? 0 : 1] * time_.ms(ref_wr_duration_ms[rotational_ ? 0 : 1])),
      wf2q_(*this, time_, features_),
      idle_slice_timer_(host.events(), *this, 0),
      nonrot_with_queueing_(!rotational_),
      peak_rate_(ref_rate[rotational_ ? 0 : 1] * 2 / 3) {
  if (tunables_.max_budget != 0)
    device_max_budget_ = tunables_.max_budget;
  else if (tunables_.max_budget_known)
    update_device_max_budget();
}

// Merging of bios and requests.

/// A bio may join a request of its process's queue. The look at the request is also where cooperating queues are found and
/// merged, whatever comes of the bio.
bool Scheduler::allow_merge(const Request& rq, const Bio& bio) {
  const bool sync = op_is_sync(bio.op, bio.flags);
  if (sync && !is_sync(rq)) return false;
  IoContext* bic = linked_context(bio.process);
  Queue* bfqq = bic != nullptr ? bic->bfqq[sync] : nullptr;
  if (bfqq == nullptr) return false;
  if (Queue* merged = setup_cooperator(*bfqq, bio.sector, *bic)) {
    while (bfqq != merged) bfqq = &merge_bfqqs(*bic, *bfqq);
  }
  return bfqq == bfqq_of(rq);
}

Request* Scheduler::find_front_merge(const Bio& bio) {
  const IoContext* bic = linked_context(bio.process);
  const Queue* bfqq = bic != nullptr ? bic->bfqq[op_is_sync(bio.op, bio.flags)] : nullptr;
  return bfqq != nullptr ? bfqq->sort_list.find(bio.sector + bio.sectors) : nullptr;
}

void Scheduler::request_merged(Request& rq, bool at_front) {
  if (!at_front) return;
  const Request* before = RequestTree::prev(rq);
  if (before == nullptr || rq.sector >= before->sector) return;
  Queue* bfqq = bfqq_of(rq);
  if (bfqq == nullptr) return;
  bfqq->sort_list.erase(rq);
  bfqq->sort_list.insert(rq);
  Request* const old = bfqq->next_rq;
  bfqq->next_rq = choose_req(bfqq->next_rq, &rq, last_position_);
  if (old == bfqq->next_rq) return;
  updated_next_req(*bfqq);
  if (!nonrot_with_queueing_) pos_tree_add_move(*bfqq);
}

void Scheduler::requests_merged(Request& rq, Request& next) {
  Queue* bfqq = bfqq_of(rq);
  if (bfqq != nullptr) {
    if (bfqq == bfqq_of(next) && rq.queuelist.list != nullptr && next.queuelist.list != nullptr &&
        next.fifo_time < rq.fifo_time) {
      bfqq->fifo.remove(rq);
      bfqq->fifo.insert_after(rq, next);
      bfqq->fifo.remove(next);
      rq.fifo_time = next.fifo_time;
    }
    if (bfqq->next_rq == &next) bfqq->next_rq = &rq;
  }
  if (RequestTree::contains(next)) remove_request(next);
}

// Scheduler tags.

unsigned Scheduler::limit_depth(const Bio& bio, unsigned word_bits) {
  if (!features_.depth_limits) return no_limit;
  const bool sync = op_is_sync(bio.op, bio.flags);
  if (sync && !is_write(bio.op)) return no_limit;
  const unsigned all = features_.depth_of_whole_map ? host_.nr_requests() : word_bits;
  const unsigned share = wr_busy_queues_ != 0 ? (sync ? all * 6 >> 4 : all * 3 >> 4) : (sync ? all * 3 >> 2 : all >> 1);
  return std::max(share, 1U);
}

}  // namespace elvcheck::bfq

namespace elvcheck {

std::span<const TunableInfo> bfq_tunables_6_1() {
  static const std::vector<TunableInfo> table = bfq::tunable_table(bfq::features_6_1());
  return table;
}
std::span<const TunableInfo> bfq_tunables_6_12() {
  static const std::vector<TunableInfo> table = bfq::tunable_table(bfq::features_6_12());
  return table;
}
std::span<const DecisionRule* const> bfq_rules() { return bfq::rule_table(); }

std::unique_ptr<MultiQueueElevator> make_bfq(ElevatorHost& host, const TunableValues& tunables,
                                             const bfq::Features& features) {
  return std::make_unique<bfq::Scheduler>(host, tunables, features);
}
std::unique_ptr<MultiQueueElevator> make_bfq_6_1(ElevatorHost& host, const TunableValues& tunables) {
  return make_bfq(host, tunables, bfq::read_features(bfq::features_6_1(), tunables));
}
std::unique_ptr<MultiQueueElevator> make_bfq_6_12(ElevatorHost& host, const TunableValues& tunables) {
  return make_bfq(host, tunables, bfq::read_features(bfq::features_6_12(), tunables));
}

}  // namespace elvcheck
