// SPDX-License-Identifier: GPL-2.0-or-later
// Fewer processes and fewer steps.
#include <algorithm>
#include <optional>

#include "properties/minimize/passes.hpp"

namespace elvcheck::minimize {

namespace {

using Kind = ProcessOp::Kind;

/// Delta debugging over `count()` things: removes groups of them, half of all at first, then smaller ones. `without` builds
/// the scenario without the things [first, first + size).
template <class Count, class Without>
void remove_groups(MinimizeSearch& search, const Count& count, const Without& without) {
  for (std::size_t size = std::max<std::size_t>(count() / 2, 1); size > 0 && !search.over(); size /= 2) {
    for (std::size_t first = 0; first < count() && !search.over();) {
      if (!search.attempt(without(first, std::min(size, count() - first)))) first += size;
    }
  }
}

Scenario without_processes(const Scenario& scenario, std::size_t first, std::size_t size) {
  Scenario result = scenario;
  const auto begin = result.processes.begin() + static_cast<std::ptrdiff_t>(first);
  result.processes.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
  for (ProcessSpec& process : result.processes) {
    std::erase_if(process.ops, [&](const ProcessOp& op) {
      return op.names_process() && op.target >= first && op.target < first + size;
    });
    for (ProcessOp& op : process.ops) {
      if (op.names_process() && op.target >= first + size) op.target -= static_cast<std::uint32_t>(size);
    }
  }
  return result;
}

/// Removes the marked steps, numbered through all programs, and the partners of what comes in pairs.
Scenario without_ops(const Scenario& scenario, std::vector<bool> gone) {
  Scenario result = scenario;
  std::size_t base = 0;
  for (ProcessSpec& process : result.processes) {
    const std::size_t count = process.ops.size();
    std::vector<std::size_t> repeats;
    std::vector<std::size_t> plugs;
    const auto join = [&](std::size_t opens, std::size_t closes) {
      gone[opens] = gone[closes] = gone[opens] || gone[closes];
    };
    for (std::size_t i = base; i < base + count; ++i) {
      const Kind kind = process.ops[i - base].kind;
      if (kind == Kind::repeat) repeats.push_back(i);
      if (kind == Kind::plug) plugs.push_back(i);
      if (kind == Kind::end && !repeats.empty()) {
        join(repeats.back(), i);
        repeats.pop_back();
      }
      if (kind == Kind::unplug && !plugs.empty()) {
        join(plugs.back(), i);
        plugs.pop_back();
      }
    }
    std::size_t i = base;
    std::erase_if(process.ops, [&](const ProcessOp&) { return gone[i++]; });
    base += count;
  }
  return result;
}

std::size_t ops_of(const Scenario& scenario) { return size_of(scenario).ops; }

/// One step that does what both do, if they follow each other in one pattern.
std::optional<ProcessOp> joined(const ProcessOp& first, const ProcessOp& second) {
  if (first.kind != second.kind) return std::nullopt;
  ProcessOp one = first;
  if (first.kind == Kind::think) {
    one.time += second.time;
    return one;
  }
  if (first.kind != Kind::io || first.span != 0 || second.span != 0) return std::nullopt;
  const auto step = [](const ProcessOp& op) { return op.stride != 0 ? op.stride : static_cast<std::int64_t>(op.sectors); };
  const auto distance = static_cast<std::int64_t>(second.sector - first.sector);
  const std::int64_t stride = first.count > 1 ? step(first) : distance;
  if (stride == 0 || distance != stride * static_cast<std::int64_t>(first.count)) return std::nullopt;
  if (second.count > 1 && step(second) != stride) return std::nullopt;
  one.count = first.count + second.count;
  one.stride = stride == static_cast<std::int64_t>(first.sectors) ? 0 : stride;
  ProcessOp other = second;
  other.sector = first.sector;
  other.count = one.count;
  other.stride = one.stride;
  one.depth = other.depth = std::max(first.depth, second.depth);
  if (one != other) return std::nullopt;
  return one;
}

}  // namespace

void remove_processes(MinimizeSearch& search) {
  remove_groups(
      search, [&] { return search.best().processes.size(); },
      [&](std::size_t first, std::size_t size) { return without_processes(search.best(), first, size); });
}

void remove_ops(MinimizeSearch& search) {
  remove_groups(
      search, [&] { return ops_of(search.best()); },
      [&](std::size_t first, std::size_t size) {
        std::vector<bool> gone(ops_of(search.best()));
        std::fill_n(gone.begin() + static_cast<std::ptrdiff_t>(first), size, true);
        return without_ops(search.best(), std::move(gone));
      });
}

void remove_pairs(MinimizeSearch& search) {
  constexpr std::size_t most_ops = 16;
  if (ops_of(search.best()) > most_ops) return;
  for (std::size_t i = 0; i < ops_of(search.best()); ++i) {
    for (std::size_t j = i + 1; j < ops_of(search.best()); ++j) {
      std::vector<bool> gone(ops_of(search.best()));
      gone[i] = gone[j] = true;
      if (search.attempt(without_ops(search.best(), std::move(gone)))) return;  // the other passes go on from here
    }
  }
}

void join_ops(MinimizeSearch& search) {
  for (std::size_t p = 0; p < search.best().processes.size(); ++p) {
    for (std::size_t i = 0; i + 1 < search.best().processes[p].ops.size();) {
      const auto& ops = search.best().processes[p].ops;
      const auto one = joined(ops[i], ops[i + 1]);
      bool accepted = false;
      if (one) {
        Scenario candidate = search.best();
        auto& program = candidate.processes[p].ops;
        program[i] = *one;
        program.erase(program.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        accepted = search.attempt(std::move(candidate));
      }
      if (!accepted) ++i;
    }
  }
}

}  // namespace elvcheck::minimize
