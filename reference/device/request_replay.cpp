// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/device/request_replay.hpp"

#include <stdexcept>

namespace elvcheck {

void RequestReplay::add(const DeviceCommand& command, Nanoseconds arrival) {
  const std::size_t number = requests_.size();
  requests_.push_back({command, arrival, Nanoseconds(-1)});
  requests_.back().command.tag = static_cast<std::uint32_t>(number);
  if (arrival <= events_.now()) {
    on_event(number);
  } else {
    events_.schedule(arrival, Rank::host, *this, number);
  }
}

void RequestReplay::finish() {
  while (completions_.size() < requests_.size()) step();
}

void RequestReplay::forget() {
  requests_.clear();
  completions_.clear();
}

void RequestReplay::step() {
  if (!events_.step()) throw std::logic_error(device_.info().name + ": a request never completed");
}

void RequestReplay::wait_until(Nanoseconds at) {
  while (events_.step(at)) {
  }
}

void RequestReplay::on_event(std::uint64_t number) {
  waiting_.push_back(number);
  issue_waiting();
}

void RequestReplay::issue_waiting() {
  while (!waiting_.empty() && inside_ < device_.info().queue_depth) {
    const std::size_t next = waiting_.front();
    waiting_.pop_front();
    ++inside_;
    device_.issue(requests_[next].command);
  }
}

void RequestReplay::command_done(std::uint32_t tag) {
  --inside_;
  requests_[tag].completed = events_.now();
  completions_.push_back(tag);
  on_done(tag);
  issue_waiting();
}

}  // namespace elvcheck
