// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded streams: closed-loop scenarios and the exact issues that a kernel's own block layer and scheduler made of them.
//
// A file holds one JSON object a line. A scenario is a device (one server with constant or distance-dependent service, or
// unlimited parallel service), a queue, up to six processes with their own pseudo-random numbers, and the list of issues: when,
// whose, where, how long, in which direction. docs/recorded-streams.md has the format and the order of events in full. A model is
// order-exact on a stream when it hands the device the same requests at the same nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/block/block_layer.hpp"
#include "model/core/scenario.hpp"
#include "model/core/trace.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// One request handed to the device.
struct StreamIssue {
  Nanoseconds at{0};
  ProcessId process = 0;  ///< submitter of the request's first bio
  Sector sector = 0;
  SectorCount sectors = 0;
  bool write = false;
  bool sync = false;  ///< of that process's operations
  friend bool operator==(const StreamIssue&, const StreamIssue&) = default;
};

struct StreamProcess {
  enum class Kind { sequential, random, local };
  ProcessId pid = 0;
  IoPrio ioprio;
  std::uint32_t group = 0;    ///< 0 the root, k the k-th of StreamRecording::groups
  Kind kind = Kind::sequential;
  unsigned op = 0;            ///< 0 read, 1 sync write, 2 sync write of which more will follow, 3 async write
  SectorCount sectors = 8;
  unsigned depth = 1;         ///< most bios in flight
  bool batch = false;         ///< submits `depth` bios in one plug, when nothing is in flight
  bool meta = false;
  Nanoseconds think{0};
  bool random_think = false;  ///< uniform in [0, 2 think] instead of constant
  Nanoseconds start{0};
  Sector base = 0;
  unsigned stride = 1;        ///< sequential: in operations
  std::uint64_t limit = 0;    ///< bios until it exits; 0: never
  std::uint64_t seed = 0;
};

struct StreamRecording {
  std::int64_t id = 0;
  std::string version;        ///< of the kernel
  unsigned hz = 1000;
  unsigned depth = 1;         ///< of the device
  bool rotational = true;
  unsigned device_kind = 0;   ///< 0 constant, 1 by distance, 2 constant and parallel
  Nanoseconds service{0};
  Nanoseconds duration{0};
  unsigned nr_requests = 0;   ///< 0: the default
  unsigned refuse_every = 0;
  bool plug_each_bio = false; ///< every bio in a plug of its own (files named *-pb)
  std::vector<NamedValue> tunables;
  bool group_scheduling = false;  ///< the kernel was built with it
  std::vector<IoGroup> groups;    ///< beside the root
  std::vector<StreamProcess> processes;
  struct PrioChange {
    std::size_t process;
    Nanoseconds at;
    IoPrio ioprio;
  };
  std::optional<PrioChange> prio_change;
  std::uint64_t blocked = 0;  ///< how often a process slept for want of a request
  std::size_t most_issues = 600;
  std::vector<StreamIssue> issues;
};

/// Reads a file of recorded streams, plain or gzipped. Throws InputError naming file and line.
std::vector<StreamRecording> read_streams(const std::string& path);

/// Builds what stands behind the seam.
using LayerFactory = std::function<std::unique_ptr<BlockLayer>(const BlockSettings& settings, EventQueue& events, Trace& trace,
                                                               Device& device, BlockLayerHost& host)>;

/// Most sectors of a request in a stream: BLK_DEF_MAX_SECTORS of the kernel, which is the settings' own but for 2.6 (1024).
SectorCount stream_max_sectors(BlockFlavour flavour, const BlockSettings& settings);

/// Runs the scenario of a stream on any block layer. `watcher`, if given, sees the whole trace.
std::vector<StreamIssue> run_stream(const StreamRecording& stream, const LayerFactory& make_layer, TraceListener* watcher = nullptr);

/// Runs the scenario of a stream on the model of that scheduler.
/// @param watcher is shown the run's whole trace; may be null
std::vector<StreamIssue> run_stream(const StreamRecording& stream, const SchedulerInfo& scheduler, TraceListener* watcher = nullptr);

}  // namespace elvcheck
