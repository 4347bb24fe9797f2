// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/recorded_device.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace elvcheck {

RecordedDevice::RecordedDevice(const Recording& recording, DeviceInfo info, std::unique_ptr<Device> fallback)
    : Device(std::move(info)), fallback_(std::move(fallback)) {
  struct Command {
    Nanoseconds start{0};
    Nanoseconds* time = nullptr;  // in times_, to be filled in at its completion
  };
  std::map<RequestId, Nanoseconds> ready;  // since when a request could have been issued
  std::map<RequestId, Command> in_flight;
  std::optional<Nanoseconds> last_completion;
  for (const TraceEvent& event : recording.events) switch (event.kind) {
      case EventKind::get_request:
      case EventKind::insert:
        ready[event.request] = event.at;
        break;
      case EventKind::issue: {
        Nanoseconds start = event.at;
        const auto found = ready.find(event.request);
        if (in_flight.empty() && last_completion && event.at - *last_completion <= longest_turnaround &&
            found != ready.end() && found->second < *last_completion)
          start = *last_completion;
        auto& times = times_[{event.op, event.sector, event.sectors}];
        times.emplace_back(-1);
        in_flight[event.request] = {start, &times.back()};
        break;
      }
      case EventKind::requeue:
      case EventKind::complete: {
        const auto found = in_flight.find(event.request);
        if (found == in_flight.end()) break;
        if (event.kind == EventKind::complete) {
          *found->second.time = event.at - found->second.start;
          last_completion = event.at;
        }
        in_flight.erase(found);
        break;
      }
      default:
        break;
    }
}

void RecordedDevice::issue(const DeviceCommand& command) {
  const auto found = times_.find({command.op, command.sector, command.sectors});
  if (found != times_.end() && !found->second.empty()) {
    const Nanoseconds time = found->second.front();
    found->second.pop_front();
    if (time >= Nanoseconds(0)) {
      events().schedule(events().now() + time, Rank::host, *this, command.tag);
      return;
    }
  }
  ++unknown_;
  if (!fallback_attached_) {
    fallback_->attach(events(), *this);
    fallback_attached_ = true;
  }
  fallback_->issue(command);
}

Nanoseconds median_service_time(const Recording& recording) {
  std::map<RequestId, Nanoseconds> issued;
  std::vector<Nanoseconds> times;
  for (const TraceEvent& event : recording.events) {
    if (event.kind == EventKind::issue) issued[event.request] = event.at;
    if (event.kind != EventKind::complete) continue;
    const auto found = issued.find(event.request);
    if (found == issued.end()) continue;
    times.push_back(event.at - found->second);
    issued.erase(found);
  }
  if (times.empty()) return Nanoseconds(0);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

DeviceInfo observed_device(const Recording& recording) {
  DeviceInfo info;
  info.name = "recorded";
  std::set<RequestId> in_flight;
  for (const TraceEvent& event : recording.events) {
    info.capacity = std::max(info.capacity, event.sector + event.sectors);
    if (event.kind == EventKind::issue) {
      in_flight.insert(event.request);
      info.queue_depth = std::max(info.queue_depth, static_cast<unsigned>(in_flight.size()));
      if (event.op == Op::flush) info.volatile_cache = true;
      if ((event.flags & REQ_FUA) != 0) info.fua = true;
    } else if (event.kind == EventKind::complete || event.kind == EventKind::requeue) {
      in_flight.erase(event.request);
    }
  }
  return info;
}

}  // namespace elvcheck
