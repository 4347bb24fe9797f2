// SPDX-License-Identifier: GPL-2.0-or-later
// The flash model beside MQSim (A. Tavakkol and others, FAST 2018): mqsim/results.csv.
//
// The same drive (preset mqsim-nvme) under the same load: a fixed number of random 4 KiB requests in flight. "ideal" has
// room enough never to collect and is compared closely; on a full drive ("gcfull") collection is held to its size: how it is
// begun and in what bursts it runs is each simulator's own. Rows of reads on a partly filled drive are left out: there MQSim
// writes on reading.
#include <algorithm>
#include <cmath>

#include "model/core/random.hpp"
#include "model/device/preset.hpp"
#include "model/device/ssd/ssd.hpp"
#include "properties/case_file.hpp"
#include "reference/device/request_replay.hpp"
#include "reference/device/table.hpp"
#include "reference/device/validate.hpp"

namespace elvcheck {

namespace {

constexpr SectorCount request_sectors = 8;

// MQSim begins a "full" run in a state that it computes, not one that writes lead to: the collector's first victims have 38
// of 64 pages live, where greedy collection of this drive in its steady state finds 45. Discarding this share of the slots
// first gives that start. One fitted number; the three rows follow from it.
constexpr std::size_t discarded_permille = 81;

struct Load {
  Sector places = 1;  // requests begin at multiples of their length below this number
  std::uint64_t read_percent = 0;
  unsigned depth = 1;
  std::size_t count = 1;
};

struct Rates {
  double latency_us = 0;
  double iops = 0;
  double write_amplification = 0;
};

/// A drive under one load after another.
class LoadedSsd {
 public:
  explicit LoadedSsd(const std::vector<NamedValue>& parameters)
      : device_(make_device({.preset = mqsim_preset, .parameters = parameters})),
        ssd_(dynamic_cast<SsdDevice&>(*device_)),
        replay_(ssd_) {
    replay_.on_done = [this](std::size_t) { feed(); };
  }

  Sector places() const { return ssd_.info().capacity / request_sectors; }

  /// Writes the whole drive from end to end, then as much again at random places, and discards a share.
  void fill() {
    pattern_ = Pattern::in_order;
    play({.depth = 256, .count = places()});
    pattern_ = Pattern::random;
    play({.places = places(), .depth = 256, .count = places()});
    pattern_ = Pattern::discards;
    play({.places = places(), .depth = 256, .count = places() * discarded_permille / 1000});
    pattern_ = Pattern::random;
  }

  Rates run(const Load& load) {
    const SsdDevice::Work before = ssd_.work();
    const Nanoseconds began = replay_.now();
    const double latencies = play(load);
    const auto count = static_cast<double>(load.count);
    const auto written = static_cast<double>(ssd_.work().host_slots - before.host_slots);
    const auto moved = static_cast<double>(ssd_.work().moved_slots - before.moved_slots);
    return {latencies / count, count * 1e9 / static_cast<double>((replay_.now() - began).count()),
            written > 0 ? (written + moved) / written : 0};
  }

 private:
  enum class Pattern : std::uint8_t { random, in_order, discards };

  /// Returns the sum of the latencies in microseconds.
  double play(const Load& load) {
    load_ = load;
    double sum = 0;
    for (std::size_t done = 0; done < load.count; done += most_remembered) {
      left_ = std::min(load.count - done, most_remembered);
      for (unsigned i = 0; i < load.depth; ++i) feed();
      replay_.finish();
      for (const ReplayedRequest& request : replay_.requests())
        sum += static_cast<double>(request.response().count()) / 1000;
      replay_.forget();
    }
    return sum;
  }

  void feed() {
    if (left_ == 0) return;
    --left_;
    DeviceCommand command{.tag = 0, .op = Op::write, .sector = 0, .sectors = request_sectors};
    if (pattern_ == Pattern::discards) command.op = Op::discard;
    if (pattern_ == Pattern::random && random_.below(100) < load_.read_percent) command.op = Op::read;
    const Sector place = pattern_ == Pattern::in_order ? next_++ : random_.below(load_.places);
    command.sector = place * request_sectors;
    replay_.add(command, replay_.now());
  }

  static constexpr std::size_t most_remembered = 100'000;
  std::unique_ptr<Device> device_;
  SsdDevice& ssd_;
  RequestReplay replay_;
  SplitMix64 random_{1};
  Load load_;
  std::size_t left_ = 0;
  Sector next_ = 0;
  Pattern pattern_ = Pattern::random;
};

double percent_off(double ours, double theirs) { return std::fabs(100 * (ours / theirs - 1)); }

}  // namespace

void validate_mqsim(const std::string& folder, Measures& out) {
  const MeasureTable table(folder + "/mqsim/results.csv");
  const std::size_t config = table.column("config");
  const std::size_t depth = table.column("queue_depth");
  const std::size_t reads = table.column("read_pct");
  const std::size_t status = table.column("status");
  const std::size_t iops = table.column("iops");
  const std::size_t latency = table.column("mean_latency_us");
  const std::size_t amplification = table.column("write_amplification");
  const std::vector<NamedValue> roomy = {{"blocks_per_die", 2048}, {"pages_per_block", 256}, {"spare_percent", 7}};
  std::optional<LoadedSsd> empty;
  std::optional<LoadedSsd> full;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.word(row, status) != "ok") continue;
    const bool ideal = table.word(row, config) == "ideal";
    Load load;
    load.depth = static_cast<unsigned>(table.whole(row, depth));
    load.read_percent = table.whole(row, reads);
    if (load.depth == 0 || load.depth > 1023 || load.read_percent > 100)
      table.fail(row, "queue_depth 1..1023, read_pct 0..100");
    if (!ideal && (table.word(row, config) != "gcfull" || load.read_percent > 0)) continue;
    std::optional<LoadedSsd>& drive = ideal ? empty : full;
    if (ideal) drive.emplace(roomy);
    if (!drive) drive.emplace(std::vector<NamedValue>{}).fill();
    load.places = ideal ? drive->places() / 2 : drive->places();
    load.count = ideal ? 40'000 : table.whole(row, table.column("writes"));
    const Rates ours = drive->run(load);
    const std::string name = "mqsim." + std::string(table.word(row, config)) + ".depth-" + std::to_string(load.depth) +
                             ".reads-" + std::to_string(load.read_percent);
    const double latency_off = percent_off(ours.latency_us, table.fraction(row, latency));
    out.add(name + ".latency", "us", ours.latency_us, table.fraction(row, latency));
    out.at_most(ideal ? 3 : 30, name + ".latency-off", "%", latency_off);
    out.add(name + ".iops", "1/s", ours.iops, table.fraction(row, iops));
    if (ideal) out.at_most(3, name + ".iops-off", "%", percent_off(ours.iops, table.fraction(row, iops)));
    if (ideal) continue;
    out.add(name + ".write-amplification", "", ours.write_amplification, table.fraction(row, amplification));
    out.at_most(15, name + ".write-amplification-off", "%",
                percent_off(ours.write_amplification, table.fraction(row, amplification)));
  }
}

}  // namespace elvcheck
