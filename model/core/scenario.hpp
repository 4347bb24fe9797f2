// SPDX-License-Identifier: GPL-2.0-or-later
// A scenario: everything that a run depends on, as plain data. A case file is a scenario with an expected verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/bio.hpp"
#include "model/core/units.hpp"

namespace elvcheck {

/// One step of a process's program.
struct ProcessOp {
  enum class Kind : std::uint8_t {
    io,      ///< submit `count` operations, at most `depth` in flight; wait for all of them unless `nowait`
    fsync,   ///< wait for the process's own writes, then flush the device's volatile cache and wait for that
    think,   ///< sleep for `time`
    at,      ///< sleep until virtual time `time` (at once if that has passed)
    wait,    ///< sleep until process number `target` has exited
    yield,   ///< blk_yield(): tell the scheduler that this process is about to wait for I/O of process number `target`
    ioprio,  ///< ioprio_set(2) to `ioprio`, for the following submissions
    plug,    ///< blk_start_plug: hold submissions back until `unplug` (or until the process sleeps)
    unplug,  ///< blk_finish_plug
    drain,   ///< wait until nothing of this process is in flight
    repeat,  ///< run the steps up to the matching `end` `count` times
    end,
    exit,    ///< the process ends (implied at the end of the program); what it has in flight stays in flight
  };
  Kind kind = Kind::io;

  // io
  Op op = Op::read;
  ReqFlags flags = 0;
  bool nowait = false;         ///< go on without waiting for completion
  Sector sector = 0;           ///< first sector; with `span`, the start of the region
  SectorCount sectors = 8;     ///< length of each operation, > 0
  std::uint32_t count = 1;     ///< io, repeat
  std::int64_t stride = 0;     ///< from one start to the next, in sectors; 0 means `sectors` (sequential)
  Sector span = 0;             ///< > 0: starts are drawn from [sector, sector + span), aligned to `sectors`
  std::uint64_t seed = 1;      ///< of those draws
  std::uint32_t depth = 1;     ///< most operations of this step in flight at once, >= 1
  Nanoseconds think{0};        ///< pause after each completion before the next submission of this step

  Nanoseconds time{0};         ///< think, at
  std::uint32_t target = 0;    ///< wait, yield: index into Scenario::processes
  IoPrio ioprio;               ///< ioprio

  /// `target` means something.
  bool names_process() const { return kind == Kind::wait || kind == Kind::yield; }

  friend bool operator==(const ProcessOp&, const ProcessOp&) = default;
};

struct ProcessSpec {
  std::string name;
  IoPrio ioprio;
  std::vector<ProcessOp> ops;
  std::uint32_t group = 0;  ///< its cgroup: 0 the root, k: BlockSettings::groups[k - 1]

  friend bool operator==(const ProcessSpec&, const ProcessSpec&) = default;
};

/// A name and an integer value, as `queue/iosched/NAME` takes it.
struct NamedValue {
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// A device preset, with some of its parameters replaced.
struct DeviceSpec {
  std::string preset = "flat";
  std::vector<NamedValue> parameters;

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

/// A cgroup of the io (blkio) controller, as schedulers with group scheduling see it.
struct IoGroup {
  std::uint32_t weight = 500;  ///< blkio.weight and blkio.leaf_weight, io.weight
  std::uint32_t parent = 0;    ///< 0: the root; k: the k-th group, which comes earlier in the list
  std::string name{};          ///< in case files
  friend bool operator==(const IoGroup&, const IoGroup&) = default;
};

/// The request queue's own settings (`queue/*` in sysfs) and the tick rate of the kernel.
struct BlockSettings {
  unsigned hz = 250;             ///< CONFIG_HZ
  unsigned nr_requests = 0;      ///< queue/nr_requests; 0: the kernel's default for this queue and device
  unsigned nomerges = 0;         ///< queue/nomerges: 0 all merges, 1 only the one-hit cache, 2 none
  unsigned max_sectors = 2560;   ///< largest request in sectors (queue/max_sectors_kb x 2)
  unsigned max_segments = 128;   ///< most bios in a request (queue/max_segments, one segment a bio)
  bool plug_each_bio = false;    ///< every bio in a plug of its own; 6.12 always does that
  bool blk_cgroup = true;        ///< CONFIG_BLK_CGROUP: blk-mq merges metadata with metadata only
  unsigned refuse_every = 0;     ///< the driver refuses every n-th request that it is offered, once; 0: never
  std::vector<IoGroup> groups;   ///< cgroups beside the root

  friend bool operator==(const BlockSettings&, const BlockSettings&) = default;
};

/// A program with a file system under it (model/workload/workloads.hpp), and its parameters.
struct WorkloadSpec {
  std::string name;  ///< empty: none
  std::vector<NamedValue> parameters;

  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

struct Scenario {
  std::string scheduler = "mq-deadline";
  std::vector<NamedValue> tunables;  ///< stored in this order before the run
  DeviceSpec device;
  BlockSettings block;
  std::vector<ProcessSpec> processes;
  WorkloadSpec workload;  ///< runs beside the processes
  Nanoseconds limit = 3600s;  ///< the run is stopped at this virtual time
  std::string mutant;         ///< a planted bug (core/mutant.hpp), or empty

  friend bool operator==(const Scenario&, const Scenario&) = default;
};

}  // namespace elvcheck
