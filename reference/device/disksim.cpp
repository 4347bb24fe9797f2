// SPDX-License-Identifier: GPL-2.0-or-later
// Single requests as DiskSim 4.0 serves them: disksim/*.csv.gz.
//
// Two comparisons. Aligned: each request begins with DiskSim's clock and arm position, so that an error cannot reach the
// next one; compared is when it completes. Free: the whole stream runs by itself; compared are the mean service time and the
// throughput, since a turn that one of the two misses shifts everything behind it.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/device/preset.hpp"
#include "model/device/rotational/rotational.hpp"
#include "properties/case_file.hpp"
#include "reference/device/request_replay.hpp"
#include "reference/device/table.hpp"
#include "reference/device/validate.hpp"

namespace elvcheck {

namespace {

struct StreamRequest {
  Sector sector = 0;
  SectorCount sectors = 0;
  Nanoseconds arrival{0};
  Nanoseconds begin{0};  // the overhead is over
  Nanoseconds completed{0};
  std::size_t pick = 0;
  DeviceCommand command() const { return {.tag = 0, .op = Op::read, .sector = sector, .sectors = sectors}; }
};

/// In order of arrival.
std::vector<StreamRequest> read_stream(const std::string& path, Sector capacity) {
  const MeasureTable table(path);
  const std::size_t lbn = table.column("lbn");
  const std::size_t blocks = table.column("blocks");
  const std::size_t arrival = table.column("arrival_us");
  const std::size_t pick = table.column("pick");
  const std::size_t start = table.column("start_us");
  const std::size_t overhead = table.column("overhead_us");
  const std::size_t complete = table.column("complete_us");
  std::vector<StreamRequest> stream;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    StreamRequest request;
    request.sector = table.whole(row, lbn);
    request.sectors = static_cast<SectorCount>(table.whole(row, blocks));
    if (request.sectors == 0 || request.sector + request.sectors > capacity) table.fail(row, "not on this drive");
    request.arrival = Nanoseconds(table.microseconds(row, arrival));
    request.begin = Nanoseconds(table.microseconds(row, start) + table.microseconds(row, overhead));
    request.completed = Nanoseconds(table.microseconds(row, complete));
    request.pick = table.whole(row, pick);
    if (request.pick >= table.rows()) table.fail(row, "pick is no place in the order of service");
    stream.push_back(request);
  }
  if (stream.empty()) throw InputError(path + ": no requests");
  return stream;
}

using Parameters = std::vector<NamedValue>;

/// No buffer, no write cache.
const Parameters cache_off = {{"segments", 0}, {"write_cache_sectors", 0}};

double share(std::size_t part, std::size_t whole) { return 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

double percent_off(double ours, double theirs) { return 100 * (ours / theirs - 1); }

/// Service in microseconds, summed over the requests in the order of their completions.
double total_service(const std::vector<ReplayedRequest>& requests, const std::vector<std::size_t>& completions) {
  double sum = 0;
  Nanoseconds before{0};
  for (const std::size_t number : completions) {
    sum += static_cast<double>((requests[number].completed - std::max(before, requests[number].arrival)).count()) / 1000;
    before = requests[number].completed;
  }
  return sum;
}

std::int64_t parameter(const char* preset, std::string_view name) {
  const auto& known = find_device_preset(preset)->parameters;
  return std::find_if(known.begin(), known.end(), [&](const DeviceParameter& one) { return name == one.name; })
      ->preset_value;
}

class Comparison {
 public:
  Comparison(const MeasuredDrive& drive, std::string name, std::vector<StreamRequest> stream, Measures& out)
      : drive_(drive), name_("disksim." + std::move(name)), stream_(std::move(stream)), out_(out) {
    by_pick_ = stream_;
    overhead_ = Nanoseconds(parameter(drive.preset, "read_overhead_ns"));
    std::sort(by_pick_.begin(), by_pick_.end(), [](const auto& a, const auto& b) { return a.pick < b.pick; });
  }

  /// `most_us`: the largest median error that is allowed.
  void aligned(double most_us) {
    std::vector<double> errors;
    std::size_t far = 0;
    Nanoseconds before{0};  // the previous completion
    Sector arm_behind = 1;
    for (const StreamRequest& request : by_pick_) {
      const Nanoseconds ours = aligned_completion(request, arm_behind, before);
      errors.push_back(std::fabs(static_cast<double>((ours - request.completed).count()) / 1000));
      if (errors.back() > 100) ++far;
      arm_behind = request.sector + request.sectors;
      before = request.completed;
    }
    std::sort(errors.begin(), errors.end());
    out_.at_most(most_us, name_ + ".median", "us", errors[errors.size() / 2]);
    out_.at_most(1.5, name_ + ".off-100us", "% of requests", share(far, errors.size()));
  }

  /// `order`: the parameter of that name; `depth` > 0: a closed loop.
  void free_run(std::int64_t order, unsigned depth, bool throughput) {
    Parameters parameters = cache_off;
    parameters.insert(parameters.end(), {{"order", order}, {"age_permille", 0}, {"queue_depth", 32}});
    const auto device = make_device({.preset = drive_.preset, .parameters = parameters});
    RequestReplay replay(*device);
    std::size_t next = 0;
    const auto feed = [&] {
      if (next < stream_.size()) replay.add(stream_[next].command(), depth > 0 ? replay.now() : stream_[next].arrival);
      ++next;
    };
    if (depth > 0) replay.on_done = [&](std::size_t) { feed(); };
    while (next < (depth > 0 ? depth : stream_.size())) feed();
    replay.finish();
    const auto count = static_cast<double>(stream_.size());
    std::vector<ReplayedRequest> theirs;
    std::vector<std::size_t> order_of_theirs;
    for (const StreamRequest& request : by_pick_) {
      order_of_theirs.push_back(theirs.size());
      theirs.push_back({request.command(), request.arrival, request.completed});
    }
    if (throughput) {
      const double rate = count * 1e9 / static_cast<double>(replay.now().count());
      const double their_rate = count * 1e9 / static_cast<double>(theirs.back().completed.count());
      figure("requests", "1/s", rate, their_rate, 2);
    } else {
      figure("service", "us", total_service(replay.requests(), replay.completions()) / count,
             total_service(theirs, order_of_theirs) / count, 1);
    }
  }

 private:
  /// The request's completion on our drive, whose arm rests before `arm_behind` and whose command was taken in when DiskSim
  /// had done so. Commands that arrive until its end take the bus, too; `before`: the previous completion.
  Nanoseconds aligned_completion(const StreamRequest& request, Sector arm_behind, Nanoseconds before) const {
    Parameters parameters = cache_off;
    parameters.insert(parameters.end(), {{"order", 0}, {"queue_depth", 64}});
    const auto device = make_device({.preset = drive_.preset, .parameters = parameters});
    auto& disk = dynamic_cast<RotationalDevice&>(*device);
    const Nanoseconds bus = disk.least_time(request.command());
    RequestReplay replay(disk);
    const Nanoseconds taken_in = request.begin - overhead_;
    replay.wait_until(taken_in);
    if (request.pick > 0) disk.put_arm(arm_behind);
    replay.add(request.command(), taken_in);
    // Those that came while the previous data were on the bus have waited for it.
    const auto arrives_before = [](const StreamRequest& one, Nanoseconds at) { return one.arrival < at; };
    for (auto other = std::lower_bound(stream_.begin(), stream_.end(), before - bus, arrives_before);
         other != stream_.end() && other->arrival < request.completed; ++other) {
      if (other->pick > request.pick) replay.add(other->command(), std::max(other->arrival, taken_in));
    }
    while (replay.requests().front().completed < Nanoseconds(0)) replay.step();
    return replay.requests().front().completed;
  }

  void figure(const char* what, const char* unit, double ours, double theirs, double most_percent) {
    out_.add(name_ + "." + what, unit, ours, theirs);
    out_.at_most(most_percent, name_ + "." + what + "-off", "%", std::fabs(percent_off(ours, theirs)));
  }

  const MeasuredDrive& drive_;
  std::string name_;
  std::vector<StreamRequest> stream_;
  std::vector<StreamRequest> by_pick_;
  Nanoseconds overhead_{0};  // of a read from the medium
  Measures& out_;
};

/// Full hits, which cost the overhead and the bus only, to the tenth of a microsecond that the file holds.
void compare_cache(const std::string& path, const MeasuredDrive& drive, const std::string& name, Nanoseconds think,
                   Measures& out) {
  const MeasureTable table(path);
  const std::size_t lbn = table.column("lbn");
  const std::size_t blocks = table.column("blocks");
  const std::size_t response = table.column("response_us");
  const auto device = make_device({.preset = drive.preset, .parameters = {}});
  RequestReplay replay(*device);
  std::size_t next = 0;
  const auto feed = [&] {
    if (next == table.rows()) return;
    const Sector sector = table.whole(next, lbn);
    const auto sectors = static_cast<SectorCount>(table.whole(next, blocks));
    if (sectors == 0 || sector + sectors > device->info().capacity) table.fail(next, "not on this drive");
    replay.add({.tag = 0, .op = Op::read, .sector = sector, .sectors = sectors}, replay.now() + (next == 0 ? 0ns : think));
    ++next;
  };
  replay.on_done = [&](std::size_t) { feed(); };
  feed();
  replay.finish();
  std::size_t hits = 0;
  std::size_t ours_too = 0;
  double sum = 0;
  double their_sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const ReplayedRequest& ours = replay.requests()[row];
    const Nanoseconds theirs(table.microseconds(row, response));
    sum += static_cast<double>(ours.response().count()) / 1000;
    their_sum += static_cast<double>(theirs.count()) / 1000;
    const Nanoseconds hit = device->least_time(ours.command);
    if (std::abs((theirs - hit).count()) > 100) continue;
    ++hits;
    if (std::abs((ours.response() - hit).count()) <= 100) ++ours_too;
  }
  const auto count = static_cast<double>(table.rows());
  out.add("disksim." + name + ".response", "us", sum / count, their_sum / count);
  if (hits > 0) out.at_least(95, "disksim." + name + ".same-hits", "% of its hits", share(ours_too, hits));
}

}  // namespace

void validate_streams(const std::string& folder, const MeasuredDrive& drive, Measures& out) {
  if (!drive.has_streams) return;
  const auto device = make_device({.preset = drive.preset, .parameters = {}});
  const std::string stem = folder + "/disksim/" + drive.file + "_";
  struct Recorded {
    const char* name;
    std::int64_t order;  // of our queue; -1: picks that no correct drive makes
    unsigned depth;
  };
  for (const Recorded& stream :
       {Recorded{"a_random_depth1", 0, 1}, Recorded{"b_open_fcfs", 0, 0}, Recorded{"b_open_clook", 2, 0},
        Recorded{"b_open_sptf_corrected", 1, 0}, Recorded{"b_open_sptf_shipped", -1, 0}, Recorded{"d_closed32_clook", 2, 32},
        Recorded{"d_closed32_sptf_corrected", 1, 32}, Recorded{"d_closed32_sptf_shipped", -1, 32}}) {
    Comparison comparison(drive, stream.name, read_stream(stem + stream.name + ".csv.gz", device->info().capacity), out);
    comparison.aligned(drive.median_error_us);
    if (stream.order >= 0) comparison.free_run(stream.order, stream.depth, stream.depth > 1);
  }
  compare_cache(stem + "c_sequential_cache.csv.gz", drive, "c_sequential_cache", 0ns, out);
  compare_cache(stem + "c_skip_cache.csv.gz", drive, "c_skip_cache", 3ms, out);
}

}  // namespace elvcheck
