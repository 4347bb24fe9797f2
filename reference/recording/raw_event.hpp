// SPDX-License-Identifier: GPL-2.0-or-later
// What the readers of the four formats have in common: one recorded event before requests are followed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/recording/recording.hpp"

namespace elvcheck::recording_detail {

/// The recorded actions that the trace can tell.
enum class Action : std::uint8_t {
  queue,
  get_request,
  sleep_request,
  back_merge,
  front_merge,
  request_merge,
  insert,
  plug,
  unplug,
  timer_unplug,
  issue,
  requeue,
  complete,
  split,
};

struct RawEvent {
  std::int64_t at = 0;  ///< nanoseconds since an origin of the recording's own
  std::uint32_t cpu = 0;
  std::uint32_t sequence = 0;  ///< of the CPU (blktrace), else 0
  DeviceNumber device;
  bool any_device = false;  ///< plugs of ftrace name no device
  Action action = Action::queue;
  Op op = Op::read;
  ReqFlags flags = 0;
  IoPrio ioprio;
  ProcessId process = 0;
  Sector sector = 0;
  SectorCount sectors = 0;
  Sector split_at = 0;  ///< split: the first sector of the second part
};

/// What a reader delivers.
struct RawRecording {
  RecordingFormat format = RecordingFormat::blkparse_text;
  std::vector<RawEvent> events;
  std::map<ProcessId, std::string> process_names;
  std::vector<std::string> warnings;
  /// Events outside the trace's vocabulary, by name: how many were left out.
  std::map<std::string, std::uint64_t> skipped;
};

/// Letters of an RWBS field, such as "FWFSM". False for letters that no kernel writes or for a command that moves no data of
/// a file system (a bare N).
bool parse_rwbs(std::string_view letters, bool has_data, Op& op, ReqFlags& flags);

void parse_blkparse(std::string_view text, const std::string& name, RawRecording& out);
void parse_ftrace(std::string_view text, const std::string& name, RawRecording& out);
void parse_fio_iolog(std::string_view text, const std::string& name, RawRecording& out);
/// One binary file; called once for each per-CPU file.
void parse_blktrace(std::string_view bytes, const std::string& name, RawRecording& out);

/// Chooses the device, orders by time, follows bios and requests.
Recording assemble(RawRecording raw, const std::string& name, const ReadOptions& options);

}  // namespace elvcheck::recording_detail
