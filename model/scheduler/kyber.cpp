// SPDX-License-Identifier: GPL-2.0-or-later
// kyber of 6.1 and 6.12.
//
// Mirrors block/kyber-iosched.c of 6.1 (stable 6.1.192) and 6.12. Requests are sorted into domains by operation (read,
// write, discard, other) and stay in order of insertion inside each. Domains take turns in batches; a request is handed out
// once it has a token of its domain, which it keeps until it is finished. A tenth of a second after a completion the timer
// looks at the latencies since (KyberCore) and resizes the domains' token maps. Asynchronous requests may hold three
// quarters of the scheduler's tags: of each word of the tag map in 6.1, of nr_requests in 6.12. A bio is merged with the
// last eight requests of its own domain that have not been flushed into the dispatch lists yet; requests are never merged
// with each other.
//
// Kept as it is: resizing wakes nobody who waits for a token; a freed token above a smaller depth counts as a wake-up all
// the same; fsync and, in 6.1, everything else that goes through a flush sequence is counted as writes, a request that was
// never at the device itself as one that was there since the machine was started. Left out: several CPUs and hardware
// queues.
//
// Promises (block/kyber-iosched.c): a domain has at most its depth of requests in flight; a domain is passed by at most a
// batch of each other one; a quarter of the tags is left to synchronous requests; nothing is throttled without congestion.
#include "model/scheduler/kyber.hpp"

#include <limits>

#include "model/block/request_pool.hpp"
#include "model/block/tags.hpp"
#include "model/core/mutant.hpp"
#include "model/scheduler/kyber_core.hpp"

namespace elvcheck {

namespace kyber_rule {
const DecisionRule adjust{
    "kyber.adjust", "The depth of a domain follows its latency.", {"domain", "depth_before", "depth", "p99_bucket"}};
}  // namespace kyber_rule

namespace {

constexpr std::array<TunableInfo, 2> tunable_table{{
    {"read_lat_nsec", "ns", 2'000'000, 0, std::numeric_limits<std::int64_t>::max(), "latency that reads shall have"},
    {"write_lat_nsec", "ns", 10'000'000, 0, std::numeric_limits<std::int64_t>::max(), "latency that writes shall have"},
}};

const DecisionRule continue_batch{
    "kyber.continue-batch", "The batch goes on in the same domain.", {"domain", "batching", "batch_size", "in_flight"}};
const DecisionRule start_batch{"kyber.start-batch",
                               "A batch starts in the next domain that has a request and a token.",
                               {"domain", "in_flight", "depth"}};
const DecisionRule throttled{
    "kyber.throttled", "A domain has requests but no token left.", {"domain", "in_flight", "depth"}};
const DecisionRule congested{
    "kyber.congested", "The I/O latency of a domain is bad at its 90th percentile.", {"domain", "p90_bucket", "samples"}};
constexpr std::array<const DecisionRule*, 5> rule_table{&continue_batch, &start_batch, &throttled, &congested,
                                                        &kyber_rule::adjust};

class Kyber final : public MultiQueueElevator, private Actor {
 public:
  Kyber(ElevatorHost& host, const TunableValues& tunables, TagMap::Limit limit)
      : host_(host),
        limit_(limit),
        domains_{Domain(host, 0, limit), Domain(host, 1, limit), Domain(host, 2, limit), Domain(host, 3, limit)},
        timer_(host.events(), *this, 0) {
    domains_[0].target = tunables.get("read_lat_nsec");
    domains_[1].target = tunables.get("write_lat_nsec");
  }

  // Allocation.

  unsigned limit_depth(const Bio& bio, unsigned word_bits) override {
    if (op_is_sync(bio.op, bio.flags) || planted(Mutant::kyber_async_depth_ignored)) return no_limit;
    return async_depth(word_bits);
  }
  unsigned min_shallow_depth(unsigned word_bits) const override { return async_depth(word_bits); }
  void prepare_request(Request& rq, const Bio&) override { rq.elv_priv[0] = no_token; }

  // Insertion and merging.

  const RequestList* bio_merge_list(const Bio& bio) override { return &domain_of(bio.op).waiting; }

  void insert_request(Request& rq, bool at_head) override {
    if (host_.trace().watched()) host_.trace().emit(request_event(EventKind::insert, rq, host_.now()));
    Domain& domain = domain_of(rq.op);
    if (at_head || (!domain.waiting.empty() && planted(Mutant::kyber_last_first)))
      domain.waiting.push_front(rq);
    else
      domain.waiting.push_back(rq);
  }

  // Dispatch.

  bool has_work() const override {
    for (const Domain& domain : domains_) {
      if (domain.has_requests()) return true;
    }
    return false;
  }

  Request* dispatch_request() override {
    const unsigned batch = kyber_domain_table[current_].batch;
    if (batching_ < batch || (domains_[current_].has_requests() && planted(Mutant::kyber_batch_without_end))) {
      if (Request* rq = dispatch_from_current()) {
        note(continue_batch, rq, batching_, batch, domains_[current_].tokens.in_use());
        return rq;
      }
    }
    batching_ = 0;
    if (planted(Mutant::kyber_reads_first)) current_ = kyber_domains - 1;
    for (std::size_t turn = 0; turn < kyber_domains; ++turn) {
      current_ = (current_ + 1) % kyber_domains;
      if (Request* rq = dispatch_from_current()) {
        const TagMap& tokens = domains_[current_].tokens;
        note(start_batch, rq, tokens.in_use(), tokens.depth());
        return rq;
      }
    }
    return nullptr;
  }

  void completed_request(Request& rq) override {
    const auto index = static_cast<std::size_t>(kyber_domain(rq.op));
    const std::uint64_t now = host_.clock().monotonic_ns(host_.now());
    const std::uint64_t io_start = rq.io_start_time ? host_.clock().monotonic_ns(*rq.io_start_time) : 0;
    Domain& domain = domains_[index];
    const std::size_t judged_as = index == 1 && planted(Mutant::kyber_target_of_reads) ? 0 : index;
    const auto count = [&](Histogram& histogram, std::uint64_t latency) {
      const auto bucket = Core::bucket(domains_[judged_as].target, static_cast<std::int64_t>(latency));
      ++histogram[static_cast<std::size_t>(bucket)];
    };
    count(domain.total, now - host_.clock().monotonic_ns(rq.start_time));
    count(domain.io, now - io_start);
    if (!timer_.pending()) timer_.arm(host_.clock().tick_start(host_.jiffies() + host_.clock().hz() / 10));
  }

  void finish_request(Request& rq) override { release_token(rq); }

 private:
  using Core = KyberCore<Concrete>;
  using Histogram = Core::Histogram;
  static constexpr std::uint64_t no_token = ~std::uint64_t{0};
  static constexpr std::size_t measured_domains = 3;  // all but "other"
  static constexpr ProcessId queue_itself = 0;        // who waits for a token

  struct Domain {
    Domain(ElevatorHost& host, std::size_t index, TagMap::Limit limit)
        : target(kyber_domain_table[index].target.count()), tokens(kyber_domain_table[index].depth, host.random(), limit) {}

    bool has_requests() const { return !waiting.empty() || !flushed.empty(); }

    RequestList waiting;  // inserted; a bio can still be merged
    RequestList flushed;  // on the way to the device
    std::int64_t target;  // ns
    TagMap tokens;
    bool waits_for_token = false;
    unsigned wait_queue = 0;
    Histogram total{};            // latencies from allocation on, since the domain was judged last
    Histogram io{};               // from the issue on
    std::uint64_t judged_by = 0;  // jiffies at which few samples are enough; 0: not set
    std::int64_t remembered_p99 = -1;
  };

  Domain& domain_of(Op op) { return domains_[static_cast<std::size_t>(kyber_domain(op))]; }

  unsigned async_depth(unsigned word_bits) const {
    return (limit_ == TagMap::Limit::each_word ? word_bits : host_.nr_requests()) * kyber_async_percent / 100;
  }

  template <class... Numbers>
  void note(const DecisionRule& rule, const Request* rq, Numbers... numbers) {
    host_.note(rule, rq, static_cast<std::int64_t>(current_), static_cast<std::int64_t>(numbers)...);
  }

  /// kyber_get_domain_token().
  std::optional<unsigned> get_token(Domain& domain) {
    auto token = domain.tokens.get();
    if (!token && planted(Mutant::kyber_token_invented)) return static_cast<unsigned>(no_token);
    if (!token && !domain.waits_for_token) {
      domain.wait_queue = domain.tokens.take_wait_queue();
      domain.tokens.wait(queue_itself, domain.wait_queue);
      domain.waits_for_token = true;
      token = domain.tokens.get();
    }
    if (token && domain.waits_for_token) {
      domain.tokens.cancel_wait(queue_itself, domain.wait_queue);
      domain.waits_for_token = false;
    }
    return token;
  }

  void release_token(Request& rq) {
    if (rq.elv_priv[0] == no_token || planted(Mutant::kyber_token_kept)) return;
    Domain& domain = domain_of(rq.op);
    domain.tokens.put(static_cast<unsigned>(rq.elv_priv[0]), [&](ProcessId) {
      domain.tokens.finish_wait();
      domain.waits_for_token = false;
      host_.run_queue(true);
    });
  }

  /// kyber_dispatch_cur_domain(). Requests stay open to merges until a token is there for one of them.
  Request* dispatch_from_current() {
    Domain& domain = domains_[current_];
    if (!domain.has_requests()) return nullptr;
    const auto token = get_token(domain);
    if (!token) {
      note(throttled, nullptr, domain.tokens.in_use(), domain.tokens.depth());
      return nullptr;
    }
    if (domain.flushed.empty()) {
      while (Request* rq = domain.waiting.pop_front()) domain.flushed.push_back(*rq);
    }
    Request* rq = domain.flushed.pop_front();
    ++batching_;
    rq->elv_priv[0] = *token == static_cast<unsigned>(no_token) ? no_token : *token;
    rq->started = true;
    return rq;
  }

  /// calculate_percentile(): the bucket, or -1 as long as there are too few samples. The histogram starts anew when it was
  /// read.
  std::int64_t take_percentile(Domain& domain, Histogram& histogram, std::int64_t percent) {
    const std::int64_t samples = Core::samples(histogram);
    if (samples == 0) return -1;
    const std::uint64_t jiffies = host_.jiffies();
    if (domain.judged_by == 0) domain.judged_by = jiffies + host_.clock().hz();
    if (samples < Core::enough_samples && domain.judged_by > jiffies) return -1;
    domain.judged_by = 0;
    const std::int64_t bucket = Core::percentile(histogram, percent);
    histogram.fill(0);
    return bucket;
  }

  /// kyber_timer_fn().
  void on_event(std::uint64_t) override {
    bool congestion = planted(Mutant::kyber_always_congested);
    for (std::size_t i = 0; i < measured_domains; ++i) {
      const std::int64_t samples = Core::samples(domains_[i].io);
      const std::int64_t p90 = take_percentile(domains_[i], domains_[i].io, 90);
      if (!Core::bad(p90)) continue;
      congestion = true;
      host_.note(congested, nullptr, static_cast<std::int64_t>(i), p90, samples);
    }
    for (std::size_t i = 0; i < measured_domains; ++i) {
      Domain& domain = domains_[i];
      const std::int64_t p99 = take_percentile(domain, domain.total, 99);
      const auto decision = Core::throttle(p99, domain.remembered_p99, congestion);
      domain.remembered_p99 = decision.remembered;
      if (decision.adjusts) adjust(i, decision.p99);
    }
  }

  void adjust(std::size_t index, std::int64_t p99) {
    TagMap& tokens = domains_[index].tokens;
    const auto before = static_cast<std::int64_t>(tokens.depth());
    const std::int64_t depth = Core::scaled_depth(before, p99, kyber_domain_table[index].depth);
    if (depth == before) return;
    tokens.resize(static_cast<unsigned>(depth));
    host_.note(kyber_rule::adjust, nullptr, static_cast<std::int64_t>(index), before, depth, p99);
  }

  ElevatorHost& host_;
  const TagMap::Limit limit_;
  std::array<Domain, kyber_domains> domains_;
  std::size_t current_ = 0;
  unsigned batching_ = 0;
  Timer timer_;
};

}  // namespace

std::span<const TunableInfo> kyber_tunables() { return tunable_table; }
std::span<const DecisionRule* const> kyber_rules() { return rule_table; }

std::unique_ptr<MultiQueueElevator> make_kyber_6_1(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<Kyber>(host, tunables, TagMap::Limit::each_word);
}
std::unique_ptr<MultiQueueElevator> make_kyber_6_12(ElevatorHost& host, const TunableValues& tunables) {
  return std::make_unique<Kyber>(host, tunables, TagMap::Limit::whole_map);
}

}  // namespace elvcheck
