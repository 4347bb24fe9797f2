// SPDX-License-Identifier: GPL-2.0-or-later
// The table of schedulers: names, versions, tunables, decision rules, and how to build one.
//
// A new scheduler is one file beside this one and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/block/elevator.hpp"
#include "model/core/scenario.hpp"

namespace elvcheck {

/// Which block layer a scheduler lives in, and the kernel whose block layer the model then mirrors.
enum class BlockFlavour {
  single_queue_2_6_35,  ///< one queue, queue-level plugging
  single_queue_4_4,     ///< one queue, a plug for each task, flushed by number only (up to 4.9)
  single_queue_4_19,    ///< one queue, a plug for each task, flushed by number or size
  multi_queue_6_1,      ///< blk-mq: scheduler tags, driver tags, a plug for each task
  multi_queue_6_12,     ///< blk-mq with a plug for each bio
};
inline bool is_multi_queue(BlockFlavour flavour) {
  return flavour == BlockFlavour::multi_queue_6_1 || flavour == BlockFlavour::multi_queue_6_12;
}
std::string_view to_string(BlockFlavour flavour);

/// One file under queue/iosched/, or a feature: a named difference between versions, or a patch, that can be switched.
struct TunableInfo {
  const char* name;          ///< the kernel's
  const char* unit;          ///< "ms", "requests", "", ... of the value in sysfs
  std::int64_t preset_value; ///< the kernel's default
  std::int64_t min;          ///< the store function clamps to [min, max]
  std::int64_t max;
  const char* meaning;       ///< one sentence
  bool feature = false;      ///< no file of sysfs; only a model can store it
};

/// The values of a scheduler's tunables, in the order of its table; in sysfs units.
class TunableValues {
 public:
  explicit TunableValues(std::span<const TunableInfo> table);
  /// The value of the tunable of that name. The name must be in the table.
  std::int64_t get(std::string_view name) const;
  /// Whether the table has a tunable of that name.
  bool has(std::string_view name) const;
  /// Stores as sysfs does: clamps to the range. False if there is no such tunable.
  bool store(std::string_view name, std::int64_t value);
  /// Every successful store, in order, with the clamped value: for schedulers where a store has side effects.
  const std::vector<NamedValue>& stores() const { return stores_; }
  std::span<const TunableInfo> table() const { return table_; }

 private:
  std::span<const TunableInfo> table_;
  std::vector<std::int64_t> values_;
  std::vector<NamedValue> stores_;
};

struct SchedulerInfo {
  const char* name;        ///< versioned: "mq-deadline-6.1"
  const char* sysfs_name;  ///< as in /sys/block/*/queue/scheduler: "mq-deadline"
  BlockFlavour flavour;
  const char* summary;     ///< one line: what it mirrors
  std::span<const TunableInfo> tunables;
  std::span<const DecisionRule* const> rules;  ///< every decision rule it can report
  /// One of these two is set; none for the scheduler "none".
  std::unique_ptr<SingleQueueElevator> (*make_single_queue)(ElevatorHost&, const TunableValues&);
  std::unique_ptr<MultiQueueElevator> (*make_multi_queue)(ElevatorHost&, const TunableValues&);
  /// Stores the defaults that depend on the tick rate or the device; null: none do.
  void (*store_local_defaults)(TunableValues&, const BlockSettings&, const DeviceInfo&) = nullptr;
};

/// Every scheduler, in the order in which `elvcheck list` shows them; the versions of one go from old to new.
std::span<const SchedulerInfo> schedulers();

/// The scheduler of that versioned name; a sysfs name means the newest version up to 6.1, the kernel of
/// Debian 12. Null if there is none.
const SchedulerInfo* find_scheduler(std::string_view name);

/// The table's defaults with the scenario's settings stored over them.
/// Throws std::invalid_argument naming an unknown tunable and the known ones.
TunableValues resolve_tunables(const SchedulerInfo& scheduler, const std::vector<NamedValue>& settings);
/// The same, with the defaults that this queue and device have.
TunableValues resolve_tunables(const SchedulerInfo& scheduler, const std::vector<NamedValue>& settings, const BlockSettings& block,
                               const DeviceInfo& device);

}  // namespace elvcheck
