// SPDX-License-Identifier: GPL-2.0-or-later
// The submissions of a recording, done again on a block layer under virtual time: the recorded scheduler's model for a
// comparison with the recorded issues, or any other scheduler for the question what it would have made of the same stream.
//
// The stream is open loop: each process submits at the recorded times, whatever the replay's completions do. A process that
// the replay blocks (no free request) does its later steps as soon as it goes on. What a recording lacks: I/O priorities
// (none is assumed, except where ftrace of 6.10 and later prints them), REQ_PRIO and REQ_IDLE, processes' exits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "reference/recording/comparison.hpp"
#include "reference/recording/recording.hpp"
#include "reference/recording/settings.hpp"

namespace elvcheck {

/// Which device answers in a replay.
enum class ReplayDevice : std::uint8_t {
  recorded,  ///< each command takes the recorded time (see recorded_device.hpp); others go to the model device
  model,     ///< the model device alone
};

struct ReplaySetup {
  std::string scheduler;  ///< a name for find_scheduler()
  std::vector<NamedValue> tunables;
  BlockSettings block;
  DeviceSpec device;  ///< of the model
  ReplayDevice answers = ReplayDevice::recorded;
  std::vector<std::string> notes;  ///< one sentence each: what was assumed, and why
};

/// The setup that a recording suggests. Scheduler: `scheduler` if not empty, else that of the settings, else "none" if
/// hardly any request was inserted into a scheduler, else "mq-deadline". Tunables of the settings hold for the settings'
/// scheduler only. Device: that of the settings, else `flat` with the median recorded time. Throws InputError for a
/// recording whose scheduler is not modelled (then `scheduler` must say one).
ReplaySetup choose_setup(const Recording& recording, const std::optional<RecordingSettings>& settings,
                         const std::string& scheduler = {});

struct Replay {
  std::vector<TraceEvent> events;  ///< times from the recording's first event
  RunFacts facts;
  std::uint64_t unknown_commands = 0;  ///< ReplayDevice::recorded: commands that the recording does not show
};

/// Runs it. Throws InputError for a recording without submissions or one that does not fit the device, std::invalid_argument
/// for an unknown scheduler, tunable or device.
Replay replay(const Recording& recording, const ReplaySetup& setup);

/// What is known about the recorded run itself, for properties judged on Recording::events.
RunFacts recording_facts(const Recording& recording, const std::optional<RecordingSettings>& settings);

}  // namespace elvcheck
