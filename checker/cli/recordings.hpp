// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings of real machines: properties judged on the recording itself, and its submissions replayed through the models.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/report/result.hpp"
#include "properties/property.hpp"
#include "reference/recording/replay.hpp"

namespace elvcheck {

/// Judges every property that speaks of single runs, applies to what is known of the recorded run, and matches the glob.
std::vector<Verdict> judge_recording(const Recording& recording, const RunFacts& facts, std::string_view glob);

/// The setup of a replay and its outcome held against the recording.
struct ReplayCheck {
  ReplaySetup setup;
  Replay replayed;
  Comparison comparison;
};

/// Replays with the recorded device times, or on `device` if one is given. `scheduler` empty: the recorded one.
/// Throws InputError if the models do not have it.
ReplayCheck check_replay(const Recording& recording, const std::optional<RecordingSettings>& settings,
                         const std::string& scheduler = {}, const std::optional<DeviceSpec>& device = {});

/// Two columns around the first issue at which recording and replay part; empty if they never do.
std::string first_divergence(const Recording& recording, const ReplayCheck& check);

/// The shipped recordings that `elvcheck run` judges: one file for each recording that is there in several formats.
std::vector<std::string> shipped_recordings();

/// Results for a shipped recording: its properties, and, if the models have its scheduler, the comparison: held if at least
/// 99 % of the issues are in the recorded order and 99 % within 2 us of the recorded time. Throws InputError.
std::vector<Result> judge_shipped_recording(const std::string& path, std::string_view glob);

}  // namespace elvcheck
