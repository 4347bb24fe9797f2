// SPDX-License-Identifier: GPL-2.0-or-later
// Plainer steps: smaller counts, fewer attributes, rounder times, usual priorities.
#include <algorithm>
#include <array>

#include "model/core/random.hpp"
#include "properties/minimize/passes.hpp"

namespace elvcheck::minimize {

namespace {

using Kind = ProcessOp::Kind;

/// Calls body(process, step) for every step there is at that moment; steps that the body adds are visited too.
template <class Body>
void for_each_op(const MinimizeSearch& search, const Body& body) {
  for (std::size_t p = 0; p < search.best().processes.size(); ++p) {
    for (std::size_t i = 0; i < search.best().processes[p].ops.size(); ++i) body(p, i);
  }
}

const ProcessOp& op_at(const MinimizeSearch& search, std::size_t process, std::size_t step) {
  return search.best().processes[process].ops[step];
}

/// Attempts the best scenario with one step changed.
template <class Change>
bool attempt_op(MinimizeSearch& search, std::size_t process, std::size_t step, const Change& change) {
  Scenario candidate = search.best();
  change(candidate.processes[process].ops[step]);
  return search.attempt(std::move(candidate));
}

/// The smallest value from `low` on that bisection finds acceptable, and then that minus one is not.
template <class Number, class Set>
void bisect(MinimizeSearch& search, std::size_t process, std::size_t step, Number low, Number high, const Set& set) {
  if (high <= low) return;
  const auto accepts = [&](Number value) {
    return attempt_op(search, process, step, [&](ProcessOp& op) { set(op, value); });
  };
  if (accepts(low)) return;
  while (high - low > 1 && !search.over()) {
    const Number middle = low + (high - low) / 2;
    if (accepts(middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
}

void lower_time(MinimizeSearch& search, std::size_t process, std::size_t step, Nanoseconds ProcessOp::*time) {
  constexpr std::int64_t millisecond = 1'000'000;
  constexpr std::int64_t shortest = 1'000;  // but 0 is plainer still
  for (bool accepted = true; accepted && !search.over();) {
    const std::int64_t now = (op_at(search, process, step).*time).count();
    accepted = false;
    for (const std::int64_t lower : {std::int64_t{0}, std::min(now, millisecond), one_digit(now / 2), one_digit(now)}) {
      if (lower >= now || (lower != 0 && lower < shortest)) continue;
      accepted = attempt_op(search, process, step, [&](ProcessOp& op) { op.*time = Nanoseconds(lower); });
      if (accepted) break;
    }
  }
}

/// From the plainest on.
std::array<IoPrio, 3> plainer(IoPrio prio) {
  return {IoPrio{}, IoPrio{IoClass::be, 4}, prio.io_class == IoClass::idle ? prio : IoPrio{prio.io_class, 0}};
}

int rank(IoPrio prio) {
  const auto plain = plainer(prio);
  return static_cast<int>(std::find(plain.begin(), plain.end(), prio) - plain.begin());
}

}  // namespace

std::int64_t one_digit(std::int64_t value) {
  std::int64_t unit = 1;
  while (value / unit >= 10) unit *= 10;
  return value / unit * unit;
}

void lower_counts(MinimizeSearch& search) {
  const auto counted = [](const ProcessOp& op) { return (op.kind == Kind::io || op.kind == Kind::repeat) && op.count > 1; };
  for (bool accepted = true; accepted && !search.over();) {
    Scenario candidate = search.best();
    for (ProcessSpec& process : candidate.processes) {
      for (ProcessOp& op : process.ops) {
        if (counted(op)) op.count /= 2;
        if (op.kind == Kind::io) op.depth = std::min(op.depth, op.count);
      }
    }
    accepted = search.attempt(std::move(candidate));
  }
  for_each_op(search, [&](std::size_t process, std::size_t step) {
    if (!counted(op_at(search, process, step))) return;
    bisect(search, process, step, 1U, op_at(search, process, step).count, [](ProcessOp& op, std::uint32_t value) {
      op.count = value;
      if (op.kind == Kind::io) op.depth = std::min(op.depth, value);
    });
    if (op_at(search, process, step).kind != Kind::repeat || op_at(search, process, step).count > 1) return;
    // A repeat of one round is its body.
    Scenario candidate = search.best();
    auto& ops = candidate.processes[process].ops;
    std::size_t open = 0;
    for (std::size_t i = step; i < ops.size(); ++i) {
      if (ops[i].kind == Kind::repeat) ++open;
      if (ops[i].kind != Kind::end || --open > 0) continue;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(step));
      break;
    }
    search.attempt(std::move(candidate));
  });
}

void plain_operations(MinimizeSearch& search) {
  for_each_op(search, [&](std::size_t process, std::size_t step) {
    if (op_at(search, process, step).kind != Kind::io) return;
    const auto attempt = [&](const auto& change) { attempt_op(search, process, step, change); };
    attempt([](ProcessOp& op) { op.flags = 0; });
    for (unsigned bit = 0; bit < 16; ++bit) {
      if ((op_at(search, process, step).flags >> bit & 1U) == 0) continue;
      attempt([&](ProcessOp& op) { op.flags = static_cast<ReqFlags>(op.flags & ~(1U << bit)); });
    }
    attempt([](ProcessOp& op) { op.nowait = false; });
    attempt([](ProcessOp& op) { op.span = 0, op.seed = 1, op.stride = 0; });
    attempt([](ProcessOp& op) { op.seed = 1; });
    attempt([](ProcessOp& op) { op.stride = 0; });
    if (op_at(search, process, step).op == Op::discard) attempt([](ProcessOp& op) { op.op = Op::write; });
    attempt([](ProcessOp& op) { op.op = Op::read, op.flags = 0; });
    attempt([](ProcessOp& op) {  // a read never goes around the scheduler
      op.op = Op::read;
      op.flags = static_cast<ReqFlags>(op.flags & ~(REQ_FUA | REQ_PREFLUSH | REQ_SYNC));
    });
    bisect(search, process, step, 1U, op_at(search, process, step).depth,
           [](ProcessOp& op, std::uint32_t value) { op.depth = value; });
    lower_time(search, process, step, &ProcessOp::think);
  });
}

void write_out_draws(MinimizeSearch& search) {
  constexpr std::uint32_t most = 4;
  for_each_op(search, [&](std::size_t process, std::size_t step) {
    const ProcessOp op = op_at(search, process, step);
    if (op.kind != Kind::io || op.span < op.sectors || op.span == 0 || op.count > most) return;
    SplitMix64 random(op.seed);
    std::vector<ProcessOp> singles;
    for (std::uint32_t i = 0; i < op.count; ++i) {
      ProcessOp single = op;
      single.sector = op.sector + random.below(op.span / op.sectors) * op.sectors;  // as Processes draws them
      single.count = single.depth = 1;
      single.span = 0;
      single.seed = 1;
      single.nowait = op.nowait || (op.depth > 1 && i + 1 < op.count);
      singles.push_back(single);
    }
    Scenario candidate = search.best();
    auto& ops = candidate.processes[process].ops;
    const auto at = ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(step));
    ops.insert(at, singles.begin(), singles.end());
    search.attempt(std::move(candidate));
  });
}

void lower_times(MinimizeSearch& search) {
  for_each_op(search, [&](std::size_t process, std::size_t step) {
    const Kind kind = op_at(search, process, step).kind;
    if (kind == Kind::think || kind == Kind::at) lower_time(search, process, step, &ProcessOp::time);
  });
}

void plain_priorities(MinimizeSearch& search) {
  for (std::size_t p = 0; p < search.best().processes.size(); ++p) {
    for (const IoPrio plain : plainer(search.best().processes[p].ioprio)) {
      const IoPrio now = search.best().processes[p].ioprio;
      if (now.io_class == IoClass::none || rank(plain) >= rank(now) || plain == now) continue;
      Scenario candidate = search.best();
      candidate.processes[p].ioprio = plain;
      if (search.attempt(std::move(candidate))) break;
    }
  }
  for_each_op(search, [&](std::size_t process, std::size_t step) {
    if (op_at(search, process, step).kind != Kind::ioprio) return;
    for (const IoPrio plain : plainer(op_at(search, process, step).ioprio)) {
      const IoPrio now = op_at(search, process, step).ioprio;
      if (now.io_class == IoClass::none || rank(plain) >= rank(now)) continue;
      if (attempt_op(search, process, step, [&](ProcessOp& op) { op.ioprio = plain; })) break;
    }
  });
}

}  // namespace elvcheck::minimize
