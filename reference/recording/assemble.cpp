// SPDX-License-Identifier: GPL-2.0-or-later
// From recorded events to the trace: one device, one clock, and each bio and request followed from event to event.
//
// A recording names a request by its place only, so requests are followed by sector ranges: an allocation takes the bio of
// the same range, a merge takes a bio and the queued request that ends (or starts) where the bio starts (or ends), an issue
// takes the queued request of its range. Where merges were not recorded, the range of an insertion or issue says which bios
// (and which other requests) went into it. What belongs to requests from before the recording is left out and counted.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "reference/recording/follow.hpp"
#include "reference/recording/raw_event.hpp"

namespace elvcheck::recording_detail {

namespace {

/// Sectors above are no places on a device (a flush of the block layer shows -1).
constexpr Sector max_sector = Sector{1} << 55;

DeviceNumber choose_device(const RawRecording& raw, const std::string& name, const ReadOptions& options,
                           std::vector<std::string>& warnings) {
  std::map<DeviceNumber, std::size_t> counts;
  for (const RawEvent& event : raw.events)
    if (!event.any_device) ++counts[event.device];
  if (counts.empty())
    throw InputError(name + ": no block events of a device in it; record with blktrace or the block:* events");
  auto busiest = counts.begin();
  for (auto at = counts.begin(); at != counts.end(); ++at)
    if (at->second > busiest->second) busiest = at;
  if (options.device) {
    busiest = counts.find(*options.device);
    if (busiest == counts.end())
      throw InputError(name + ": no events of device " + to_string(*options.device) + "; it has " +
                       to_string(counts.begin()->first) + (counts.size() > 1 ? " and others" : ""));
  }
  std::string others;
  std::size_t left_out = 0;
  for (const auto& [device, count] : counts) {
    if (device == busiest->first) continue;
    if (++left_out <= 8)
      others += (others.empty() ? "" : ", ") + to_string(device) + " (" + std::to_string(count) + " events)";
  }
  if (left_out > 8) others += " and " + std::to_string(left_out - 8) + " more";
  if (left_out != 0) warnings.push_back("read device " + to_string(busiest->first) + "; left out " + others);
  return busiest->first;
}

/// In order of time. Records of one CPU with equal times go by their sequence number, of several CPUs by the CPU.
void order(RawRecording& raw) {
  const auto key = [](const RawEvent& event) { return std::tuple(event.at, event.cpu, event.sequence); };
  const auto by_time = [](const RawEvent& a, const RawEvent& b) { return a.at < b.at; };
  if (raw.format == RecordingFormat::blktrace_binary) {
    std::stable_sort(raw.events.begin(), raw.events.end(),
                     [&](const RawEvent& a, const RawEvent& b) { return key(a) < key(b); });
  } else if (!std::is_sorted(raw.events.begin(), raw.events.end(), by_time)) {
    std::stable_sort(raw.events.begin(), raw.events.end(), by_time);
    raw.warnings.emplace_back("the lines were not in order of time and have been sorted");
  }
}

/// Says so if the clock that stamped the events was coarse.
void check_resolution(const std::vector<RawEvent>& events, std::vector<std::string>& warnings) {
  std::int64_t step = 0;
  for (const RawEvent& event : events) step = std::gcd(step, event.at - events.front().at);
  if (step >= 100'000)
    warnings.push_back("all times are multiples of " + std::to_string(step / 1000) +
                       " us: the recording's clock has the resolution of a tick, so latencies are rough");
}

}  // namespace

Recording assemble(RawRecording raw, const std::string& name, const ReadOptions& options) {
  Recording out;
  out.format = raw.format;
  out.name = name;
  out.process_names = std::move(raw.process_names);
  out.device = choose_device(raw, name, options, raw.warnings);
  std::size_t impossible = 0;
  std::erase_if(raw.events, [&](const RawEvent& event) {
    if (!event.any_device && event.device != out.device) return true;
    if (event.sector > max_sector || event.split_at > max_sector) return ++impossible, true;
    return false;
  });
  if (impossible != 0) raw.skipped["events with an impossible sector"] += impossible;
  if (raw.events.empty()) throw InputError(name + ": no usable block events in it; record again");
  order(raw);
  if (raw.format == RecordingFormat::blktrace_binary) out.monotonic_start = Nanoseconds(raw.events.front().at);
  if (raw.format != RecordingFormat::fio_iolog) {
    std::set<std::uint32_t> cpus;
    for (const RawEvent& event : raw.events) cpus.insert(event.cpu);
    out.cpus = static_cast<unsigned>(cpus.size());
    check_resolution(raw.events, raw.warnings);
  }
  for (const auto& [what, count] : raw.skipped) raw.warnings.push_back("left out: " + std::to_string(count) + " " + what);
  out.warnings = std::move(raw.warnings);
  follow_requests(raw.events, out);
  return out;
}

}  // namespace elvcheck::recording_detail
