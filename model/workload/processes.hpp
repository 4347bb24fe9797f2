// SPDX-License-Identifier: GPL-2.0-or-later
// Processes: small programs (Scenario::processes) that submit to a block layer and wait for its answers.
//
// A program is a list of steps, mostly closed loops: the next submission depends on the last answer. A woken process runs as
// an event of its own, after what woke it. Process i has the pid 101 + i. An operation larger than the queue's largest
// request is submitted in pieces (bio splitting) and is done when all of them are.
#pragma once

#include <string>
#include <vector>

#include "model/block/block_layer.hpp"
#include "model/core/event_queue.hpp"
#include "model/core/random.hpp"
#include "model/core/scenario.hpp"
#include "model/core/stable_store.hpp"
#include "model/core/stop.hpp"

namespace elvcheck {

/// Processes that wait for each other in a circle, so that none of them can end: each waits for the next in the list, the
/// last for the first. Indices; empty if there is no circle.
std::vector<std::size_t> find_wait_circle(const std::vector<ProcessSpec>& processes);
/// Throws std::invalid_argument if there is a circle: who waits for whom, and how to mend it.
void check_waits(const std::vector<ProcessSpec>& processes);

class Processes final : public BlockLayerHost, private Actor {
 public:
  static constexpr ProcessId first_pid = 101;

  /// Throws std::invalid_argument for a program that is not well formed or does not fit the device: process, step, what is
  /// wrong.
  /// `last_bio`: the number that the latest bio of the run got, whoever submitted it.
  Processes(const Scenario& scenario, EventQueue& events, const DeviceInfo& device, BioId& last_bio);

  /// Connects the block layer and lets every process start at the present virtual time.
  void start(BlockLayer& layer);

  /// The name of a process that has not exited, or an empty string.
  std::string unfinished() const;
  /// Operations submitted and not answered.
  unsigned operations_left() const;

  void bio_done(Bio& bio) override;
  void wake(ProcessId process) override;

 private:
  enum class State : std::uint8_t { runnable, sleeping, waiting_io, waiting_process, blocked, exited };
  enum What : std::uint64_t { run, slot_free, resume, what_bits = 2 };
  struct Loop {
    std::size_t start;
    std::uint32_t left;
  };
  struct Process {
    const ProcessSpec* spec = nullptr;
    ProcessId pid = 0;
    State state = State::runnable;
    IoPrio ioprio;
    std::size_t step = 0;
    std::vector<Loop> loops;
    unsigned in_flight = 0;  // operations, all steps
    unsigned writes_in_flight = 0;
    std::vector<std::size_t> waited_by;
    // the present io or fsync step
    std::uint32_t step_run = 0;  // which execution of a step this is
    std::uint32_t submitted = 0;
    std::uint32_t slots_used = 0;  // operations in flight or followed by a pause
    SplitMix64 random{0};
    bool step_begun = false;
    bool operation_open = false;  // an operation of which not every piece has been submitted
    std::uint32_t operation = 0;  // that operation
    Sector sector = 0;            // where its next piece starts
    SectorCount sectors_left = 0;
  };
  /// An operation in flight; bios point to it by their cookie.
  struct Operation {
    std::size_t process = 0;
    std::uint32_t step_run = 0;
    unsigned pieces_left = 0;
    bool all_submitted = false;
    bool write = false;
    bool waited_for = false;  // holds a slot of its step
    Nanoseconds think{0};
  };

  void on_event(std::uint64_t what) override;
  void check(const ProcessSpec& spec, const DeviceInfo& device, std::size_t process_count) const;
  void run_process(std::size_t index);
  bool run_step(std::size_t index, const ProcessOp& op);  // false: the process sleeps now
  bool run_io(std::size_t index, const ProcessOp& op);
  bool run_fsync(std::size_t index, const ProcessOp& op);
  bool sleep_until(std::size_t index, Nanoseconds at);
  bool wait_for_io(Process& process);  // false, always
  /// Submits what is left of the open operation; false when the process was blocked.
  bool submit_pieces(Process& process, const ProcessOp& op);
  void open_operation(std::size_t index, const ProcessOp& op, bool waited_for);
  static Sector place(Process& process, const ProcessOp& op);
  void operation_done(std::uint32_t number);
  void finish(std::size_t index);
  void schedule(std::size_t index, What what, Nanoseconds at) {
    events_.schedule(at, Rank::host, *this, index << what_bits | what);
  }
  Bio& new_bio();

  const Scenario& scenario_;
  EventQueue& events_;
  BlockLayer* layer_ = nullptr;
  std::vector<Process> processes_;
  StopPoint stop_;
  ReusedStore<Bio> bios_;
  BioId& last_bio_;
  NumberedStore<Operation> operations_;
};

}  // namespace elvcheck
