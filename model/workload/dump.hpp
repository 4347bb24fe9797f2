// SPDX-License-Identifier: GPL-2.0-or-later
// The reads of dump(8): processes that take turns in reading one disk from front to back.
#pragma once

#include "model/workload/workloads.hpp"

namespace elvcheck {

WorkloadInfo dump_workload();

}  // namespace elvcheck
