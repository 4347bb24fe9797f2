// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings of real machines, read into the trace type of the model, so that one property judges both.
//
// Four formats, told apart by their content, plain or gzipped: the text of blkparse(1) in its default layout, the binary
// records of blktrace(8), the text of ftrace's block events, and fio's I/O logs of version 2 and 3. Whatever the format says
// less than the trace (ftrace does not name merges, fio knows only submissions) is inferred where sector ranges leave one
// reading, and said in `warnings`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/trace.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

enum class RecordingFormat : std::uint8_t {
  blkparse_text,    ///< blkparse(1), default output format
  blktrace_binary,  ///< struct blk_io_trace, version 7 (include/uapi/linux/blktrace_api.h)
  ftrace_text,      ///< the block_* events of tracefs, `trace-cmd report` included
  fio_iolog,        ///< `fio --write_iolog`, versions 2 and 3 (fio's HOWTO, "Trace file format")
};
std::string_view to_string(RecordingFormat format);

/// A device number as the tools print it.
struct DeviceNumber {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};
std::string to_string(DeviceNumber device);

struct Recording {
  RecordingFormat format = RecordingFormat::blkparse_text;
  std::string name;     ///< the path that was read
  DeviceNumber device;  ///< the device whose events these are (0,0 for fio)
  /// In order of time; the first is at 0. `process` and `sector` as TraceEvent says; bios and requests have been followed
  /// through queue, allocation, merges, insertion, issue and completion, and have numbers from 1.
  std::vector<TraceEvent> events;
  /// For each event, the process that was running then: a worker thread for most issues, 0 for most completions.
  std::vector<ProcessId> running;
  std::map<ProcessId, std::string> process_names;
  /// The kernel's monotonic clock at the first event, where the format says it (binary blktrace): the phase of the tick.
  std::optional<Nanoseconds> monotonic_start;
  std::vector<std::string> warnings;  ///< one sentence each: what was left out or assumed
  unsigned cpus = 0;                  ///< distinct CPUs in the events; 0: not said (fio)
  bool has_allocations = false;       ///< get-request events were recorded
  bool has_inserts = false;
  bool has_issues = false;
  bool has_plugs = false;
};

struct ReadOptions {
  std::optional<DeviceNumber> device;  ///< none: the one with the most events
};

/// Reads a recording. `path` is a file, or for per-CPU files of blktrace their common prefix (NAME for NAME.blktrace.N) or
/// their directory. Throws InputError: "FILE:LINE: what is wrong; how to mend it", for binary files "FILE: byte OFFSET:
/// ...".
Recording read_recording(const std::string& path, const ReadOptions& options = {});

/// Reads a recording from memory (already decompressed); `name` stands in errors. Throws InputError.
Recording parse_recording(std::string_view content, const std::string& name, const ReadOptions& options = {});

}  // namespace elvcheck
