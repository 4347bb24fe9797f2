// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel itself behind the seam: a tree's own block core and scheduler, under our virtual clock, with our device, our
// processes and our trace.
//
// Everything that the kernel decides is decided by the tree's code: allocation and its waiting, merging, plugging, the order
// of the scheduler's hooks, re-runs. Ours are the clock, the driver (a queue_rq or request_fn that hands to the Device,
// which never refuses unless BlockSettings says so) and the stacks on which submitters sleep. Left out: several CPUs and
// hardware queues, cgroups, zoned devices, request time-outs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/block/block_layer.hpp"
#include "model/core/event_queue.hpp"
#include "model/core/scenario.hpp"
#include "model/core/trace.hpp"
#include "reference/kernel/coroutine.hpp"
#include "reference/kernel/module.hpp"

namespace elvcheck::kernel {

class KernelLayer final : public BlockLayer, private Actor {
 public:
  /// A line of the scheduler's own log (bfq_log).
  using LogSink = std::function<void(Nanoseconds at, const std::string& text)>;

  /// @param settings  hz must be the module's; nr_requests 0 means the kernel's default
  /// @param tunables  stored in this order through the scheduler's own store functions
  /// Throws std::invalid_argument for a tunable that the scheduler has not got or refuses.
  /// Everything given must outlive the layer. The layer attaches itself to the device.
  KernelLayer(KernelModule& module, const BlockSettings& settings, const std::vector<NamedValue>& tunables, EventQueue& events,
              Trace& trace, Device& device, BlockLayerHost& host, LogSink log = {});
  /// What is in flight is completed and forgotten.
  ~KernelLayer() override;

  Submission submit(Bio& bio) override;
  Submission resume(ProcessId process) override;
  void start_plug(ProcessId process) override;
  void finish_plug(ProcessId process) override;
  void process_sleeps(ProcessId process, bool for_io) override;
  void set_ioprio(ProcessId process, IoPrio prio) override;
  void exit_process(ProcessId process) override;
  unsigned requests_in_use() const override;
  void command_done(std::uint32_t tag) override;

  /// What the scheduler shows for a tunable, without the newline; std::invalid_argument if there is none of that name.
  std::string show(const std::string& tunable);
  /// Stores a text as a write to sysfs would; 0 or the kernel's negative errno.
  long store(const std::string& tunable, const std::string& text);
  std::vector<std::string> tunables() const;

  /// WARN_ON()s so far.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend struct HostCallbacks;
  struct Task {
    KernelLayer* layer = nullptr;
    void* kernel = nullptr;
    Bio* bio = nullptr;          ///< being submitted
    Coroutine coroutine;
    bool plugged = false;
    bool woken = false;
    bool has_ioprio = false;
  };
  /// A timer or work item of the kernel's.
  struct Pending {
    void* object = nullptr;
    int kind = 0;
    bool armed = false;
    Nanoseconds at{0};
    std::uint64_t generation = 0;
  };
  /// Kernel code runs between construction and destruction.
  class Inside;

  Task& task(ProcessId process);
  static void submit_job(void* task);
  void on_event(std::uint64_t what) override;
  Pending* find_pending(int kind, void* object);
  void schedule(int kind, void* object, Nanoseconds at);
  bool issue(void* request, const DeviceCommand& command);
  void emit(const elvk_event& event);
  void note(const char* format, const char* text);
  void warn(const char* text);
  void complete_everything();
  bool run_earliest(bool work_only);

  KernelModule& module_;
  const KernelFunctions& call_;
  BlockSettings settings_;
  EventQueue& events_;
  Trace& trace_;
  Device& device_;
  BlockLayerHost& host_;
  LogSink log_;
  void* queue_ = nullptr;
  std::map<ProcessId, std::unique_ptr<Task>> tasks_;
  Task* running_ = nullptr;
  std::vector<Pending> pending_;
  bool queue_plugs_;           ///< the queue is plugged (2.6), not the process
  std::vector<void*> by_tag_;  ///< requests inside the device
  std::vector<std::string> warnings_;
  std::uint64_t offered_ = 0;
  std::uint32_t random_ = 1;
  Nanoseconds now_{0};          ///< while shutting down, ahead of the event queue
  bool shutting_down_ = false;
};

/// The functions that every loaded kernel calls; they find their layer by its address.
const elvk_host& kernel_host();

}  // namespace elvcheck::kernel
