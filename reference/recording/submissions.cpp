// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/submissions.hpp"

#include <map>
#include <optional>
#include <set>

namespace elvcheck {

namespace {

using Kind = SubmissionStep::Kind;

class Builder {
 public:
  explicit Builder(const Recording& recording) : recording_(recording) {}

  std::vector<SubmissionStep> run() {
    for (std::size_t i = 0; i < recording_.events.size(); ++i) step(i);
    return with_starts();
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  struct Process {
    bool plugged = false;
    BioId in_submission = 0;            // queued, and neither allocated nor merged yet
    std::size_t last_allocated = none;  // step of the last bio that got a request
    RequestId last_request = 0;
    std::size_t first_uninserted = none;  // step of the first bio since the last insertion (without plug events)
  };

  void step(std::size_t i) {
    const TraceEvent& event = recording_.events[i];
    const ProcessId running = recording_.running[i];
    switch (event.kind) {
      case EventKind::queue: {
        Process& process = processes_[event.process];
        process.in_submission = event.bio;
        step_of_[event.bio] = steps_.size();
        if (process.first_uninserted == none) process.first_uninserted = steps_.size();
        steps_.push_back({Kind::submit, event.at, event.process, i});
        break;
      }
      case EventKind::get_request: {
        Process& process = processes_[event.process];
        leave_submission(process, event.bio);
        const auto found = step_of_.find(event.bio);
        process.last_allocated = found == step_of_.end() ? none : found->second;
        process.last_request = event.request;
        if (process.plugged) plug_of_[event.request] = event.process;
        break;
      }
      case EventKind::back_merge:
      case EventKind::front_merge:
        leave_submission(processes_[event.process], event.bio);
        break;
      case EventKind::plug:
        plug(running);
        break;
      case EventKind::unplug:
        finish(running, event.at);
        break;
      case EventKind::timer_unplug: {
        Process& process = processes_[running];
        if (process.in_submission != 0) break;
        steps_.push_back({Kind::sleep, event.at, running, 0});
        if (process.plugged) finish(running, event.at);
        break;
      }
      case EventKind::insert:
        if (!recording_.has_plugs) finish_inferred(running, event.at);
        plug_of_.erase(event.request);
        break;
      case EventKind::issue: {
        const auto found = plug_of_.find(event.request);
        if (found != plug_of_.end()) {
          if (found->second == running) finish(running, event.at);
          plug_of_.erase(event.request);
        } else if (!recording_.has_plugs && !recording_.has_inserts) {
          finish_inferred(running, event.at);
        }
        break;
      }
      default:
        break;
    }
  }

  static void leave_submission(Process& process, BioId bio) {
    if (process.in_submission == bio) process.in_submission = 0;
  }

  void plug(ProcessId id) {
    Process& process = processes_[id];
    if (process.plugged || process.last_allocated == none) return;
    process.plugged = true;
    plug_before_.insert(process.last_allocated);
    plug_of_[process.last_request] = id;
  }

  void finish(ProcessId id, Nanoseconds at) {
    Process& process = processes_[id];
    if (!process.plugged) return;
    process.plugged = false;
    steps_.push_back({Kind::finish_plug, at, id, 0});
  }

  void finish_inferred(ProcessId id, Nanoseconds at) {
    Process& process = processes_[id];
    if (process.first_uninserted == none) return;
    plug_before_.insert(process.first_uninserted);
    process.first_uninserted = none;
    steps_.push_back({Kind::finish_plug, at, id, 0});
  }

  /// The steps with a start_plug before each marked submission.
  std::vector<SubmissionStep> with_starts() const {
    std::vector<SubmissionStep> all;
    all.reserve(steps_.size() + plug_before_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (plug_before_.contains(i)) all.push_back({Kind::start_plug, steps_[i].at, steps_[i].process, 0});
      all.push_back(steps_[i]);
    }
    return all;
  }

  const Recording& recording_;
  std::vector<SubmissionStep> steps_;
  std::set<std::size_t> plug_before_;  // submissions that found a plug just opened
  std::map<ProcessId, Process> processes_;
  std::map<BioId, std::size_t> step_of_;
  std::map<RequestId, ProcessId> plug_of_;
};

}  // namespace

std::vector<SubmissionStep> submission_steps(const Recording& recording) { return Builder(recording).run(); }

Nanoseconds wake_latency(const Recording& recording, Nanoseconds longest) {
  std::map<BioId, Nanoseconds> queued;
  std::optional<Nanoseconds> completion, shortest;
  for (const TraceEvent& event : recording.events) {
    if (event.kind == EventKind::queue) queued[event.bio] = event.at;
    if (event.kind == EventKind::complete) completion = event.at;
    if (event.kind != EventKind::get_request || !completion) continue;
    const auto found = queued.find(event.bio);
    if (found == queued.end() || found->second >= *completion) continue;
    const Nanoseconds latency = event.at - *completion;
    if (latency <= longest && (!shortest || latency < *shortest)) shortest = latency;
  }
  return shortest.value_or(Nanoseconds(0));
}

}  // namespace elvcheck
