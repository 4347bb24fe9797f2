// SPDX-License-Identifier: GPL-2.0-or-later
// Nearer places and shorter lengths. What matters about places is mostly their order and whether they touch, so most steps
// here change all of them together and keep that.
#include <algorithm>
#include <numeric>

#include "properties/minimize/passes.hpp"

namespace elvcheck::minimize {

namespace {

constexpr SectorCount page = 8;

struct Range {
  Sector begin;
  Sector end;
};

/// Everything the step touches, as one range.
Range extent(const ProcessOp& op) {
  if (op.span != 0) return {op.sector, op.sector + op.span};
  const std::int64_t stride = op.stride != 0 ? op.stride : static_cast<std::int64_t>(op.sectors);
  const auto last = op.sector + static_cast<Sector>(stride * static_cast<std::int64_t>(op.count - 1));
  return {std::min(op.sector, last), std::max(op.sector, last) + op.sectors};
}

template <class Body>
void for_each_io(Scenario& scenario, const Body& body) {
  for (ProcessSpec& process : scenario.processes) {
    for (ProcessOp& op : process.ops) {
      if (op.kind == ProcessOp::Kind::io) body(op);
    }
  }
}

/// The gaps between the places that the scenario uses, from the start of the device on; some may be empty.
std::vector<Range> gaps(Scenario scenario) {
  std::vector<Range> used;
  for_each_io(scenario, [&](const ProcessOp& op) { used.push_back(extent(op)); });
  std::sort(used.begin(), used.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> free;
  Sector end = 0;
  for (const Range& range : used) {
    if (range.begin > end) free.push_back({end, range.begin});
    end = std::max(end, range.end);
  }
  return free;
}

/// Moves everything behind a gap down, so that `left` sectors of it are left.
void close_gap(Scenario& scenario, const Range& gap, Sector left) {
  const Sector length = gap.end - gap.begin;
  if (length <= left) return;
  for_each_io(scenario, [&](ProcessOp& op) {
    if (op.sector >= gap.end) op.sector -= length - left;
  });
}

void close_all_gaps(MinimizeSearch& search) {
  for (const Sector left : {Sector{0}, Sector{page}, Sector{1024}}) {
    Scenario candidate = search.best();
    const auto all = gaps(candidate);
    for (auto gap = all.rbegin(); gap != all.rend(); ++gap) close_gap(candidate, *gap, left);
    search.attempt(std::move(candidate));
  }
}

void close_each_gap(MinimizeSearch& search) {
  for (std::size_t i = gaps(search.best()).size(); i-- > 0;) {
    const auto all = gaps(search.best());
    if (i >= all.size()) continue;
    for (const Sector left : {Sector{0}, Sector{page}, (all[i].end - all[i].begin) / 2 / page * page}) {
      Scenario candidate = search.best();
      close_gap(candidate, all[i], left);
      if (search.attempt(std::move(candidate))) break;
    }
  }
}

void divide_all(MinimizeSearch& search) {
  for (bool accepted = true; accepted && !search.over();) {
    Scenario candidate = search.best();
    Sector divisor = 0;
    for_each_io(candidate, [&](const ProcessOp& op) {
      const auto stride = static_cast<Sector>(op.stride < 0 ? -op.stride : op.stride);
      for (const Sector value : {op.sector, Sector{op.sectors}, stride, op.span}) divisor = std::gcd(divisor, value);
    });
    accepted = false;
    divisor /= std::gcd(divisor, Sector{page});
    for (Sector by = divisor; by > 1 && !accepted; by /= 2) {
      if (divisor % by != 0) continue;
      Scenario divided = candidate;
      for_each_io(divided, [&](ProcessOp& op) {
        op.sector /= by;
        op.sectors = static_cast<SectorCount>(op.sectors / by);
        op.stride /= static_cast<std::int64_t>(by);
        op.span /= by;
      });
      accepted = search.attempt(std::move(divided));
    }
  }
}

void shorten(MinimizeSearch& search) {
  Scenario all = search.best();
  for_each_io(all, [](ProcessOp& op) { op.sectors = std::min(op.sectors, page); });
  search.attempt(std::move(all));
  for (std::size_t p = 0; p < search.best().processes.size(); ++p) {
    for (std::size_t i = 0; i < search.best().processes[p].ops.size(); ++i) {
      for (bool accepted = true; accepted && !search.over();) {
        accepted = false;
        const ProcessOp now = search.best().processes[p].ops[i];
        if (now.kind != ProcessOp::Kind::io) break;
        const auto attempt = [&](const auto& change) {
          if (accepted) return;
          Scenario candidate = search.best();
          change(candidate.processes[p].ops[i]);
          accepted = search.attempt(std::move(candidate));
        };
        if (now.sectors > page) {
          attempt([](ProcessOp& op) { op.sectors = page; });
          attempt([](ProcessOp& op) { op.sectors = std::max(page, op.sectors / 2 / page * page); });
        }
        if (now.span > now.sectors) {
          attempt([](ProcessOp& op) { op.span = op.sectors; });
          attempt([](ProcessOp& op) { op.span = std::max<Sector>(op.sectors, op.span / 2 / page * page); });
        }
        if (now.stride > 2 * static_cast<std::int64_t>(page)) {
          attempt([](ProcessOp& op) { op.stride = 2 * op.sectors; });
          attempt([](ProcessOp& op) { op.stride = op.stride / 2 / page * page; });
        }
        if (search.best().processes[p].ops[i] == now) accepted = false;
      }
    }
  }
}

void lower_starts(MinimizeSearch& search) {
  for (std::size_t p = 0; p < search.best().processes.size(); ++p) {
    for (std::size_t i = 0; i < search.best().processes[p].ops.size(); ++i) {
      for (bool accepted = true; accepted && !search.over();) {
        accepted = false;
        const ProcessOp& now = search.best().processes[p].ops[i];
        if (now.kind != ProcessOp::Kind::io || now.sector == 0) break;
        for (const Sector lower : {Sector{0}, now.sector / 2 / page * page}) {
          Scenario candidate = search.best();
          candidate.processes[p].ops[i].sector = lower;
          accepted = search.attempt(std::move(candidate));
          if (accepted) break;
        }
      }
    }
  }
}

}  // namespace

void near_places(MinimizeSearch& search) {
  divide_all(search);
  shorten(search);
  close_all_gaps(search);
}

void lower_places(MinimizeSearch& search) {
  close_each_gap(search);
  lower_starts(search);
}

}  // namespace elvcheck::minimize
