// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/conform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "model/core/random.hpp"
#include "model/device/preset.hpp"
#include "properties/generator.hpp"
#include "properties/minimize.hpp"
#include "reference/kernel/trace_text.hpp"

namespace elvcheck::kernel {

namespace {

/// What the comparison looks at: requests handed to the device, and taken back.
class IssueKeeper final : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::issue || event.kind == EventKind::requeue) events.push_back(event);
  }
  std::vector<TraceEvent> events;
};

bool same(const TraceEvent& a, const TraceEvent& b) {
  // The flush command is nobody's in the kernel.
  return a.at == b.at && a.kind == b.kind && a.op == b.op && a.sector == b.sector && a.sectors == b.sectors &&
         (a.op == Op::flush || (a.process == b.process && a.flags == b.flags));
}

std::vector<TraceEvent> issues_of(const Scenario& scenario) {
  Machine machine(scenario);
  IssueKeeper keeper;
  machine.trace().add(keeper);
  machine.run();
  return std::move(keeper.events);
}

struct LogLine {
  Nanoseconds at;
  std::string text;
};

std::string describe_difference(KernelSet& kernel, const Scenario& scenario) {
  constexpr std::size_t before = 6;  // events shown
  constexpr std::size_t after = 4;
  constexpr std::size_t most_log_lines = 24;
  const std::vector<TraceEvent> model = issues_of(scenario);
  std::vector<LogLine> log;
  std::vector<TraceEvent> real;
  {
    const BehindTheSeam seam(kernel.seam([&](Nanoseconds at, const std::string& text) { log.push_back({at, text}); }));
    real = issues_of(scenario);
  }
  const auto differ = std::mismatch(model.begin(), model.end(), real.begin(), real.end(), same);
  if (differ.first == model.end() && differ.second == real.end()) return "";
  const auto at = static_cast<std::size_t>(differ.first - model.begin());
  std::string text = fmt::format("issue {} of {} (model) and {} (kernel)\n  {:<58}   {}\n", at + 1, model.size(),
                                 real.size(), "model", "kernel");
  const auto line = [](const std::vector<TraceEvent>& events, std::size_t i) {
    return i < events.size() ? to_line(events[i]) : std::string();
  };
  for (std::size_t i = at > before ? at - before : 0; i < at + after && (i < model.size() || i < real.size()); ++i)
    text += fmt::format("{} {:<58} | {}\n", i == at ? '>' : ' ', line(model, i), line(real, i));
  // The log between the last equal issue and the first that differs.
  const Nanoseconds from = at > 0 ? real[std::min(at, real.size()) - 1].at : Nanoseconds(0);
  const Nanoseconds to = std::max(from, at < real.size() ? real[at].at : from);
  std::vector<std::string> lines;
  for (const LogLine& each : log) {
    if (each.at >= from && each.at <= to) lines.push_back("  " + log_line(each.at, each.text));
  }
  if (!lines.empty()) text += fmt::format("the kernel's {} log:\n", kernel.scheduler());
  if (lines.size() > most_log_lines) {
    text += fmt::format("  ... {} lines before\n", lines.size() - most_log_lines);
    lines.erase(lines.begin(), lines.end() - most_log_lines);
  }
  for (const std::string& each : lines) text += each;
  return text;
}

/// Runs one piece in a child and hands its text back; an accident becomes a text that begins with "!".
std::string contained(const std::function<std::string()>& body, const ContainLimits& limits) {
  std::string result;
  try {
    run_contained(
        1, [&](std::uint64_t) { return body(); }, [&](std::uint64_t, const std::string& text) { result = text; },
        [&](std::uint64_t, const Accident& accident) {
          result = "!the kernel's code did not finish: " + accident.text + "\n";
        },
        limits);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  return result;
}

/// kyber: what it does depends on thousands of requests before.
bool adapts_to_latency(const SchedulerInfo& scheduler) {
  return std::any_of(scheduler.tunables.begin(), scheduler.tunables.end(),
                     [](const TunableInfo& tunable) { return std::string_view(tunable.name) == "read_lat_nsec"; });
}

/// Makes a long stream of a short one: every process keeps eight requests in flight on a device that takes many, as long as
/// a scheduler needs to count 500 latencies of each direction several times; latency targets are of very different size.
void press(Scenario& scenario, SplitMix64 numbers) {
  constexpr std::uint32_t requests = 4000;
  constexpr std::uint32_t a_round = 50;
  constexpr std::array<std::int64_t, 4> targets = {100'000, 2'000'000, 10'000'000, 1'000'000'000};  // ns
  const auto set_value = [](std::vector<NamedValue>& values, const char* name, std::int64_t value) {
    std::erase_if(values, [&](const NamedValue& each) { return each.name == name; });
    values.push_back({name, value});
  };
  for (const char* name : {"read_lat_nsec", "write_lat_nsec"})
    set_value(scenario.tunables, name, targets[numbers.below(targets.size())]);
  set_value(scenario.device.parameters, "queue_depth", 31);
  scenario.block.refuse_every = 0;
  for (ProcessSpec& process : scenario.processes) {
    ProcessOp loop;
    loop.kind = ProcessOp::Kind::repeat;
    loop.count = requests / a_round / static_cast<std::uint32_t>(scenario.processes.size());
    ProcessOp io;
    io.op = numbers.below(2) == 0 ? Op::read : Op::write;
    io.sectors = 8;
    io.count = a_round;
    io.depth = 8;
    io.span = 1U << 16;
    io.seed = 1 + numbers.below(1U << 20);
    ProcessOp end;
    end.kind = ProcessOp::Kind::end;
    process.ops = {loop, io, end};
  }
}

/// In the child: "=N" when equal with N requests, "#" otherwise.
std::string compare_in_child(KernelSet& kernel, const Scenario& scenario) {
  const std::vector<TraceEvent> model = issues_of(scenario);
  const BehindTheSeam seam(kernel.seam());
  const std::vector<TraceEvent> real = issues_of(scenario);
  const bool equal = std::equal(model.begin(), model.end(), real.begin(), real.end(), same);
  return (equal ? "=" : "#") + std::to_string(real.size());
}

/// Features are the model's; the kernel has what its version has.
void drop_features(Scenario& scenario, const SchedulerInfo& model) {
  std::erase_if(scenario.tunables, [&](const NamedValue& tunable) {
    return std::any_of(model.tunables.begin(), model.tunables.end(),
                       [&](const TunableInfo& info) { return info.feature && tunable.name == info.name; });
  });
}

}  // namespace

std::vector<DeviceSpec> conform_devices() {
  return {{"flat", {}},
          {"seek", {}},
          {"flat-ssd", {}},
          {"flat", {{"volatile_cache", 1}, {"queue_depth", 2}}},
          {"flat", {{"volatile_cache", 1}, {"fua", 1}, {"queue_depth", 4}}}};
}

Scenario conform_scenario(const ConformPlan& plan, std::uint64_t index) {
  constexpr std::uint64_t rounds_to_a_long_stream = 100;
  const DeviceSpec& device = plan.devices[index % plan.devices.size()];
  const Sector capacity = make_device(device)->info().capacity;
  const std::uint64_t round = index / plan.devices.size();
  Scenario scenario = generate_scenario(plan.seed, round, *plan.model, device, capacity, plan.max_ios);
  scenario.block.blk_cgroup = false;  // the harness is built without control groups
  drop_features(scenario, *plan.model);
  if (adapts_to_latency(*plan.model) && round % rounds_to_a_long_stream == rounds_to_a_long_stream - 1)
    press(scenario, SplitMix64(plan.seed ^ index << 20));
  return scenario;
}

bool conforms(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits) {
  return contained([&] { return compare_in_child(kernel, scenario); }, limits).starts_with("=");
}

std::string difference(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits) {
  std::string text = contained([&] { return describe_difference(kernel, scenario); }, limits);
  return text.starts_with("!") ? text.substr(1) : text;
}

ConformOutcome conform(const ConformPlan& plan, const std::function<void(std::uint64_t)>& progress,
                       const std::function<bool()>& stop) {
  KernelSet& kernel = *plan.kernel;
  ConformOutcome outcome;
  const auto note = [&](std::uint64_t piece, bool exact) {
    ++outcome.streams;
    outcome.exact += exact;
    if (!exact && !outcome.first) outcome.first = piece;
    if (progress) progress(outcome.streams);
  };
  run_contained(
      plan.scenarios.empty() ? plan.cases : plan.scenarios.size(),
      [&](std::uint64_t piece) {
        return compare_in_child(kernel, plan.scenarios.empty() ? conform_scenario(plan, piece) : plan.scenarios[piece]);
      },
      [&](std::uint64_t piece, const std::string& text) {
        outcome.requests += std::strtoull(text.c_str() + 1, nullptr, 10);
        note(piece, text.starts_with("="));
      },
      [&](std::uint64_t piece, const Accident&) { note(piece, false); }, plan.limits, stop);
  if (outcome.first && !(stop && stop())) {
    CaseFile value;
    value.scenario = plan.scenarios.empty() ? conform_scenario(plan, *outcome.first) : plan.scenarios[*outcome.first];
    const auto differs = [&](const Scenario& scenario) {
      try {
        return !conforms(kernel, scenario, plan.limits);
      } catch (const std::invalid_argument&) {
        return false;
      }
    };
    outcome.smallest = value.scenario;
    if (differs(value.scenario)) outcome.smallest = minimize_case(value, differs, {plan.minimize_runs, stop}).value.scenario;
    outcome.difference = difference(kernel, *outcome.smallest, plan.limits);
  }
  return outcome;
}

}  // namespace elvcheck::kernel
