// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/replay.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "model/device/preset.hpp"
#include "reference/recording/recorded_device.hpp"
#include "reference/recording/submissions.hpp"

namespace elvcheck {

namespace {

/// Shares of inserted requests below which a queue is taken to have no scheduler.
constexpr std::size_t few_inserts = 20;

/// Plays the steps into a block layer.
class Player final : public BlockLayerHost, private Actor {
 public:
  Player(const Recording& recording, EventQueue& events, Nanoseconds origin)
      : recording_(recording),
        events_(events),
        steps_(submission_steps(recording)),
        origin_(origin),
        wake_latency_(wake_latency(recording, RecordedDevice::longest_turnaround)) {
    for (const SubmissionStep& step : steps_) {
      if (step.kind != SubmissionStep::Kind::submit) continue;
      const TraceEvent& queued = recording_.events[step.event];
      Bio& bio = bios_.emplace_back();
      bio.id = static_cast<BioId>(bios_.size());
      bio.process = step.process;
      bio.op = queued.op;
      bio.flags = queued.flags;
      bio.ioprio = queued.ioprio;
      bio.sector = queued.sector;
      bio.sectors = queued.sectors;
      bio_of_step_[&step - steps_.data()] = &bio;
    }
    last_run_ = steps_.size();
    burst_last_.resize(steps_.size());
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const bool goes_on = i + 1 < steps_.size() && steps_[i + 1].process == steps_[i].process &&
                           steps_[i + 1].at - steps_[i].at <= RecordedDevice::longest_turnaround;
      burst_last_[i] = goes_on ? burst_last_[i + 1] : i;
    }
  }

  bool empty() const { return bios_.empty(); }

  void start(BlockLayer& layer) {
    layer_ = &layer;
    for (std::size_t i = 0; i < steps_.size(); ++i) events_.schedule(origin_ + steps_[i].at, Rank::host, *this, i);
  }

  void bio_done(Bio&) override {}
  void wake(ProcessId process) override {
    events_.schedule(events_.now() + wake_latency_, Rank::host, *this, wake_bit | to_bits(process));
  }

 private:
  static constexpr std::uint64_t wake_bit = std::uint64_t{1} << 63;

  struct Process {
    bool blocked = false;
    std::deque<std::size_t> late;  // steps whose time has passed while it was blocked
  };

  static std::uint64_t to_bits(ProcessId process) { return static_cast<std::uint32_t>(process); }

  void on_event(std::uint64_t what) override {
    if ((what & wake_bit) != 0) {
      const auto id = static_cast<ProcessId>(static_cast<std::uint32_t>(what));
      if (const auto free = cpu_free_at(); free > events_.now()) {
        events_.schedule(free, Rank::host, *this, what);
        return;
      }
      Process& process = processes_[id];
      process.blocked = layer_->resume(id) == Submission::blocked;
      while (!process.blocked && !process.late.empty()) {
        const std::size_t next = process.late.front();
        process.late.pop_front();
        run(process, next);
      }
      return;
    }
    Process& process = processes_[steps_[what].process];
    if (process.blocked)
      process.late.push_back(what);
    else
      run(process, what);
  }

  /// When the process that is running now lets the only CPU go: at the last step of its burst, unless it is blocked by then.
  Nanoseconds cpu_free_at() const {
    if (recording_.cpus != 1 || last_run_ == steps_.size()) return events_.now();
    const auto found = processes_.find(steps_[last_run_].process);
    if (found != processes_.end() && found->second.blocked) return events_.now();
    return origin_ + steps_[burst_last_[last_run_]].at;
  }

  void run(Process& process, std::size_t index) {
    const SubmissionStep& step = steps_[index];
    last_run_ = index;
    switch (step.kind) {
      case SubmissionStep::Kind::submit:
        process.blocked = layer_->submit(*bio_of_step_.at(static_cast<std::ptrdiff_t>(index))) == Submission::blocked;
        break;
      case SubmissionStep::Kind::start_plug:
        layer_->start_plug(step.process);
        break;
      case SubmissionStep::Kind::finish_plug:
        layer_->finish_plug(step.process);
        break;
      case SubmissionStep::Kind::sleep:
        layer_->process_sleeps(step.process, true);
        break;
    }
  }

  const Recording& recording_;
  EventQueue& events_;
  std::vector<SubmissionStep> steps_;
  std::vector<std::size_t> burst_last_;  // for each step, the last one of the same burst
  std::size_t last_run_ = 0;             // the step that was run last; steps_.size(): none yet
  Nanoseconds origin_;
  Nanoseconds wake_latency_;
  std::deque<Bio> bios_;
  std::map<std::ptrdiff_t, Bio*> bio_of_step_;
  std::map<ProcessId, Process> processes_;
  BlockLayer* layer_ = nullptr;
};

/// Keeps the events, with times from the recording's first one.
class ShiftedKeeper final : public TraceListener {
 public:
  explicit ShiftedKeeper(Nanoseconds origin) : origin_(origin) {}
  void on_event(const TraceEvent& event) override {
    events.push_back(event);
    events.back().at -= origin_;
  }
  std::vector<TraceEvent> events;

 private:
  Nanoseconds origin_;
};

std::string infer_scheduler(const Recording& recording, std::string& note) {
  std::size_t inserts = 0, issues = 0;
  for (const TraceEvent& event : recording.events) {
    inserts += event.kind == EventKind::insert ? 1 : 0;
    issues += event.kind == EventKind::issue ? 1 : 0;
  }
  const bool none = issues > 0 && inserts * few_inserts < issues;
  note = std::to_string(inserts) + " of " + std::to_string(issues) + " issued requests were inserted before: taken as " +
         (none ? "none" : "mq-deadline") + "; another scheduler can be said";
  return none ? "none" : "mq-deadline";
}

std::unique_ptr<Device> device_of(const Recording& recording, const ReplaySetup& setup) {
  std::unique_ptr<Device> model = make_device(setup.device);
  const DeviceInfo observed = observed_device(recording);
  if (observed.capacity > model->info().capacity)
    throw InputError(recording.name + ": reaches sector " + std::to_string(observed.capacity) + ", but the device " +
                     model->info().name + " has " + std::to_string(model->info().capacity) +
                     "; give a larger one (capacity_sectors)");
  if (setup.answers == ReplayDevice::model) return model;
  DeviceInfo info = model->info();
  info.name = "recorded";
  return std::make_unique<RecordedDevice>(recording, info, std::move(model));
}

}  // namespace

ReplaySetup choose_setup(const Recording& recording, const std::optional<RecordingSettings>& settings,
                         const std::string& scheduler) {
  ReplaySetup setup;
  if (settings) setup.block = settings->block;
  setup.scheduler = scheduler;
  if (scheduler.empty()) {
    if (settings && !settings->scheduler.empty()) {
      setup.scheduler = settings->scheduler;
      if (find_scheduler(setup.scheduler) == nullptr)
        throw InputError(settings->path + ": the scheduler " + settings->scheduler +
                         " is not modelled; say another one to see what it makes of the recorded submissions");
    } else {
      setup.scheduler = infer_scheduler(recording, setup.notes.emplace_back());
    }
  }
  const SchedulerInfo* info = find_scheduler(setup.scheduler);
  if (settings && info != nullptr && settings->scheduler == info->sysfs_name) {
    for (const NamedValue& tunable : settings->tunables) {
      const bool known = std::any_of(info->tunables.begin(), info->tunables.end(),
                                     [&](const TunableInfo& row) { return tunable.name == row.name; });
      if (known)
        setup.tunables.push_back(tunable);
      else
        setup.notes.push_back("the model has no tunable " + tunable.name + "; its setting is left out");
    }
  }
  if (settings && settings->device) {
    setup.device = *settings->device;
    return setup;
  }
  const DeviceInfo seen = observed_device(recording);
  setup.device = {"flat",
                  {{"capacity_sectors", static_cast<std::int64_t>(std::max<Sector>(seen.capacity, 8))},
                   {"queue_depth", static_cast<std::int64_t>(seen.queue_depth)},
                   {"volatile_cache", seen.volatile_cache ? 1 : 0},
                   {"fua", seen.fua ? 1 : 0}}};
  if (const Nanoseconds median = median_service_time(recording); median.count() > 0)
    setup.device.parameters.push_back({"service_ns", median.count()});
  setup.notes.emplace_back("no settings of the device: commands take their recorded times, others the median of these");
  return setup;
}

Replay replay(const Recording& recording, const ReplaySetup& setup) {
  const SchedulerInfo* scheduler = find_scheduler(setup.scheduler);
  if (scheduler == nullptr)
    throw std::invalid_argument("unknown scheduler '" + setup.scheduler +
                                "'; see elvcheck list for those that are modelled");
  EventQueue events;
  const std::unique_ptr<Device> device = device_of(recording, setup);
  // The kernel's tick had a phase against the recording's first event; where the clock was recorded, it is kept.
  const Nanoseconds tick{1'000'000'000 / setup.block.hz};
  const Nanoseconds origin = recording.monotonic_start.value_or(0ns) % tick;
  Player player(recording, events, origin);
  if (player.empty()) throw InputError(recording.name + ": it has no submissions to replay; record queue events too");

  Replay out;
  out.facts.scheduler = scheduler;
  out.facts.tunables = resolve_tunables(*scheduler, setup.tunables);
  out.facts.device = device->info();
  out.facts.block = setup.block;
  const bool has_scheduler = scheduler->make_single_queue != nullptr || scheduler->make_multi_queue != nullptr;
  out.facts.block.nr_requests = resolve_nr_requests(setup.block, scheduler->flavour, has_scheduler, device->info());

  Trace trace;
  ShiftedKeeper keeper(origin);
  trace.add(keeper);
  const auto layer = make_block_layer(*scheduler, *out.facts.tunables, out.facts.block, events, trace, *device, player);
  device->attach(events, *layer);
  player.start(*layer);
  while (events.step()) {
  }
  out.events = std::move(keeper.events);
  if (const auto* recorded = dynamic_cast<const RecordedDevice*>(device.get()))
    out.unknown_commands = recorded->unknown_commands();
  return out;
}

RunFacts recording_facts(const Recording& recording, const std::optional<RecordingSettings>& settings) {
  RunFacts facts;
  facts.simulated = false;
  facts.device = observed_device(recording);
  if (!settings) return facts;
  facts.block = settings->block;
  facts.scheduler = settings->scheduler.empty() ? nullptr : find_scheduler(settings->scheduler);
  if (facts.scheduler != nullptr) {
    TunableValues values(facts.scheduler->tunables);
    for (const NamedValue& tunable : settings->tunables) values.store(tunable.name, tunable.value);
    facts.tunables = values;
  }
  if (settings->device) {
    const DeviceInfo model = make_device(*settings->device)->info();
    facts.device.capacity = std::max(facts.device.capacity, model.capacity);
    facts.device.queue_depth = model.queue_depth;
    facts.device.rotational = model.rotational;
    facts.device.volatile_cache = model.volatile_cache;
    facts.device.fua = model.fua;
  }
  return facts;
}

}  // namespace elvcheck
