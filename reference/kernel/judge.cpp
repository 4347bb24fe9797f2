// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/judge.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace elvcheck::kernel {

namespace {

using nlohmann::json;

constexpr std::array<KernelProperty, 7> statements{{
    {"kernel.no-crash", "The scheduler's code touches only memory that is its own."},
    {"kernel.no-bug",
     "The scheduler's code never runs into BUG_ON, and needs nothing that the kernel does not provide it with."},
    {"kernel.locks", "Every lock is taken and released in turn, and none is held when an event ends."},
    {"kernel.no-hang", "Every event ends."},
    {"kernel.no-warning", "The scheduler's code never runs into WARN_ON."},
    {"kernel.no-leak", "When the queue and its processes are gone, so is all that was allocated for them."},
    {"kernel.engaged", "Requests pass through the scheduler, not around it."},
}};

std::string property_of(const Accident& accident) {
  switch (accident.kind) {
    case Accident::Kind::crash:
      return "kernel.no-crash";
    case Accident::Kind::hang:
      return "kernel.no-hang";
    case Accident::Kind::trouble:
      return accident.trouble == Trouble::lock ? "kernel.locks" : "kernel.no-bug";
  }
  return "kernel.no-crash";
}

/// A hash of what the device is handed (FNV-1a over the fields).
class IssueHasher final : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override {
    if (event.kind != EventKind::issue) return;
    for (const std::uint64_t value : {static_cast<std::uint64_t>(event.at.count()), static_cast<std::uint64_t>(event.op),
                                      event.sector, std::uint64_t{event.sectors}, static_cast<std::uint64_t>(event.process)})
      hash_ = (hash_ ^ value) * 0x100000001B3U;
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

/// In the child: the properties, and what the kernel's own books say.
std::string judge_in_child(KernelSet& kernel, const Scenario& scenario, std::string_view glob, bool once) {
  KernelModule& module = kernel.module(scenario.block.hz);
  const auto before = module.statistics();
  json verdicts = json::array();
  const auto add = [&](std::string_view name, std::uint64_t judged, const std::string& rule, const std::string& message) {
    if (glob_match(glob, name)) verdicts.push_back({name, judged, rule, message});
  };
  IssueHasher issues;
  {
    const BehindTheSeam seam(kernel.seam());
    const JudgeOptions options{glob, true, once, [&](const RunFacts&) -> TraceListener& { return issues; }};
    for (const Verdict& verdict : judge_run(scenario, options)) {
      verdicts.push_back({verdict.property->name, verdict.judged, verdict.violation ? verdict.violation->rule : "",
                          verdict.violation ? verdict.violation->message : ""});
    }
  }
  const auto after = module.statistics();
  const std::uint64_t warnings = after.warnings - before.warnings;
  add("kernel.no-warning", 1, warnings == 0 ? "" : "warning",
      std::to_string(warnings) + " warnings: " + module.last_warning());
  const long leaked = after.live_objects - before.live_objects;
  add("kernel.no-leak", 1, leaked == 0 ? "" : "leak", std::to_string(leaked) + " objects outlive the queue");
  const bool idle = after.issued == before.issued || kernel.scheduler() == "none";
  add("kernel.engaged", idle ? 0 : 1, idle || after.scheduled != before.scheduled ? "" : "bypassed",
      "no request carried a scheduler's tag");
  for (const char* name : {"kernel.no-crash", "kernel.no-bug", "kernel.locks", "kernel.no-hang"}) add(name, 1, "", "");
  return json{issues.hash(), verdicts}.dump(-1, ' ', false, json::error_handler_t::replace);
}

KernelJudgement read_judgement(const std::string& text) {
  KernelJudgement judgement;
  const json read = json::parse(text);
  judgement.issues = read.at(0);
  for (const json& each : read.at(1)) judgement.verdicts.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  return judgement;
}

}  // namespace

std::span<const KernelProperty> kernel_properties() { return statements; }

std::string statement_of(std::string_view property) {
  for (const KernelProperty& own : statements) {
    if (own.name == property) return own.statement;
  }
  const Property* const known = find_property(property);
  return known == nullptr ? "" : known->statement;
}

void judge_on_kernel(KernelSet& kernel, std::uint64_t count, const std::function<Scenario(std::uint64_t)>& scenario,
                     std::string_view glob, const std::function<void(std::uint64_t, const KernelJudgement&)>& each,
                     const ContainLimits& limits, const std::function<bool()>& stop) {
  run_contained(
      count, [&](std::uint64_t piece) { return judge_in_child(kernel, scenario(piece), glob, piece == 0); },
      [&](std::uint64_t piece, const std::string& text) { each(piece, read_judgement(text)); },
      [&](std::uint64_t piece, const Accident& accident) {
        std::string rule = accident.kind == Accident::Kind::trouble ? std::string(to_string(accident.trouble)) : "accident";
        each(piece, {{KernelVerdict{property_of(accident), 1, std::move(rule), accident.text}}, 0});
      },
      limits, stop);
}

std::vector<KernelVerdict> judge_on_kernel(KernelSet& kernel, const Scenario& scenario, std::string_view glob,
                                           const ContainLimits& limits) {
  std::vector<KernelVerdict> verdicts;
  try {
    judge_on_kernel(
        kernel, 1, [&](std::uint64_t) { return scenario; }, glob,
        [&](std::uint64_t, const KernelJudgement& judgement) { verdicts = judgement.verdicts; }, limits);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  return verdicts;
}

bool violates_on_kernel(KernelSet& kernel, const Scenario& scenario, const std::string& property, const std::string& rule,
                        const ContainLimits& limits) {
  try {
    const std::vector<KernelVerdict> verdicts = judge_on_kernel(kernel, scenario, property, limits);
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const KernelVerdict& verdict) { return verdict.property == property && verdict.rule == rule; });
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace elvcheck::kernel
