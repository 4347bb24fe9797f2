// SPDX-License-Identifier: GPL-2.0-or-later
// Tasks: processes and kernel threads of a file system, which submit to a block layer as the programs of a scenario
// (model/workload/processes.hpp) do, but are written as coroutines, because what they do next depends on much state.
//
//   Task<> reader(TaskContext& self, WaitQueue& done) {
//     Completion block;
//     co_await self.submit({Op::read, REQ_META | REQ_PRIO, 4096, 8}, block);
//     co_await self.wait(block);  // for I/O
//     co_await self.cpu(100us);
//     self.wake_all(done);
//   }
//
// As in the kernel, a woken task runs as an event of its own, after what woke it; tasks woken at one instant run in the
// order of their waking. Whoever sleeps flushes its plug; whoever computes does not.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/block/block_layer.hpp"
#include "model/core/event_queue.hpp"
#include "model/core/stable_store.hpp"
#include "model/core/stop.hpp"
#include "model/core/trace.hpp"
#include "model/filesystem/task.hpp"

namespace elvcheck {

class TaskContext;
class Tasks;

/// Tasks that sleep until somebody wakes them, in the order of their coming (a kernel's wait_queue_head_t).
class WaitQueue {
 public:
  bool empty() const { return sleepers_.empty(); }
  std::size_t size() const { return sleepers_.size(); }

 private:
  friend class Tasks;
  friend class TaskContext;
  std::deque<TaskContext*> sleepers_;
};

/// I/O that somebody may wait for: any number of operations under way. It must outlive them.
class Completion {
 public:
  Completion() = default;
  virtual ~Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  bool done() const { return left_ == 0; }

 protected:
  /// An operation (all of its bios) has been done. Called before those who wait for the completion are woken.
  virtual void operation_done() {}

 private:
  friend class Tasks;
  friend class TaskContext;
  unsigned left_ = 0;  // operations
  WaitQueue waiters_;
};

/// One contiguous operation as a task submits it. Larger than the queue's largest request it goes in pieces.
struct TaskIo {
  Op op = Op::read;
  ReqFlags flags = 0;
  Sector sector = 0;
  SectorCount sectors = 0;  ///< 0 only for a flush
};

/// What a task is in the eyes of the machine: a pid, a priority, and the ways in which it sleeps. Only the task itself may
/// use what has to be awaited.
class TaskContext {
 public:
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  ProcessId pid() const { return pid_; }
  const std::string& name() const { return name_; }
  Nanoseconds now() const;
  Tasks& tasks() const { return tasks_; }

  /// Suspends the task until it is resumed by an event.
  struct Pause {
    TaskContext& self;
    bool ready;
    bool await_ready() const noexcept { return ready; }
    void await_suspend(std::coroutine_handle<> here) const noexcept { self.resume_at_ = here; }
    void await_resume() const noexcept {}
  };

  /// Computes for `time` (>= 0): the plug is kept.
  Pause cpu(Nanoseconds time);
  /// Sleeps for `time` (>= 0).
  Pause sleep(Nanoseconds time);
  /// Sleeps until somebody wakes this queue.
  Pause wait(WaitQueue& queue);
  /// Sleeps until every operation of `completion` is done; at once if none is under way. It counts as waiting for I/O.
  Pause wait(Completion& completion);
  /// Submits; sleeps only while no request is free. `completion` counts the operation from now on.
  /// Throws std::invalid_argument for a place outside the device.
  Task<> submit(TaskIo io, Completion& completion);
  /// Submits and waits.
  Task<> submit_and_wait(TaskIo io);

  /// Wakes every sleeper; they run after this event.
  void wake_all(WaitQueue& queue);
  /// Wakes the sleeper that came first, if there is one.
  void wake_one(WaitQueue& queue);

  void start_plug();
  void finish_plug();
  /// blk_yield() to the task or process `target`.
  void yield(ProcessId target);
  void set_ioprio(IoPrio prio);

 private:
  friend class Tasks;
  TaskContext(Tasks& tasks, ProcessId pid, std::string name, IoPrio ioprio, bool daemon)
      : tasks_(tasks), pid_(pid), name_(std::move(name)), ioprio_(ioprio), daemon_(daemon) {}

  Tasks& tasks_;
  ProcessId pid_;
  std::string name_;
  IoPrio ioprio_;
  bool daemon_;
  bool ended_ = false;
  std::coroutine_handle<> resume_at_;
  std::function<Task<>(TaskContext&)> program_;  // kept: the frame refers to its captures
  std::unique_ptr<Task<>> task_;
};

/// All tasks of a run.
class Tasks final : public BlockLayerHost, private Actor {
 public:
  /// Tasks get the pids from `first_pid` on. `max_sectors`: of the largest request. `last_bio`: the number that the latest
  /// bio of the run got, whoever submitted it.
  Tasks(EventQueue& events, Trace& trace, const DeviceInfo& device, SectorCount max_sectors, ProcessId first_pid,
        BioId& last_bio);
  ~Tasks();

  /// Connects the block layer; tasks spawned before start now.
  void start(BlockLayer& layer);

  /// A new task, which starts as an event of its own, after this one. `daemon`: a kernel thread that need not end.
  TaskContext& spawn(std::string name, IoPrio ioprio, std::function<Task<>(TaskContext&)> program, bool daemon = false);

  Nanoseconds now() const { return events_.now(); }
  /// For decisions that a trace should show.
  Trace& trace() const { return trace_; }
  const DeviceInfo& device() const { return device_; }
  ProcessId first_pid() const { return first_pid_; }

  /// Tasks that have not ended, without daemons. A daemon looks at it before it arms a timer that nobody would wait for.
  std::size_t tasks_left() const { return tasks_left_; }
  /// The name of a task that has not ended and is no daemon, or an empty string.
  std::string unfinished() const;
  /// Operations submitted and not answered.
  unsigned operations_left() const { return static_cast<unsigned>(operations_.in_use()); }
  /// Wakes from outside of any task (a completion's operation_done, say).
  void wake_all(WaitQueue& queue);
  void wake_one(WaitQueue& queue);

  void bio_done(Bio& bio) override;
  void wake(ProcessId process) override;

 private:
  friend class TaskContext;
  enum What : std::uint64_t { run, resume, what_bits = 1 };
  struct Operation {
    Completion* completion = nullptr;
    unsigned pieces_left = 0;
  };
  void on_event(std::uint64_t what) override;
  void schedule(const TaskContext& task, What what, Nanoseconds at);
  void go_on(TaskContext& task);
  bool submit_piece(const TaskContext& task, const TaskIo& piece, std::uint32_t operation);
  std::uint32_t open_operation(Completion& completion, unsigned pieces);

  EventQueue& events_;
  Trace& trace_;
  DeviceInfo device_;
  SectorCount max_sectors_;
  ProcessId first_pid_;
  BlockLayer* layer_ = nullptr;
  std::vector<std::unique_ptr<TaskContext>> tasks_;
  std::size_t tasks_left_ = 0;
  StopPoint stop_;
  ReusedStore<Bio> bios_;
  NumberedStore<Operation> operations_;
  BioId& last_bio_;
};

}  // namespace elvcheck
