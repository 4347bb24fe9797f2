// SPDX-License-Identifier: GPL-2.0-or-later
// What the schedulers achieve, in simulated time: every scheduler on every device preset under standard workloads.
//
// Manual time is virtual time: `real_time` is that of a run divided by the operations completed in it, says nothing about
// this machine and is the same everywhere, so compare.py shows what a change does to throughput.
// Counters: MB/s and IOPS over the run; median, 99th and worst latency from submission to completion; the smallest share
// that a process got over the fair one (1 is fair, 0 starved); the mean distance between the end of a command and the next
// one's start. A new scheduler or preset joins by its line in its own table. Compare two runs with Google Benchmark's
// compare.py; with --table the results are shown as one table for each device.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/device/preset.hpp"
#include "model/machine.hpp"

namespace {

using namespace elvcheck;

constexpr Nanoseconds length = 4s;  // of a run, in virtual time

ProcessOp stream(Op op, Sector from, SectorCount sectors, std::uint32_t depth) {
  ProcessOp step;
  step.op = op;
  step.sector = from;
  step.sectors = sectors;
  step.count = 1'000'000;
  step.depth = depth;
  return step;
}

ProcessOp random(Op op, Sector span, std::uint64_t seed, std::uint32_t depth) {
  ProcessOp step = stream(op, 0, 8, depth);
  step.span = span;
  step.seed = seed;
  return step;
}

/// A stream that begins again when it comes to the end of its part of the device.
std::vector<ProcessOp> endless(ProcessOp step, Sector part) {
  ProcessOp again;
  again.kind = ProcessOp::Kind::repeat;
  again.count = 1'000'000;
  step.count = static_cast<std::uint32_t>(std::min<Sector>(part / step.sectors, step.count));
  ProcessOp end;
  end.kind = ProcessOp::Kind::end;
  return {again, step, end};
}

using Processes = std::vector<std::vector<ProcessOp>>;

/// `readers` streams of 128 KiB reads, two in flight as with readahead, evenly spaced over the device.
Processes sequential_readers(Sector capacity, unsigned readers) {
  Processes processes;
  const Sector part = capacity / readers / 256 * 256;
  for (unsigned i = 0; i < readers; ++i) processes.push_back(endless(stream(Op::read, part * i, 256, 2), part));
  return processes;
}

struct Workload {
  const char* name;
  Processes (*make)(Sector capacity);
};

constexpr Workload workloads[] = {
    {"seq-1", [](Sector capacity) { return sequential_readers(capacity, 1); }},
    {"seq-2", [](Sector capacity) { return sequential_readers(capacity, 2); }},
    {"seq-8", [](Sector capacity) { return sequential_readers(capacity, 8); }},
    {"seq+random",
     [](Sector capacity) {
       Processes processes = sequential_readers(capacity, 1);
       processes.push_back({random(Op::read, capacity, 1, 1)});
       return processes;
     }},
    {"random-1", [](Sector capacity) { return Processes{{random(Op::read, capacity, 1, 1)}}; }},
    {"random-8", [](Sector capacity) { return Processes{{random(Op::read, capacity, 1, 8)}}; }},
    {"random-32", [](Sector capacity) { return Processes{{random(Op::read, capacity, 1, 32)}}; }},
    {"reads+async-writes",
     [](Sector capacity) {
       // A writer in the background keeps 64 pages on their way; nobody waits for a single one of them.
       return Processes{
           {random(Op::read, capacity, 1, 1)}, {random(Op::read, capacity, 2, 1)}, {random(Op::write, capacity, 3, 64)}};
     }},
    {"sync-writes",
     [](Sector capacity) {
       Processes processes;
       for (std::uint64_t i = 0; i < 4; ++i) {
         ProcessOp step = random(Op::write, capacity, i + 1, 1);
         step.flags = REQ_SYNC;
         processes.push_back({step});
       }
       return processes;
     }},
};

/// Latencies, bytes of each process, and seeks of one run.
class Figures : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override {
    switch (event.kind) {
      case EventKind::queue:
        bios_[event.bio] = {event.at, event.process, event.sectors * sector_bytes};
        break;
      case EventKind::get_request:
      case EventKind::back_merge:
      case EventKind::front_merge:
        requests_[event.request].push_back(event.bio);
        break;
      case EventKind::request_merge: {
        auto absorbed = requests_.extract(event.other).mapped();
        auto& bios = requests_[event.request];
        bios.insert(bios.end(), absorbed.begin(), absorbed.end());
        break;
      }
      case EventKind::issue:
        seeks_ += static_cast<double>(event.sector > head_ ? event.sector - head_ : head_ - event.sector);
        ++issues_;
        head_ = event.sector + event.sectors;
        break;
      case EventKind::complete: {
        const auto done = requests_.extract(event.request);
        for (const BioId bio : done.mapped()) complete(bio, event.at);
        break;
      }
      default:
        break;
    }
  }

  std::size_t operations() const { return latencies_.size(); }

  void report(benchmark::State& state, Nanoseconds span, std::size_t processes) {
    const double seconds = std::chrono::duration<double>(span).count();
    double total = 0;
    for (const auto& [process, bytes] : bytes_) total += static_cast<double>(bytes);
    double smallest = bytes_.size() < processes ? 0 : total;
    for (const auto& [process, bytes] : bytes_) smallest = std::min(smallest, static_cast<double>(bytes));
    std::sort(latencies_.begin(), latencies_.end());
    const auto us = [&](std::size_t percent) {
      if (latencies_.empty()) return 0.0;
      const std::size_t rank = (latencies_.size() * percent + 99) / 100;
      return static_cast<double>(latencies_[rank - 1].count()) / 1000;
    };
    state.counters["MB/s"] = total / seconds / 1e6;
    state.counters["IOPS"] = static_cast<double>(latencies_.size()) / seconds;
    state.counters["median_us"] = us(50);
    state.counters["p99_us"] = us(99);
    state.counters["worst_us"] = us(100);
    state.counters["least_share"] = total > 0 ? smallest * static_cast<double>(processes) / total : 0;
    state.counters["seek_sectors"] = issues_ > 0 ? seeks_ / static_cast<double>(issues_) : 0;
  }

 private:
  struct Submission {
    Nanoseconds at{0};
    ProcessId process = 0;
    std::uint64_t bytes = 0;
  };
  void complete(BioId bio, Nanoseconds at) {
    const Submission submission = bios_.extract(bio).mapped();
    latencies_.push_back(at - submission.at);
    bytes_[submission.process] += submission.bytes;
  }

  std::map<BioId, Submission> bios_;
  std::map<RequestId, std::vector<BioId>> requests_;
  std::map<ProcessId, std::uint64_t> bytes_;
  std::vector<Nanoseconds> latencies_;
  Sector head_ = 0;
  double seeks_ = 0;
  std::uint64_t issues_ = 0;
};

void simulate(benchmark::State& state, const char* scheduler, const char* device, const Workload& workload) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.device.preset = device;
  scenario.limit = length;
  for (auto& ops : workload.make(make_device(scenario.device)->info().capacity / 8 * 8))
    scenario.processes.push_back({"p" + std::to_string(scenario.processes.size()), {}, ops});
  for (auto _ : state) {
    Machine machine(scenario);
    Figures figures;
    machine.trace().add(figures);
    const Nanoseconds end = machine.run().end;
    const auto operations = static_cast<double>(std::max<std::size_t>(figures.operations(), 1));
    state.SetIterationTime(std::chrono::duration<double>(end).count() / operations);
    figures.report(state, end, scenario.processes.size());
  }
}

/// Throughput, 99th percentile and smallest share of every scheduler (columns) under every workload (rows).
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::string& name = run.run_name.function_name;
      const std::size_t first = name.find('/');
      const std::size_t second = name.find('/', first + 1);
      const std::string row = name.substr(0, second);
      const std::string column = name.substr(second + 1);
      if (std::find(rows_.begin(), rows_.end(), row) == rows_.end()) rows_.push_back(row);
      if (std::find(columns_.begin(), columns_.end(), column) == columns_.end()) columns_.push_back(column);
      const auto counter = [&](const char* key) { return static_cast<double>(run.counters.at(key)); };
      char cell[64];
      std::snprintf(cell, sizeof cell, "%.1f %.1f %.2f", counter("MB/s"), counter("p99_us") / 1000, counter("least_share"));
      cells_[{row, column}] = cell;
    }
  }

  void Finalize() override {
    std::ostream& out = GetOutputStream();
    const auto line = [&](const std::string& head, const auto& cell) {
      out << std::left << std::setw(20) << head;
      for (const std::string& column : columns_) out << std::right << std::setw(17) << cell(column);
      out << '\n';
    };
    std::string device;
    for (const std::string& row : rows_) {
      const std::size_t slash = row.find('/');
      if (row.substr(0, slash) != device) {
        device = row.substr(0, slash);
        out << '\n' << device << ": MB/s, 99th percentile of latency in ms, smallest share over the fair one\n\n";
        line("", [](const std::string& column) { return column; });
      }
      line(row.substr(slash + 1), [&](const std::string& column) { return cells_[{row, column}]; });
    }
  }

 private:
  std::vector<std::string> rows_;  // device/workload
  std::vector<std::string> columns_;
  std::map<std::pair<std::string, std::string>, std::string> cells_;
};

void register_all() {
  for (const DevicePreset& device : device_presets()) {
    for (const Workload& workload : workloads) {
      for (const SchedulerInfo& scheduler : schedulers()) {
        const std::string name = std::string(device.name) + "/" + workload.name + "/" + scheduler.name;
        benchmark::RegisterBenchmark(name.c_str(), simulate, scheduler.name, device.name, workload)
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto is_table = [](const char* argument) { return std::string_view(argument) == "--table"; };
  char** const end = std::remove_if(argv + 1, argv + argc, is_table);
  const bool table = end != argv + argc;
  argc = static_cast<int>(end - argv);
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(table ? &reporter : nullptr);
}
