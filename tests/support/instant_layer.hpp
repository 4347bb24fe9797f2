// SPDX-License-Identifier: GPL-2.0-or-later
// A seam without a queue, for tests that look at what tasks submit: each bio is done a millisecond after its submission.
#pragma once

#include <deque>
#include <vector>

#include "model/block/block_layer.hpp"
#include "model/core/event_queue.hpp"
#include "model/filesystem/tasks.hpp"

namespace elvcheck {

class InstantLayer final : public BlockLayer, private Actor {
 public:
  explicit InstantLayer(EventQueue& events) : events_(events) {}
  void connect(BlockLayerHost& host) { host_ = &host; }

  Submission submit(Bio& bio) override {
    seen.push_back(bio);
    inside_.push_back(&bio);
    events_.schedule(events_.now() + 1ms, Rank::host, *this);
    return Submission::accepted;
  }
  Submission resume(ProcessId) override { return Submission::accepted; }
  void start_plug(ProcessId) override {}
  void finish_plug(ProcessId) override {}
  void process_sleeps(ProcessId, bool) override {}
  void set_ioprio(ProcessId, IoPrio) override {}
  void exit_process(ProcessId) override {}
  unsigned requests_in_use() const override { return static_cast<unsigned>(inside_.size()); }
  void command_done(std::uint32_t) override {}

  std::vector<Bio> seen;

 private:
  void on_event(std::uint64_t) override {
    Bio& bio = *inside_.front();
    inside_.pop_front();
    host_->bio_done(bio);
  }
  EventQueue& events_;
  BlockLayerHost* host_ = nullptr;
  std::deque<Bio*> inside_;
};

/// Tasks on such a layer.
class TaskBench {
 public:
  explicit TaskBench(Sector capacity = Sector{1} << 32)
      : layer(events), tasks(events, trace, disk(capacity), 8192, 101, last_bio_) {}

  /// Runs the program of one task to its end; what it throws comes out.
  void run(std::function<Task<>(TaskContext&)> program) {
    tasks.spawn("task", {}, std::move(program));
    layer.connect(tasks);
    tasks.start(layer);
    while (events.step()) {
    }
  }

  EventQueue events;
  Trace trace;
  InstantLayer layer;

 private:
  static DeviceInfo disk(Sector capacity) {
    DeviceInfo info;
    info.capacity = capacity;
    return info;
  }
  BioId last_bio_ = 0;

 public:
  Tasks tasks;
};

}  // namespace elvcheck
