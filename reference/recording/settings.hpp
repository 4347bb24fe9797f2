// SPDX-License-Identifier: GPL-2.0-or-later
// The settings under which a recording was made, read from a side file: NAME.md beside NAME.blkparse.txt, NAME.blktrace.N,
// NAME.ftrace.txt or NAME.iologN (each also with .gz).
//
// The side file is prose for people with two things in it for this program: a line that begins with "Kernel:" and says HZ=N,
// and after a line "Settings:" a fenced block of lines "NAME VALUE". Names are those of sysfs: files under queue/
// (scheduler, nr_requests, nomerges, max_sectors_kb, rotational, write_cache), queue/iosched/* as iosched/NAME, module
// parameters as null_blk.NAME, nullb.NAME, scsi_debug.NAME. Lines with other names are kept out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/scenario.hpp"

namespace elvcheck {

struct RecordingSettings {
  std::string path;                  ///< of the side file
  std::string scheduler;             ///< the one in brackets, a sysfs name; empty: not said
  std::vector<NamedValue> tunables;  ///< queue/iosched/*
  BlockSettings block;               ///< what is not said keeps its preset
  std::optional<DeviceSpec> device;  ///< from the parameters of null_blk's service-time model or of scsi_debug
};

/// The settings beside a recording, or nothing if there is no side file or no line "Settings:" in it. Throws InputError for
/// a malformed one.
std::optional<RecordingSettings> read_settings(const std::string& recording_path);

/// Where read_settings() looks.
std::string settings_path(const std::string& recording_path);

/// Reads the text of a side file; `name` stands in errors. Throws InputError.
RecordingSettings parse_settings(std::string_view text, const std::string& name);

}  // namespace elvcheck
