// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "reference/recording/raw_event.hpp"

namespace elvcheck::recording_detail {

/// Follows bios and requests through `raw` (one device, in order of time) and fills out.events, out.running, the has_*
/// facts, and warnings on what had to be inferred or left out. See assemble.cpp for the rules.
void follow_requests(const std::vector<RawEvent>& raw, Recording& out);

}  // namespace elvcheck::recording_detail
