// SPDX-License-Identifier: GPL-2.0-or-later
// The table of workloads: programs with a file system under them (find, grep -r, ...), which a scenario asks for
// by name. They run as tasks beside the scenario's own processes, on the same block layer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/core/scenario.hpp"
#include "model/filesystem/tasks.hpp"

namespace elvcheck {

/// A parameter of a workload, as case files and the command line name it.
struct WorkloadParameter {
  const char* name;
  const char* help;  ///< what it is, in a few words
  const char* unit;  ///< "" if it has none
  std::int64_t min;
  std::int64_t max;
  std::int64_t usual;                  ///< its default
  std::vector<const char*> choices{};  ///< not empty: the value is an index into these, and is written as one of them
  std::int64_t random_max = -1;  ///< most of it in random runs, which are to stay small and fit 1 GiB; -1: max
};

/// A workload under way. It lives as long as its run.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Spawns its first tasks, before the run begins. Throws std::invalid_argument if it does not fit the device.
  virtual void start(Tasks& tasks) = 0;
  /// What it measured, once the run has ended: names end in their unit ("elapsed_ns", "files").
  virtual std::vector<NamedValue> figures() const { return {}; }
};

/// The values of a workload's parameters, by name.
class WorkloadValues {
 public:
  explicit WorkloadValues(std::vector<NamedValue> values) : values_(std::move(values)) {}
  /// Throws std::logic_error for a name that the workload does not have.
  std::int64_t operator[](std::string_view name) const;

 private:
  std::vector<NamedValue> values_;
};

struct WorkloadInfo {
  const char* name;
  const char* statement;  ///< what it does, in one sentence
  std::vector<WorkloadParameter> parameters;
  std::unique_ptr<Workload> (*make)(const WorkloadValues& values, const BlockSettings& block);
};

std::span<const WorkloadInfo> workloads();
/// Null if there is none of that name.
const WorkloadInfo* find_workload(std::string_view name);
/// Builds the workload of a scenario; null if it has none. Throws std::invalid_argument (what, and how to mend it) for an
/// unknown workload or parameter, or a value out of range.
std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const BlockSettings& block);

}  // namespace elvcheck
