// SPDX-License-Identifier: GPL-2.0-or-later
// deadline of the single-queue block layer.
//
// Mirrors block/deadline-iosched.c. For each direction a tree by sector, a fifo by deadline, and the request that follows
// the last dispatched one; the choice among them is DeadlineCore. Two versions, told apart by features:
// - 2.6.34/35: a queued request at the same sector is dispatched when a second one arrives ("alias"); a request is expired
// when
//   its deadline has passed;
// - 4.4 to 4.20: equal sectors live side by side; expired from the very tick of the deadline on.
// Times are jiffies in all versions. Left out: zoned devices. Promises (Documentation/block/deadline-iosched.txt): reads are
// preferred at most writes_starved times; deadlines are looked at when a batch starts; a batch is at most fifo_batch
// requests.
#include "model/scheduler/deadline.hpp"

#include <array>
#include <climits>

#include "model/scheduler/deadline_parts.hpp"

namespace elvcheck {

namespace {

constexpr std::array<TunableInfo, 5> tunable_table{{
    {"read_expire", "ms", 500, 0, INT_MAX, "time after its insertion at which a read is expired"},
    {"write_expire", "ms", 5000, 0, INT_MAX, "time after its insertion at which a write is expired"},
    {"writes_starved", "batches", 2, INT_MIN, INT_MAX, "read batches that may pass waiting writes"},
    {"front_merges", "", 1, 0, 1, "whether to look for requests that a bio could be put in front of"},
    {"fifo_batch", "requests", 16, 0, INT_MAX, "most requests of a batch"},
}};

const DecisionRule continue_batch{"deadline.continue-batch",
                                  "The batch goes on with the next request in order of sector.",
                                  {"write", "batching", "fifo_batch"}};
const DecisionRule start_batch{"deadline.start-batch",
                               "A batch starts at the head of the fifo, or at the next request in order of sector.",
                               {"write", "from_fifo", "expired", "starved"}};
const DecisionRule alias_dispatch{
    "deadline.alias", "A queued request was dispatched because another one arrived at its sector.", {"write"}};
constexpr std::array<const DecisionRule*, 3> rule_table{&continue_batch, &start_batch, &alias_dispatch};

struct Features {
  bool alias_dispatch;      ///< an equal sector pushes the queued request out (up to 2.6.39)
  bool expired_after_tick;  ///< expired only once the deadline's tick is over (up to 3.2)
};

class Deadline final : public SingleQueueElevator {
 public:
  Deadline(ElevatorHost& host, const TunableValues& tunables, Features features)
      : host_(host),
        features_(features),
        front_merges_(front_merges_wanted(tunables)),
        expire_jiffies_(expiry_jiffies(tunables, host.clock())),
        core_(make_deadline_core(tunables)) {}

  bool queue_empty() const override { return queues_[READ].fifo.empty() && queues_[WRITE].fifo.empty(); }

  void add_request(Request& rq) override {
    const bool dir = data_dir(rq);
    add_sorted(rq);
    rq.fifo_time = host_.jiffies() + expire_jiffies_[dir];
    queues_[dir].fifo.push_back(rq);
  }

  Request* find_front_merge(const Bio& bio) override {
    return front_merges_ ? queues_[is_write(bio.op)].sorted.find(bio.sector + bio.sectors) : nullptr;
  }
  Request* former_request(Request& rq) override { return RequestTree::prev(rq); }
  Request* latter_request(Request& rq) override { return RequestTree::next(rq); }

  void request_merged(Request& rq, bool at_front) override {
    if (!at_front) return;
    // The tree is walked by the new start, so the node has to be taken out and put back.
    queues_[data_dir(rq)].sorted.erase(rq);
    add_sorted(rq);
  }

  void requests_merged(Request& rq, Request& next) override {
    if (next.queuelist.list == nullptr) return;  // it was still plugged
    if (rq.queuelist.list == next.queuelist.list) inherit_deadline(rq, next);
    remove(next);
  }

  unsigned dispatch(bool) override {
    const auto reads = view(READ);
    const auto writes = view(WRITE);
    const DeadlineChoice<Concrete> choice = core_.choose(reads, writes);
    if (choice.none) return 0;
    Queue& queue = queues_[choice.write];
    Request& rq = choice.from_fifo ? *queue.fifo.front() : *queue.next;
    if (choice.continues)
      host_.note(continue_batch, &rq, choice.write, core_.batching, core_.fifo_batch);
    else
      host_.note(start_batch, &rq, choice.write, choice.from_fifo, (choice.write ? writes : reads).expired, core_.starved);
    commit_choice(core_, reads, writes, choice, true);
    move_to_dispatch(rq);
    return 1;
  }

 private:
  enum Direction : bool { READ = false, WRITE = true };
  struct Queue {
    RequestTree sorted;
    RequestList fifo;
    Request* next = nullptr;  // next_rq
  };

  DeadlineQueueView<Concrete> view(Direction dir) {
    return deadline_view(queues_[dir].fifo, queues_[!dir].fifo, queues_[dir].next, [this](const Request& rq) {
      return features_.expired_after_tick ? host_.jiffies() > rq.fifo_time : host_.jiffies() >= rq.fifo_time;
    });
  }

  void add_sorted(Request& rq) {
    RequestTree& sorted = queues_[data_dir(rq)].sorted;
    while (features_.alias_dispatch) {
      Request* alias = sorted.find(rq.sector);
      if (alias == nullptr) break;
      host_.note(alias_dispatch, alias, data_dir(*alias));
      core_.moved_outside_batch(data_dir(*alias));
      move_to_dispatch(*alias);
    }
    sorted.insert(rq);
  }

  void remove(Request& rq) {
    Queue& queue = queues_[data_dir(rq)];
    if (queue.next == &rq) queue.next = RequestTree::next(rq);
    queue.sorted.erase(rq);
    queue.fifo.remove(rq);
  }

  void move_to_dispatch(Request& rq) {
    queues_[READ].next = queues_[WRITE].next = nullptr;
    Queue& queue = queues_[data_dir(rq)];
    queue.next = batch_successor(queue.sorted, rq);
    remove(rq);
    host_.dispatch_add_tail(rq);
  }

  ElevatorHost& host_;
  Features features_;
  bool front_merges_;
  std::array<std::uint64_t, 2> expire_jiffies_;
  std::array<Queue, 2> queues_;
  DeadlineCore<Concrete> core_;
};

}  // namespace

std::span<const TunableInfo> deadline_tunables() { return tunable_table; }
std::span<const DecisionRule* const> deadline_rules() { return rule_table; }

std::unique_ptr<SingleQueueElevator> make_deadline_2_6_35(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<Deadline>(host, tunables, Features{true, true});
}

std::unique_ptr<SingleQueueElevator> make_deadline_4_19(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<Deadline>(host, tunables, Features{false, false});
}

}  // namespace elvcheck
