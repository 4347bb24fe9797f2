// SPDX-License-Identifier: GPL-2.0-or-later
// A fio job under every scheduler: what the properties say, and the figures that fio would print. The keys of the JSON
// report are fio's own (read/write, iops, bw_bytes, clat_ns with mean, max and percentile), so that existing plotting
// scripts find them.
#include "checker/cli/job.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/report/failure.hpp"
#include "checker/report/meter.hpp"
#include "model/core/stop.hpp"
#include "model/workload/fio_job.hpp"
#include "properties/case_file.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

double per_second(std::uint64_t amount, Nanoseconds span) {
  return span.count() > 0 ? static_cast<double>(amount) * 1e9 / static_cast<double>(span.count()) : 0;
}

std::string milliseconds(Nanoseconds time) { return fmt::format("{:.3f}", static_cast<double>(time.count()) / 1e6); }

nlohmann::ordered_json fio_keys(const LatencyFigures& figures, Nanoseconds span) {
  return {{"total_ios", figures.operations},
          {"io_bytes", figures.bytes},
          {"iops", per_second(figures.operations, span)},
          {"bw_bytes", per_second(figures.bytes, span)},
          {"clat_ns",
           {{"mean", figures.mean.count()},
            {"max", figures.max.count()},
            {"percentile", {{"99.000000", figures.p99.count()}}}}}};
}

}  // namespace

JobOutcome run_job(const JobPlan& plan) {
  const FioJobs jobs = parse_fio_job(read_text(plan.file), plan.file);
  Scenario scenario;
  scenario.processes = jobs.processes;
  if (jobs.limit) scenario.limit = *jobs.limit;
  scenario.device = plan.device;
  JobOutcome outcome;
  std::vector<std::vector<std::string>> rows = {
      {"scheduler", "held", "violated", "IOPS", "MB/s", "mean ms", "p99 ms", "max ms"}};
  const StopWhen stop(interrupted);
  for (const SchedulerInfo* scheduler : plan.schedulers) {
    if (interrupted()) break;
    scenario.scheduler = scheduler->name;
    Result result;
    result.kind = "Job";
    result.name = std::filesystem::path(plan.file).stem().string() + "." + scheduler->name;
    result.scheduler = scheduler->name;
    result.device = plan.device.preset;
    result.workload = plan.file;
    const auto start = thread_time();
    Meter meter;
    try {
      for (const Verdict& verdict : judge_scenario(scenario, plan.glob)) {
        if (verdict.judged == 0 && !verdict.violation) continue;
        ++result.judged;
        if (!verdict.violation) continue;
        if (result.violations == 0) {
          result.replay = fmt::format("elvcheck run --job {} --scheduler {} --device {}", shell_word(plan.file),
                                      scheduler->name, format_device(plan.device));
          result.detail = fmt::format("{}: {}", verdict.property->name, verdict.violation->message);
          result.report = failure_report(*verdict.property, *verdict.violation, scenario, result.replay, "");
        }
        ++result.violations;
        result.outcome = Outcome::violated;
      }
      Machine machine(scenario);
      machine.trace().add(meter);
      machine.run();
    } catch (const RunStopped&) {
      break;
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {} ({})", plan.file, error.what(), format_device(plan.device)));
    }
    result.time = thread_time() - start;
    const LatencyFigures all = meter.all();
    rows.push_back({scheduler->name, std::to_string(result.judged - result.violations), std::to_string(result.violations),
                    fmt::format("{:.0f}", per_second(all.operations, meter.span())),
                    fmt::format("{:.1f}", per_second(all.bytes, meter.span()) / 1e6), milliseconds(all.mean),
                    milliseconds(all.p99), milliseconds(all.max)});
    result.extra = {{"read", fio_keys(meter.reads(), meter.span())}, {"write", fio_keys(meter.writes(), meter.span())}};
    outcome.results.push_back(std::move(result));
  }
  outcome.table = fmt::format("\n{} on {}\n{}", plan.file, format_device(plan.device), format_table(rows, "  "));
  for (const std::string& note : jobs.notes) outcome.table += fmt::format("  note: {}\n", note);
  return outcome;
}

}  // namespace elvcheck
