// SPDX-License-Identifier: GPL-2.0-or-later
// Service times that four drives had on recorded requests: hardware/*.csv.gz.
//
// Replayed as they were measured: one request at a time, the next so long after the completion as the host thought. The
// measure is the demerit figure of C. Ruemmler and J. Wilkes (An introduction to disk drive modeling, IEEE Computer 27(3),
// 1994): the root mean square of the horizontal distance between the two distributions of service times, here as a share of
// the measured mean.
#include <algorithm>
#include <cmath>

#include "model/device/preset.hpp"
#include "properties/case_file.hpp"
#include "reference/device/request_replay.hpp"
#include "reference/device/table.hpp"
#include "reference/device/validate.hpp"

namespace elvcheck {

namespace {

struct Times {
  std::vector<double> measured, simulated, theirs;  // milliseconds
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double demerit(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

double within(const Times& times, const std::vector<double>& values, double ms) {
  std::size_t near = 0;
  for (std::size_t i = 0; i < values.size(); ++i) near += std::fabs(values[i] - times.measured[i]) <= ms ? 1 : 0;
  return 100.0 * static_cast<double>(near) / static_cast<double>(values.size());
}

void report(const std::string& part, const Times& times, bool judged, Measures& out) {
  if (times.measured.empty()) return;
  const double mean = mean_of(times.measured);
  const auto share = [&](const std::vector<double>& values) { return 100 * demerit(times.measured, values) / mean; };
  const auto off = [&](const std::vector<double>& values) { return 100 * (mean_of(values) / mean - 1); };
  const double theirs = share(times.theirs);
  const double mean_off = std::fabs(off(times.simulated));
  const double their_mean_off = std::fabs(off(times.theirs));
  if (judged) {
    out.at_most(theirs + 1, "hardware.demerit" + part, "% of mean", share(times.simulated), theirs);
    out.at_most(2, "hardware.mean-off" + part, "%", mean_off, their_mean_off);
  } else {
    out.add("hardware.demerit" + part, "% of mean", share(times.simulated), theirs);
    out.add("hardware.mean-off" + part, "%", mean_off, their_mean_off);
  }
}

}  // namespace

void validate_hardware(const std::string& folder, const MeasuredDrive& drive, Measures& out) {
  const std::string path = folder + "/hardware/" + drive.file + ".csv.gz";
  const MeasureTable table(path);
  const std::size_t op = table.column("op");
  const std::size_t lbn = table.column("lbn");
  const std::size_t blocks = table.column("blocks");
  const std::size_t measured = table.column("measured_us");
  const std::size_t think = table.column("think_us");
  const std::size_t disksim = table.column("disksim_us");
  const auto device = make_device({.preset = drive.preset, .parameters = {}});
  RequestReplay replay(*device);
  std::size_t next = 0;
  const auto feed = [&] {
    if (next == table.rows()) return;
    const std::size_t row = next++;
    const std::string_view direction = table.word(row, op);
    if (direction != "R" && direction != "W") table.fail(row, "op must be R or W");
    const Sector sector = table.whole(row, lbn);
    const auto sectors = static_cast<SectorCount>(table.whole(row, blocks));
    if (sectors == 0 || sector + sectors > device->info().capacity) table.fail(row, "not on this drive");
    const Nanoseconds thought(row == 0 ? 0 : table.microseconds(row - 1, think));
    replay.add({.tag = 0, .op = direction == "R" ? Op::read : Op::write, .sector = sector, .sectors = sectors},
               replay.now() + thought);
  };
  replay.on_done = [&](std::size_t) { feed(); };
  feed();
  if (next == 0) throw InputError(path + ": no requests");
  replay.finish();
  Times all, reads, writes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const ReplayedRequest& request = replay.requests()[row];
    for (Times* part : {&all, request.command.op == Op::read ? &reads : &writes}) {
      part->measured.push_back(table.fraction(row, measured) / 1000);
      part->simulated.push_back(static_cast<double>(request.response().count()) / 1e6);
      part->theirs.push_back(table.fraction(row, disksim) / 1000);
    }
  }
  report("", all, true, out);
  report(".reads", reads, false, out);
  report(".writes", writes, false, out);
  const double near = within(all, all.simulated, 0.3);
  const double theirs = within(all, all.theirs, 0.3);
  if (drive.within_300us > 0) {
    out.at_least(drive.within_300us, "hardware.within-0.3ms", "% of requests", near, theirs);
  } else {
    out.add("hardware.within-0.3ms", "% of requests", near, theirs);
  }
}

}  // namespace elvcheck
