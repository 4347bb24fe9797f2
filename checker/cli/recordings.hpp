// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings of real machines as results: properties judged on the recording, and its submissions replayed through the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/report/result.hpp"

namespace elvcheck {

/// The shipped recordings that `elvcheck run` judges, one path for each recording.
std::vector<std::string> shipped_recordings();

/// A result for the properties of a shipped recording that match the glob, and one for the comparison with the model if the model
/// has its scheduler. Throws InputError.
std::vector<Result> judge_shipped_recording(const std::string& path, std::string_view glob);

}  // namespace elvcheck
