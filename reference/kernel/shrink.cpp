// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/shrink.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

namespace elvcheck::kernel {

namespace {

class Shrinker {
 public:
  Shrinker(Scenario scenario, const std::function<bool(const Scenario&)>& shows, unsigned budget)
      : best_(std::move(scenario)), shows_(shows), budget_(budget) {}

  Scenario run() {
    bool smaller = true;
    while (smaller && budget_ > 0) {
      smaller = false;
      smaller |= drop_processes();
      smaller |= drop_steps();
      smaller |= drop_tunables();
      smaller |= simplify_settings();
      smaller |= simplify_steps();
    }
    return std::move(best_);
  }

 private:
  /// Keeps the candidate if it still shows it.
  bool keep_if_shown(const Scenario& candidate) {
    if (budget_ == 0) return false;
    --budget_;
    try {
      if (!shows_(candidate)) return false;
    } catch (const std::invalid_argument&) {
      return false;  // a plug without its end, a wait for nobody
    }
    best_ = candidate;
    return true;
  }

  static std::optional<Scenario> without_process(const Scenario& scenario, std::size_t index) {
    Scenario candidate = scenario;
    candidate.processes.erase(candidate.processes.begin() + static_cast<std::ptrdiff_t>(index));
    for (ProcessSpec& process : candidate.processes) {
      for (ProcessOp& op : process.ops) {
        if (op.kind != ProcessOp::Kind::wait) continue;
        if (op.target == index) return std::nullopt;
        if (op.target > index) --op.target;
      }
    }
    return candidate;
  }

  bool drop_processes() {
    bool dropped = false;
    for (std::size_t i = best_.processes.size(); i-- > 0 && best_.processes.size() > 1;) {
      const auto candidate = without_process(best_, i);
      if (candidate) dropped |= keep_if_shown(*candidate);
    }
    return dropped;
  }

  bool drop_steps() {
    bool dropped = false;
    for (std::size_t p = 0; p < best_.processes.size(); ++p) {
      for (std::size_t length = best_.processes[p].ops.size(); length > 0; length /= 2) {
        for (std::size_t at = best_.processes[p].ops.size(); at-- > 0;) {
          if (at + length > best_.processes[p].ops.size()) continue;
          Scenario candidate = best_;
          auto& ops = candidate.processes[p].ops;
          ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(at), ops.begin() + static_cast<std::ptrdiff_t>(at + length));
          dropped |= keep_if_shown(candidate);
        }
      }
      // A pair with what is between it kept: plug ... unplug, repeat ... end.
      for (std::size_t open = 0; open < best_.processes[p].ops.size(); ++open) {
        dropped |= drop_pair(p, open);
      }
    }
    return dropped;
  }

  bool drop_pair(std::size_t process, std::size_t open) {
    const auto kind = best_.processes[process].ops[open].kind;
    if (kind != ProcessOp::Kind::plug && kind != ProcessOp::Kind::repeat) return false;
    const auto closing = kind == ProcessOp::Kind::plug ? ProcessOp::Kind::unplug : ProcessOp::Kind::end;
    Scenario candidate = best_;
    auto& ops = candidate.processes[process].ops;
    for (std::size_t close = open + 1; close < ops.size(); ++close) {
      if (ops[close].kind != closing) continue;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(close));
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(open));
      return keep_if_shown(candidate);
    }
    return false;
  }

  bool drop_tunables() {
    bool dropped = false;
    for (std::size_t i = best_.tunables.size(); i-- > 0;) {
      Scenario candidate = best_;
      candidate.tunables.erase(candidate.tunables.begin() + static_cast<std::ptrdiff_t>(i));
      dropped |= keep_if_shown(candidate);
    }
    return dropped;
  }

  template <typename Change>
  bool try_change(Change change) {
    Scenario candidate = best_;
    if (!change(candidate)) return false;
    return keep_if_shown(candidate);
  }

  template <typename T>
  static bool set(T& field, const T& value) {
    if (field == value) return false;
    field = value;
    return true;
  }

  bool simplify_settings() {
    bool simpler = false;
    const BlockSettings plain;
    simpler |= try_change([&](Scenario& s) { return set(s.block.nr_requests, plain.nr_requests); });
    simpler |= try_change([&](Scenario& s) { return set(s.block.nomerges, plain.nomerges); });
    simpler |= try_change([&](Scenario& s) { return set(s.block.plug_each_bio, plain.plug_each_bio); });
    simpler |= try_change([&](Scenario& s) { return set(s.block.refuse_every, plain.refuse_every); });
    simpler |= try_change([&](Scenario& s) { return set(s.block.hz, plain.hz); });
    for (std::size_t p = 0; p < best_.processes.size(); ++p)
      simpler |= try_change([&](Scenario& s) { return set(s.processes[p].ioprio, IoPrio{}); });
    return simpler;
  }

  bool simplify_steps() {
    bool simpler = false;
    for (std::size_t p = 0; p < best_.processes.size(); ++p) {
      for (std::size_t i = 0; i < best_.processes[p].ops.size(); ++i) {
        const auto change = [&](auto edit) { return try_change([&](Scenario& s) { return edit(s.processes[p].ops[i]); }); };
        simpler |= change([](ProcessOp& op) { return set(op.count, 1U); });
        while (change([](ProcessOp& op) { return op.count > 1 && set(op.count, op.count / 2); })) simpler = true;
        simpler |= change([](ProcessOp& op) { return set(op.depth, 1U); });
        simpler |= change([](ProcessOp& op) { return set(op.think, Nanoseconds(0)); });
        simpler |= change([](ProcessOp& op) { return set(op.flags, ReqFlags{0}); });
        simpler |= change([](ProcessOp& op) {
          op.seed = 1;  // of nothing, without a span
          return set(op.span, Sector{0});
        });
        simpler |= change([](ProcessOp& op) { return set(op.stride, std::int64_t{0}); });
        simpler |= change([](ProcessOp& op) { return set(op.nowait, false); });
        simpler |= change([](ProcessOp& op) { return op.sectors > 8 && set(op.sectors, SectorCount{8}); });
      }
    }
    return simpler;
  }

  Scenario best_;
  const std::function<bool(const Scenario&)>& shows_;
  unsigned budget_;
};

}  // namespace

Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& shows, unsigned budget) {
  return Shrinker(std::move(scenario), shows, budget).run();
}

}  // namespace elvcheck::kernel
