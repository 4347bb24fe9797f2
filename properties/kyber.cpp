// SPDX-License-Identifier: GPL-2.0-or-later
// What kyber promises about its domains (reads, writes, discards): batches, turns, tokens, order inside a domain, the share
// of the tags that is kept for synchronous requests, and when it may throttle.
#include "model/scheduler/kyber.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "properties/async_tags.hpp"
#include "properties/definitions.hpp"
#include "properties/queue_monitor.hpp"

namespace elvcheck::property {

namespace {

std::size_t domain_of(Op op) { return static_cast<std::size_t>(kyber_domain(op)); }
std::int64_t batch_of(std::size_t domain) { return kyber_domain_table[domain].batch; }

/// Knows which domains were ready when the scheduler chose the request that is being issued: with a request that could be
/// seen, and with nothing in flight, so that there was a token whatever the depth.
class DomainMonitor : public QueueMonitor {
 public:
  using QueueMonitor::QueueMonitor;

 protected:
  using Ready = std::array<bool, kyber_domains>;
  Ready ready() {
    Ready result{};
    for (const auto& [id, rq] : queued()) {
      if (visible(rq)) result[domain_of(rq.op)] = true;
    }
    for (const auto& [id, rq] : at_device()) result[domain_of(rq.op)] = false;
    for (std::size_t i = 0; i < kyber_domains; ++i) result[i] = result[i] && last_completion_[i] < last_issue();
    return result;
  }
  void on_complete(const WaitingRequest& rq) override { last_completion_[domain_of(rq.op)] = events_; }

 private:
  bool looks_at_all() const override { return true; }
  void before(const TraceEvent&) override { ++events_; }

  std::uint64_t events_ = 0;
  std::array<std::uint64_t, kyber_domains> last_completion_{};
};

class Batch : public DomainMonitor {
 public:
  using DomainMonitor::DomainMonitor;

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    const std::size_t domain = domain_of(rq->op);
    Ready others = ready();
    others[domain] = false;
    const bool contested = std::any_of(others.begin(), others.end(), [](bool waits) { return waits; });
    in_a_row_ = !contested ? 0 : domain == domain_ ? in_a_row_ + 1 : 1;
    domain_ = domain;
    if (!contested) return;
    judge(in_a_row_);
    if (in_a_row_ > batch_of(domain)) {
      violate({"long-batch",
               fmt::format("{} {}s were issued in a row while another domain had a request and all its tokens", in_a_row_,
                           kyber_domain_table[domain].name),
               now(), rq->id, in_a_row_, batch_of(domain)});
    }
  }
  void reset() override { in_a_row_ = 0; }

  std::size_t domain_ = 0;
  std::int64_t in_a_row_ = 0;
};

class Turn : public DomainMonitor {
 public:
  using DomainMonitor::DomainMonitor;

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    const Ready waits = ready();
    for (std::size_t i = 0; i < kyber_domains; ++i) {
      passed_[i] = waits[i] && i != domain_of(rq->op) ? passed_[i] + 1 : 0;
      if (passed_[i] == 0) continue;
      judge(passed_[i]);
      const std::int64_t bound = batches_of_others(i);
      if (passed_[i] > bound) {
        violate({"domain-starved",
                 fmt::format("a {} waited with all tokens of its domain free while {} requests of other domains were issued",
                             kyber_domain_table[i].name, passed_[i]),
                 now(), rq->id, passed_[i], bound});
      }
    }
  }
  void reset() override { passed_ = {}; }

  static std::int64_t batches_of_others(std::size_t domain) {
    return std::accumulate(kyber_domain_table.begin(), kyber_domain_table.end(), -batch_of(domain),
                           [](std::int64_t sum, const KyberDomainInfo& info) { return sum + info.batch; });
  }

  std::array<std::int64_t, kyber_domains> passed_{};
};

class Order : public QueueMonitor {
 public:
  using QueueMonitor::QueueMonitor;

 private:
  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr) return;
    judge(0);
    for (const auto& [id, other] : queued()) {
      if (domain_of(other.op) != domain_of(rq->op) || other.fifo_place >= rq->fifo_place || !visible(other)) continue;
      violate({"out-of-order",
               fmt::format("request {} was issued before request {} of its domain, which came first", rq->id, id), now(),
               rq->id, 1, 0});
      return;
    }
  }
};

/// A smaller depth does not take back tokens, so requests that were handed out before a change of depth do not count; the
/// request issued first after it may be one that waited for a driver tag.
class Tokens : public QueueMonitor {
 public:
  explicit Tokens(const RunFacts& run) : QueueMonitor(run) {
    for (std::size_t i = 0; i < kyber_domains; ++i) domains_[i].depth = kyber_domain_table[i].depth;
  }

 private:
  bool looks_at_all() const override { return true; }
  void before(const TraceEvent& event) override {
    if (event.kind != EventKind::note || event.rule != &kyber_rule::adjust) return;
    domains_[static_cast<std::size_t>(event.numbers[0])] = Domain{event.numbers[2], {}};
    one_was_ahead_ = true;
  }
  struct Domain {
    std::int64_t depth = 0;
    FlatSet<RequestId> in_flight;
  };

  void on_issue(const WaitingRequest* rq) override {
    if (rq == nullptr || std::exchange(one_was_ahead_, false)) return;
    Domain& domain = domains_[domain_of(rq->op)];
    domain.in_flight.insert(rq->id);
    const auto count = static_cast<std::int64_t>(domain.in_flight.size());
    judge(count);
    if (count > domain.depth) {
      violate({"too-many-in-flight",
               fmt::format("{} {}s are in flight, more than the domain has tokens", count,
                           kyber_domain_table[domain_of(rq->op)].name),
               now(), rq->id, count, domain.depth});
    }
  }
  void on_complete(const WaitingRequest& rq) override { domains_[domain_of(rq.op)].in_flight.erase(rq.id); }
  void reset() override {
    for (Domain& domain : domains_) domain.in_flight.clear();
  }

  std::array<Domain, kyber_domains> domains_;
  bool one_was_ahead_ = false;
};

class Throttle : public Monitor {
 public:
  explicit Throttle(const RunFacts& facts)
      : targets_{tunable(facts, "read_lat_nsec"), tunable(facts, "write_lat_nsec"), kyber_domain_table[2].target.count(),
                 0} {}

  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::get_request) {
      if (op_is_flush(event.op, event.flags)) missed_ = true;  // its latency counts from the machine's start on
      allocated_.insert_or_assign(event.request, event.at);
    } else if (event.kind == EventKind::complete) {
      const auto found = allocated_.find(event.request);
      if (found == allocated_.end()) return;
      const std::int64_t good = std::max<std::int64_t>(targets_[domain_of(event.op)] / 4, 1) * 4;
      missed_ = missed_ || (event.at - found->second).count() > good;
      if (!missed_) judge(0);
      allocated_.erase(found);
    } else if (event.kind == EventKind::note && event.rule == &kyber_rule::adjust) {
      judge(0);
      if (!missed_) {
        violate({"throttled-for-nothing",
                 fmt::format("the depth of domain {} went from {} to {} although no request has missed its target",
                             kyber_domain_table[static_cast<std::size_t>(event.numbers[0])].name, event.numbers[1],
                             event.numbers[2]),
                 event.at, 0, 1, 0});
      }
    }
  }

 private:
  std::array<std::int64_t, kyber_domains> targets_;
  FlatMap<RequestId, Nanoseconds> allocated_;
  bool missed_ = false;
};

/// The tags that asynchronous requests may hold: in 6.1 their percentage of every word, in 6.12 of the whole map.
std::int64_t async_tags(const RunFacts& facts) {
  const auto depth = static_cast<std::int64_t>(facts.block.nr_requests);
  const bool whole = facts.scheduler->flavour == BlockFlavour::multi_queue_6_12;
  const std::int64_t share = (whole ? depth : tags_in_word(depth)) * kyber_async_percent / 100;
  if (share == 0) return depth;  // no limit
  return whole ? share : tags_of_words(depth, share);
}

bool is_kyber(const RunFacts& facts) { return runs(facts, "kyber") && facts.tunables.has_value(); }

constexpr const char* source = "block/kyber-iosched.c (6.1): kyber_batch_size, kyber_depth, kyber_dispatch_request";

}  // namespace

Property kyber_batch() {
  return {"kyber.batch",
          "While another domain has a request and all its tokens, a domain gets at most a batch of requests in a row.",
          source,
          "16 reads, 8 writes, 1 discard",
          is_kyber,
          make_monitor<Batch>,
          nullptr};
}

Property kyber_turn() {
  return {"kyber.turn", "A domain that has a request and all its tokens is passed by at most a batch of every other domain.",
          source,       "the sum of the other domains' batches, in requests",
          is_kyber,     make_monitor<Turn>,
          nullptr};
}

Property kyber_order() {
  return {"kyber.order",
          "Requests of one domain are issued in the order in which they were inserted.",
          "block/kyber-iosched.c (6.1): kyber_insert_requests, kyber_dispatch_cur_domain",
          "0 requests issued before an older one of their domain",
          is_kyber,
          make_monitor<Order>,
          nullptr};
}

Property kyber_tokens() {
  return {"kyber.tokens",
          "A domain has at most its depth of requests in flight, those aside that were handed out before the depth became "
          "smaller.",
          "block/kyber-iosched.c (6.1): domain_tokens",
          "the domain's depth: at first 256 reads, 128 writes, 64 discards",
          is_kyber,
          make_monitor<Tokens>,
          nullptr};
}

Property kyber_throttle() {
  return {"kyber.throttle",
          "As long as every request has met its domain's latency target, no depth is changed.",
          "block/kyber-iosched.c (6.1): kyber_timer_fn, and the commit that added kyber (April 2017)",
          "0 changes before the first missed target",
          is_kyber,
          make_monitor<Throttle>,
          nullptr};
}

Property kyber_async_depth() {
  return {"kyber.async-depth",
          "Asynchronous requests hold at most three quarters of the scheduler's tags.",
          "block/kyber-iosched.c (6.1 and 6.12): KYBER_ASYNC_PERCENT, kyber_depth_updated",
          "75 %, rounded down, of every word of the tag map (6.1) or of nr_requests (6.12); no limit where that is 0",
          [](const RunFacts& facts) { return is_kyber(facts) && facts.block.nr_requests != 0; },
          [](const RunFacts& facts) -> std::unique_ptr<Monitor> {
            return std::make_unique<AsyncTags>([](Op op, ReqFlags flags) { return !op_is_sync(op, flags); },
                                               async_tags(facts));
          },
          nullptr};
}

}  // namespace elvcheck::property
