// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck trace FILE`: what a recording of a real machine shows, whether it keeps the properties, whether the model of its
// scheduler would have issued the same requests at the same times, and what every other scheduler would have made of the
// stream.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/cli/data_files.hpp"
#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "checker/cli/recordings.hpp"
#include "checker/cli/worker_pool.hpp"
#include "checker/report/meter.hpp"

namespace elvcheck {
namespace {

struct TraceOptions {
  OutputOptions output;
  std::string file;
  std::string scheduler;
  std::string device;
  std::string settings;
  unsigned hz = 0;  // 0: from the settings, else the default
  std::string glob;
};

std::string milliseconds(Nanoseconds time) { return fmt::format("{:.3f}", static_cast<double>(time.count()) / 1e6); }

std::optional<RecordingSettings> load_settings(const TraceOptions& options) {
  if (options.settings.empty()) return read_settings(options.file);
  return parse_settings(read_text(options.settings), options.settings);
}

class TraceCommand {
 public:
  explicit TraceCommand(const TraceOptions& options) : options_(options), reporter_(options.output) {
    report_.command = "trace";
    if (!options.scheduler.empty()) scheduler_ = scheduler_by_name(options.scheduler).name;
    if (!options.device.empty()) device_ = parse_device_spec(options.device);
  }

  int execute() {
    require_match();
    recording_ = read_recording(options_.file);
    settings_ = load_settings(options_);
    if (options_.hz != 0) {
      if (!settings_) settings_.emplace().path = "--hz";
      settings_->block.hz = options_.hz;
    }
    if (!reporter_.quiet()) describe();
    judge();
    report_.summary = {{"issues", 0}, {"in_order", 0}, {"within_2us", 0}};
    if (!interrupted()) compare();
    if (!interrupted()) other_schedulers();
    report_.interrupted = interrupted();
    return reporter_.finish(report_);
  }

 private:
  void require_match() const {
    for (const Property& property : properties()) {
      if (glob_match(options_.glob, property.name)) return;
    }
    throw InputError(fmt::format("no property matches '{}'; see elvcheck list properties", options_.glob));
  }

  void describe() {
    const Nanoseconds length = recording_.events.empty() ? Nanoseconds(0) : recording_.events.back().at;
    std::string text = fmt::format("recording {}: {}, {} events in {} ms", options_.file, to_string(recording_.format),
                                   recording_.events.size(), milliseconds(length));
    if (recording_.device != DeviceNumber{}) text += ", device " + to_string(recording_.device);
    text += "\n";
    std::vector<std::string> names;
    for (const auto& [process, name] : recording_.process_names) names.push_back(fmt::format("{} {}", process, name));
    if (!names.empty()) {
      const std::size_t shown = std::min<std::size_t>(names.size(), 8);
      text +=
          fmt::format("processes {}{}\n", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                      names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
    }
    if (settings_) {
      text += fmt::format("settings  {}: scheduler {}{}\n", settings_->path,
                          settings_->scheduler.empty() ? "not said" : settings_->scheduler,
                          settings_->device ? ", device " + settings_->device->preset : "");
    } else {
      text += "settings  none beside the recording (--settings FILE gives them)\n";
    }
    for (const std::string& warning : recording_.warnings) text += fmt::format("note      {}\n", warning);
    reporter_.print(text + "\n");
  }

  void judge() {
    const RunFacts facts = recording_facts(recording_, settings_);
    for (const Verdict& verdict : judge_recording(recording_, facts, options_.glob)) {
      Result result;
      result.name = verdict.property->name;
      if (facts.scheduler != nullptr) result.scheduler = facts.scheduler->name;
      result.workload = options_.file;
      result.judged = verdict.judged;
      if (verdict.judged == 0) result.outcome = Outcome::skipped;
      if (verdict.violation) {
        result.outcome = Outcome::violated;
        result.violations = 1;
        result.detail = verdict.violation->message;
        result.replay = "elvcheck trace " + shell_word(options_.file);
        result.report = fmt::format("  promise   {}\n  source    {}\n  violated  {}\n            at {} ms\n",
                                    verdict.property->statement, verdict.property->source, result.detail,
                                    milliseconds(verdict.violation->at));
      }
      reporter_.print_result(result);
      report_.results.push_back(std::move(result));
    }
  }

  void compare() {
    std::optional<ReplayCheck> check;
    try {
      check = check_replay(recording_, settings_, scheduler_, device_);
    } catch (const InputError& error) {
      reporter_.print(fmt::format("\nno comparison: {}\n", error.what()));
      return;
    }
    const Comparison& comparison = check->comparison;
    if (comparison.issues == 0) {
      reporter_.print("\nno comparison: the recording shows no issue to the device\n");
      return;
    }
    report_.summary = {
        {"issues", comparison.issues}, {"in_order", comparison.in_order}, {"within_2us", comparison.within_2us}};
    const auto percent = [&](std::size_t part) {
      return comparison.issues == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(comparison.issues);
    };
    std::string text =
        fmt::format("\nreplay under {} on {}\n", check->setup.scheduler,
                    check->setup.answers == ReplayDevice::model ? check->setup.device.preset : "the recorded device times");
    if (!reporter_.quiet()) {
      for (const std::string& note : check->setup.notes) text += fmt::format("  note      {}\n", note);
    }
    text += fmt::format("  issues    {} recorded, {} replayed, {} the same request\n", comparison.issues,
                        comparison.replayed, comparison.matched);
    text += fmt::format("  in order  {} ({:.2f} %)\n  in time   {} within 2 us ({:.2f} %), largest shift {} ms\n",
                        comparison.in_order, percent(comparison.in_order), comparison.within_2us,
                        percent(comparison.within_2us), milliseconds(comparison.largest_shift));
    const std::string divergence = first_divergence(recording_, *check);
    text += divergence.empty() ? "  recording and replay never part\n" : "  they first part here:\n" + divergence;
    reporter_.print(text);
  }

  /// The same submissions under every scheduler on one device; the recorded row is measured on the recording.
  void other_schedulers() {
    std::vector<std::vector<std::string>> rows = {
        {"scheduler", "operations", "mean ms", "p99 ms", "max ms", "reads mean ms", "writes mean ms", "last done ms"}};
    const auto row = [&](std::string name, const std::vector<TraceEvent>& events) {
      Meter meter;
      for (const TraceEvent& event : events) meter.on_event(event);
      const LatencyFigures all = meter.all();
      if (all.operations == 0) return all;  // a fio iolog records no completions
      rows.push_back({name, std::to_string(all.operations), milliseconds(all.mean), milliseconds(all.p99),
                      milliseconds(all.max), milliseconds(meter.reads().mean), milliseconds(meter.writes().mean),
                      milliseconds(meter.span())});
      return all;
    };
    row("(recorded)", recording_.events);
    std::string device;
    for (const SchedulerInfo& scheduler : schedulers()) {
      if (interrupted()) break;
      ReplaySetup setup = choose_setup(recording_, settings_, scheduler.name);
      if (device_) setup.device = *device_;
      setup.answers = ReplayDevice::model;
      device = setup.device.preset;
      const auto start = thread_time();
      const LatencyFigures all = row(scheduler.name, replay(recording_, setup).events);
      Result result;
      result.kind = "Stream";
      result.name = std::string("stream.") + scheduler.name;
      result.scheduler = scheduler.name;
      result.device = device;
      result.workload = options_.file;
      result.judged = all.operations;
      result.time = thread_time() - start;
      result.extra = {
          {"mean_latency_ns", all.mean.count()}, {"p99_latency_ns", all.p99.count()}, {"max_latency_ns", all.max.count()}};
      report_.results.push_back(std::move(result));
    }
    reporter_.print(
        fmt::format("\nthe same stream (submitted at the recorded times) on {}\n{}", device, format_table(rows, "  ")));
  }

  TraceOptions options_;
  Reporter reporter_;
  Report report_;
  std::string scheduler_;
  std::optional<DeviceSpec> device_;
  Recording recording_;
  std::optional<RecordingSettings> settings_;
};

}  // namespace

Command make_trace_command(CLI::App& program) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* app =
      program.add_subcommand("trace", "Read a recording: blkparse text, blktrace, ftrace or fio iolog, also gzipped");
  app->add_option("FILE", options->file, "A file; for blktrace also the common prefix or folder of NAME.blktrace.N")
      ->required()
      ->type_name("");
  app->add_option("GLOB", options->glob, "Properties to judge")->type_name("");
  app->add_option("--scheduler", options->scheduler, "Compare with this model (default: the recorded scheduler)")
      ->type_name("NAME");
  app->add_option("--device", options->device, "The device model: NAME[:PARAMETER=VALUE,...]")->type_name("DEVICE");
  app->add_option("--settings", options->settings,
                  "Scheduler, tunables and device of the recording (default: NAME.md beside it)")
      ->type_name("FILE");
  app->add_option("--hz", options->hz, "CONFIG_HZ of the recorded kernel, which no recording says (default: the settings, or 250)")
      ->check(CLI::Range(24, 1000));
  add_output_options(*app, options->output, false);
  app->footer("Exit codes: 0 the properties hold on the recording, 1 one does not, 2 a file that cannot be read.");
  return {app, [options] { return TraceCommand(*options).execute(); }};
}

}  // namespace elvcheck
