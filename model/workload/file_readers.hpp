// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that read files in all ways: what readahead has to cope with.
#pragma once

#include "model/workload/workloads.hpp"

namespace elvcheck {

WorkloadInfo file_readers_workload();

}  // namespace elvcheck
