// SPDX-License-Identifier: GPL-2.0-or-later
// The seam: what processes submit to and devices answer to. Behind it stands the model's block layer with a reference
// scheduler in it, or a kernel's own code; every workload, device, property and case file works on both.
#pragma once

#include "model/core/bio.hpp"
#include "model/device/device.hpp"

namespace elvcheck {

/// What the block layer calls back: the processes.
class BlockLayerHost {
 public:
  /// The bio has been done; it is the host's again.
  virtual void bio_done(Bio& bio) = 0;
  /// A process that submit() or resume() had left blocked may go on: the host calls resume(process), as an event of its own
  /// that is created now (a woken task does not run inside its waker).
  virtual void wake(ProcessId process) = 0;

 protected:
  ~BlockLayerHost() = default;
};

/// How a submission ended.
enum class Submission {
  accepted,  ///< the block layer has taken the bio
  blocked,   ///< no request is free: the process sleeps until BlockLayerHost::wake
};

class BlockLayer : public DeviceListener {
 public:
  virtual ~BlockLayer() = default;

  /// Submits a bio in the context of bio.process. The bio must stay at its address until bio_done.
  /// Not called for a process that is blocked.
  virtual Submission submit(Bio& bio) = 0;
  /// Continues the submission in which `process` was blocked.
  virtual Submission resume(ProcessId process) = 0;

  /// blk_start_plug and blk_finish_plug in the context of `process`. Not nested.
  virtual void start_plug(ProcessId process) = 0;
  virtual void finish_plug(ProcessId process) = 0;
  /// The process is about to sleep: what it has plugged is flushed (schedule() with a plug). `for_io`: it waits for I/O of its
  /// own, which up to 2.6.38 unplugs the whole queue.
  virtual void process_sleeps(ProcessId process, bool for_io) = 0;

  /// ioprio_set(2). It holds for later submissions.
  virtual void set_ioprio(ProcessId process, IoPrio prio) = 0;
  /// blk_yield(): `process` is about to wait for I/O that `target` will issue (RFC v5 of June 2010, never merged). For schedulers
  /// that idle; a scheduler without the hook does nothing.
  virtual void yield(ProcessId process, ProcessId target) { (void)process, (void)target; }
  /// The process has ended; requests of it may still be queued.
  virtual void exit_process(ProcessId process) = 0;

  /// Requests allocated and not yet freed.
  virtual unsigned requests_in_use() const = 0;
};

}  // namespace elvcheck
