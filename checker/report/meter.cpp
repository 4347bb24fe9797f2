// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/report/meter.hpp"

#include <algorithm>
#include <numeric>

namespace elvcheck {

void Meter::on_event(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::queue:
      if (event.sectors == 0) break;  // a bare flush moves no data
      if (!started_) first_ = event.at;
      started_ = true;
      submitted_[event.bio] = {event.at, is_write(event.op), event.sectors * sector_bytes};
      break;
    case EventKind::get_request:
    case EventKind::back_merge:
    case EventKind::front_merge:
      requests_[event.request].push_back(event.bio);
      break;
    case EventKind::request_merge: {
      const auto absorbed = requests_.extract(event.other);
      if (absorbed.empty()) break;
      auto& bios = requests_[event.request];
      bios.insert(bios.end(), absorbed.mapped().begin(), absorbed.mapped().end());
      break;
    }
    case EventKind::complete: {
      const auto done = requests_.extract(event.request);
      if (done.empty()) break;
      for (const BioId bio : done.mapped()) complete(bio, event.at);
      break;
    }
    default:
      break;
  }
}

void Meter::complete(BioId bio, Nanoseconds at) {
  const auto submission = submitted_.extract(bio);
  if (submission.empty()) return;
  Side& side = submission.mapped().write ? writes_ : reads_;
  side.latencies.push_back(at - submission.mapped().at);
  side.bytes += submission.mapped().bytes;
  last_ = std::max(last_, at);
}

LatencyFigures Meter::figures(const Side& side) {
  LatencyFigures out;
  if (side.latencies.empty()) return out;
  std::vector<Nanoseconds> sorted = side.latencies;
  std::sort(sorted.begin(), sorted.end());
  out.operations = sorted.size();
  out.bytes = side.bytes;
  out.mean = std::accumulate(sorted.begin(), sorted.end(), Nanoseconds(0)) / static_cast<std::int64_t>(sorted.size());
  out.p99 = sorted[(sorted.size() * 99 + 99) / 100 - 1];
  out.max = sorted.back();
  return out;
}

LatencyFigures Meter::all() const {
  Side both = reads_;
  both.latencies.insert(both.latencies.end(), writes_.latencies.begin(), writes_.latencies.end());
  both.bytes += writes_.bytes;
  return figures(both);
}

}  // namespace elvcheck
