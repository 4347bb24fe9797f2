// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/case_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace elvcheck {

namespace {

using Kind = ProcessOp::Kind;

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

}  // namespace

bool is_process_name(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(letters) == std::string_view::npos;
}

void ProgramChecker::check_place(const ProcessOp& op) const {
  if (op.span != 0) {
    if (op.sector > capacity_ || op.span > capacity_ - op.sector) {
      refuse(fmt::format("the region ends at sector {}, the device at {}; move it or make it shorter", op.sector + op.span,
                         capacity_));
    }
    return;
  }
  // The start moves by `step` each time; only the first and the last start can be the extreme ones.
  const std::int64_t step = op.stride != 0 ? op.stride : static_cast<std::int64_t>(op.sectors);
  const std::uint64_t moves = op.count - 1;
  const std::uint64_t length =
      step < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const Sector room = step < 0 ? op.sector : (capacity_ >= op.sector ? capacity_ - op.sector : 0);
  const bool too_far = length != 0 && moves > room / length;
  const Sector highest = step < 0 || too_far ? op.sector : op.sector + moves * length;
  if (too_far || highest > capacity_ || op.sectors > capacity_ - highest) {
    refuse(fmt::format("it reaches beyond the device, which has {} sectors; use a lower sector, length, stride or count",
                       capacity_));
  }
}

void ProgramChecker::add(const ProcessOp& op) {
  const std::uint64_t rounds = repeats_.empty() ? 1 : repeats_.back().rounds;
  std::uint64_t steps = rounds;
  switch (op.kind) {
    case Kind::io:
      if (op.sectors == 0 || op.count == 0 || op.depth == 0) refuse("length, count and depth must be at least 1");
      check_place(op);
      steps = rounds * op.count;
      break;
    case Kind::repeat:
      if (op.count == 0) refuse("repeat needs at least 1 round");
      repeats_.push_back({std::min(rounds * op.count, most_steps + 1), plugged_});
      break;
    case Kind::end:
      if (repeats_.empty()) refuse("'end' without 'repeat'; remove it or add 'repeat N' before");
      if (repeats_.back().plugged != plugged_) refuse("'plug' and 'unplug' must pair inside a repeat; add the missing one");
      repeats_.pop_back();
      break;
    case Kind::wait:
      if (op.target == process_) refuse("a process cannot wait for itself; name another one");
      break;
    case Kind::yield:
      if (op.target == process_) refuse("a process cannot yield to itself; name another one");
      break;
    case Kind::plug:
      if (plugged_) refuse("'plug' inside a plug; add 'unplug' before or remove it");
      plugged_ = true;
      break;
    case Kind::unplug:
      if (!plugged_) refuse("'unplug' without 'plug'; remove it or add 'plug' before");
      plugged_ = false;
      break;
    default:
      break;
  }
  steps_ += std::min(steps, most_steps + 1);
  if (steps_ > most_steps) {
    refuse(fmt::format("the program runs more than {} operations; lower a count or the rounds of a repeat", most_steps));
  }
}

void ProgramChecker::finish() const {
  if (!repeats_.empty()) refuse("'repeat' without 'end'; add \"end\" after the last operation that is repeated");
}

}  // namespace elvcheck
