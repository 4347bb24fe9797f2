// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/stream/stream.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include "model/block/block_layer.hpp"
#include "model/core/random.hpp"
#include "model/core/trace.hpp"
#include "model/scheduler/make_block_layer.hpp"

namespace elvcheck {

namespace {

/// The device of the recordings. Kinds 0 and 1 serve one request at a time in order of issue.
class StreamDevice final : public Device, private Actor {
 public:
  explicit StreamDevice(const StreamRecording& stream)
      : Device(DeviceInfo{"recorded", Sector{1} << 40, stream.depth, stream.rotational, false, false}), stream_(stream) {}

  void issue(const DeviceCommand& command) override {
    if (stream_.device_kind == 2) {
      events().schedule(events().now() + stream_.service, Rank::host, *this, command.tag);
      return;
    }
    queue_.push_back(command);
    if (queue_.size() == 1) start();
  }

 private:
  void start() {
    const DeviceCommand& command = queue_.front();
    Nanoseconds service = stream_.service;
    if (stream_.device_kind == 1) {
      const Sector distance = command.sector > head_ ? command.sector - head_ : head_ - command.sector;
      service = 100us + Nanoseconds(command.sectors * 5000LL);
      if (distance != 0) service += std::min(Nanoseconds(8ms), 500us + Nanoseconds(static_cast<std::int64_t>(distance / 10)));
    }
    head_ = command.sector + command.sectors;
    events().schedule(events().now() + service, Rank::host, *this, command.tag);
  }
  void on_event(std::uint64_t tag) override {
    if (stream_.device_kind == 2) {
      done(static_cast<std::uint32_t>(tag));
      return;
    }
    done(static_cast<std::uint32_t>(tag));
    queue_.pop_front();
    if (!queue_.empty()) start();
  }

  const StreamRecording& stream_;
  std::deque<DeviceCommand> queue_;
  Sector head_ = 0;
};

/// Records the issues, and nothing else.
class IssueListener final : public TraceListener {
 public:
  explicit IssueListener(const StreamRecording& stream) : stream_(stream) {}
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::requeue) issues.pop_back();  // the device did not take it
    if (event.kind != EventKind::issue) return;
    const auto& process = stream_.processes[static_cast<std::size_t>(event.process - stream_.processes.front().pid)];
    issues.push_back(StreamIssue{event.at, event.process, event.sector, event.sectors, is_write(event.op), process.op != 3});
  }
  std::vector<StreamIssue> issues;

 private:
  const StreamRecording& stream_;
};

class StreamHost final : public BlockLayerHost, private Actor {
 public:
  StreamHost(const StreamRecording& stream, EventQueue& events) : stream_(stream), events_(events) {
    for (const StreamProcess& spec : stream.processes) {
      tasks_.emplace_back(spec);
      events_.schedule(spec.start, Rank::host, *this, what(tasks_.size() - 1, wake_up));
    }
    if (stream.prio_change) events_.schedule(stream.prio_change->at, Rank::host, *this, what(0, change_prio));
  }

  void attach(BlockLayer& layer) {
    layer_ = &layer;
    for (const Task& task : tasks_) layer_->set_ioprio(task.spec.pid, task.spec.ioprio);
  }

  void bio_done(Bio& bio) override {
    const auto index = static_cast<std::size_t>(bio.cookie);
    free_bios_.push_back(&bio);
    Task& task = tasks_[index];
    --task.in_flight;
    ++task.done;
    Nanoseconds think = task.spec.think;
    if (task.spec.random_think)
      think = Nanoseconds(static_cast<std::int64_t>(task.random.below(static_cast<std::uint64_t>(2 * think.count() + 1))));
    events_.schedule(events_.now() + think, Rank::host, *this, what(index, wake_up));
  }

  void wake(ProcessId process) override {
    const auto index = static_cast<std::size_t>(process - tasks_.front().spec.pid);
    events_.schedule(events_.now(), Rank::host, *this, what(index, resume));
  }

 private:
  enum What : std::uint64_t { wake_up, resume, change_prio, what_count };
  struct Task {
    explicit Task(const StreamProcess& given) : spec(given), random(given.seed), position(given.base) {}
    const StreamProcess& spec;
    SplitMix64 random;
    Sector position;
    unsigned in_flight = 0;
    std::uint64_t issued = 0;
    std::uint64_t done = 0;
    bool blocked = false;
    bool plugged = false;
    bool exited = false;
    bool may_submit() const { return in_flight < spec.depth && (spec.limit == 0 || issued < spec.limit); }
  };
  static std::uint64_t what(std::size_t index, What kind) { return index * what_count + kind; }

  void on_event(std::uint64_t number) override {
    const auto kind = static_cast<What>(number % what_count);
    if (kind == change_prio) {
      const auto& change = *stream_.prio_change;
      if (!tasks_[change.process].exited) layer_->set_ioprio(tasks_[change.process].spec.pid, change.ioprio);
      return;
    }
    Task& task = tasks_[number / what_count];
    if (task.exited) return;
    if (kind == resume) {
      if (layer_->resume(task.spec.pid) == Submission::blocked) return;
      task.blocked = false;
      submit_all(task);
      return;
    }
    if (task.blocked) return;
    if (task.spec.limit != 0 && task.done == task.spec.limit && task.in_flight == 0) {
      task.exited = true;
      layer_->exit_process(task.spec.pid);
      return;
    }
    if (task.spec.batch) {
      if (task.in_flight != 0 || !task.may_submit()) return;
      layer_->start_plug(task.spec.pid);
      task.plugged = true;
    }
    submit_all(task);
  }

  void submit_all(Task& task) {
    while (task.may_submit()) {
      if (submit_one(task) == Submission::accepted) continue;
      task.blocked = true;
      return;
    }
    if (task.plugged) layer_->finish_plug(task.spec.pid);
    task.plugged = false;
  }

  Submission submit_one(Task& task) {
    const StreamProcess& spec = task.spec;
    Bio& bio = new_bio();
    bio.process = spec.pid;
    bio.group = spec.group;
    bio.op = spec.op == 0 ? Op::read : Op::write;
    if (spec.op != 3) bio.flags |= REQ_SYNC;
    if (spec.op == 2) bio.flags |= REQ_IDLE;
    if (spec.meta) bio.flags |= REQ_META | REQ_PRIO;
    bio.sectors = spec.sectors;
    bio.cookie = static_cast<std::uint64_t>(&task - &tasks_.front());
    switch (spec.kind) {
      case StreamProcess::Kind::sequential:
        bio.sector = task.position;
        task.position += Sector{spec.sectors} * spec.stride;
        break;
      case StreamProcess::Kind::random:
        bio.sector = 8 * task.random.below(12'500'000);
        break;
      case StreamProcess::Kind::local:
        bio.sector = spec.base + 8 * task.random.below(512);
        break;
    }
    ++task.in_flight;
    ++task.issued;
    return layer_->submit(bio);
  }

  Bio& new_bio() {
    if (free_bios_.empty()) {
      bios_.emplace_back();
      free_bios_.push_back(&bios_.back());
    }
    Bio& bio = *free_bios_.back();
    free_bios_.pop_back();
    bio = Bio{};
    bio.id = next_bio_++;
    return bio;
  }

  const StreamRecording& stream_;
  EventQueue& events_;
  BlockLayer* layer_ = nullptr;
  std::vector<Task> tasks_;
  std::deque<Bio> bios_;
  std::vector<Bio*> free_bios_;
  BioId next_bio_ = 1;
};

}  // namespace

SectorCount stream_max_sectors(BlockFlavour flavour, const BlockSettings& settings) {
  return flavour == BlockFlavour::single_queue_2_6_35 ? 1024 : settings.max_sectors;
}

std::vector<StreamIssue> run_stream(const StreamRecording& stream, const LayerFactory& make_layer, TraceListener* watcher) {
  EventQueue events;
  Trace trace;
  IssueListener issues(stream);
  trace.add(issues);
  if (watcher != nullptr) trace.add(*watcher);
  StreamDevice device(stream);
  StreamHost host(stream, events);
  BlockSettings settings;
  settings.hz = stream.hz;
  settings.nr_requests = stream.nr_requests;
  settings.refuse_every = stream.refuse_every;
  settings.groups = stream.groups;
  settings.plug_each_bio = stream.plug_each_bio;
  settings.blk_cgroup = false;  // the recorded kernels were built without
  const std::unique_ptr<BlockLayer> layer = make_layer(settings, events, trace, device, host);
  host.attach(*layer);
  while (issues.issues.size() < stream.most_issues && events.step(stream.duration)) {
  }
  return std::move(issues.issues);
}

std::vector<StreamIssue> run_stream(const StreamRecording& stream, const SchedulerInfo& scheduler, TraceListener* watcher) {
  const auto make_layer = [&](const BlockSettings& given, EventQueue& events, Trace& trace, Device& device, BlockLayerHost& host) {
    BlockSettings settings = given;
    settings.max_sectors = stream_max_sectors(scheduler.flavour, given);
    const bool has_scheduler = scheduler.make_multi_queue != nullptr || scheduler.make_single_queue != nullptr;
    settings.nr_requests = resolve_nr_requests(settings, scheduler.flavour, has_scheduler, device.info());
    TunableValues tunables = resolve_tunables(scheduler, stream.tunables, settings, device.info());
    tunables.store("group-scheduling", stream.group_scheduling);
    return make_block_layer(scheduler, tunables, settings, events, trace, device, host);
  };
  return run_stream(stream, make_layer, watcher);
}

}  // namespace elvcheck
