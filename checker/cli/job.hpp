// SPDX-License-Identifier: GPL-2.0-or-later
// A fio job file as a scenario: `elvcheck run --job FILE.fio`.
#pragma once

#include <string>
#include <vector>

#include "checker/report/result.hpp"
#include "model/core/scenario.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

struct JobPlan {
  std::string file;
  std::vector<const SchedulerInfo*> schedulers;
  DeviceSpec device;
  std::string glob;  ///< of properties
};

struct JobOutcome {
  std::vector<Result> results;  ///< one for each scheduler
  std::string table;            ///< IOPS, MB/s, mean and 99th percentile of completion latency for each scheduler
};

/// Runs the job under each scheduler. Throws InputError for a job file that cannot be run.
JobOutcome run_job(const JobPlan& plan);

}  // namespace elvcheck
