// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "model/scheduler/bfq/bfq.hpp"
#include "model/scheduler/bfq_v7/bfq_v7.hpp"
#include "model/scheduler/cfq/cfq.hpp"
#include "model/scheduler/deadline.hpp"
#include "model/scheduler/kyber.hpp"
#include "model/scheduler/mq_deadline.hpp"
#include "model/scheduler/noop.hpp"

namespace elvcheck {

std::string_view to_string(BlockFlavour flavour) {
  switch (flavour) {
    case BlockFlavour::single_queue_2_6_35: return "single queue of 2.6.35";
    case BlockFlavour::single_queue_4_4: return "single queue of 4.4";
    case BlockFlavour::single_queue_4_19: return "single queue of 4.19";
    case BlockFlavour::multi_queue_6_1: return "blk-mq of 6.1";
    case BlockFlavour::multi_queue_6_12: return "blk-mq of 6.12";
  }
  return "?";
}

TunableValues::TunableValues(std::span<const TunableInfo> table) : table_(table) {
  for (const TunableInfo& info : table) values_.push_back(info.preset_value);
}

std::int64_t TunableValues::get(std::string_view name) const {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].name == name) return values_[i];
  }
  throw std::logic_error("no tunable " + std::string(name));
}

bool TunableValues::has(std::string_view name) const {
  return std::any_of(table_.begin(), table_.end(), [&](const TunableInfo& info) { return info.name == name; });
}

bool TunableValues::store(std::string_view name, std::int64_t value) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].name != name) continue;
    values_[i] = std::clamp(value, table_[i].min, table_[i].max);
    stores_.push_back(NamedValue{std::string(name), values_[i]});
    return true;
  }
  return false;
}

std::span<const SchedulerInfo> schedulers() {
  using enum BlockFlavour;
  using enum bfq_v7::Release;
  using enum cfq::Version;
  static const std::array<SchedulerInfo, 17> table{{
      {"noop-2.6.35", "noop", single_queue_2_6_35, "first come, first served; block/noop-iosched.c of 2.6.34/35", {}, {},
       make_noop, nullptr},
      {"noop-4.19", "noop", single_queue_4_19, "first come, first served; block/noop-iosched.c of 4.4 to 4.20", {}, {}, make_noop,
       nullptr},
      {"deadline-2.6.35", "deadline", single_queue_2_6_35, "block/deadline-iosched.c of 2.6.34/35", deadline_tunables(),
       deadline_rules(), make_deadline_2_6_35, nullptr},
      {"deadline-4.19", "deadline", single_queue_4_19, "block/deadline-iosched.c of 4.4 to 4.20", deadline_tunables(),
       deadline_rules(), make_deadline_4_19, nullptr},
      {"cfq-2.6.34", "cfq", single_queue_2_6_35, "block/cfq-iosched.c of 2.6.34", cfq_tunables(v2_6_34), cfq_rules(),
       make_cfq<v2_6_34>, nullptr, store_cfq_local_defaults<v2_6_34>},
      {"cfq-2.6.35", "cfq", single_queue_2_6_35, "block/cfq-iosched.c of 2.6.35", cfq_tunables(v2_6_35), cfq_rules(),
       make_cfq<v2_6_35>, nullptr, store_cfq_local_defaults<v2_6_35>},
      {"cfq-4.4", "cfq", single_queue_4_4, "block/cfq-iosched.c of 4.4", cfq_tunables(v4_4), cfq_rules(), make_cfq<v4_4>, nullptr,
       store_cfq_local_defaults<v4_4>},
      {"cfq-4.19", "cfq", single_queue_4_19, "block/cfq-iosched.c of 4.14 to 4.20", cfq_tunables(v4_19), cfq_rules(),
       make_cfq<v4_19>, nullptr, store_cfq_local_defaults<v4_19>},
      {"bfq-v7r4", "bfq", single_queue_4_4, "BFQ v7r4 with Early Queue Merge, patches for 3.15 (May 2014), without control groups",
       bfq_v7_tunables(v7r4), bfq_v7_rules(), make_bfq_v7<v7r4>, nullptr, store_bfq_v7_local_defaults},
      {"bfq-v7r5", "bfq", single_queue_4_4, "BFQ v7r5 with Early Queue Merge, patches for 3.16 (August 2014), without control groups",
       bfq_v7_tunables(v7r5), bfq_v7_rules(), make_bfq_v7<v7r5>, nullptr, store_bfq_v7_local_defaults},
      {"none-6.1", "none", multi_queue_6_1, "blk-mq of 6.1 without a scheduler", {}, {}, nullptr, nullptr},
      {"mq-deadline-6.1", "mq-deadline", multi_queue_6_1, "block/mq-deadline.c of 6.1", mq_deadline_tunables(),
       mq_deadline_rules(), nullptr, make_mq_deadline_6_1},
      {"mq-deadline-6.12", "mq-deadline", multi_queue_6_12, "block/mq-deadline.c of 6.12", mq_deadline_tunables(),
       mq_deadline_rules(), nullptr, make_mq_deadline_6_12},
      {"kyber-6.1", "kyber", multi_queue_6_1, "block/kyber-iosched.c of 6.1", kyber_tunables(), kyber_rules(), nullptr,
       make_kyber_6_1},
      {"kyber-6.12", "kyber", multi_queue_6_12, "block/kyber-iosched.c of 6.12", kyber_tunables(), kyber_rules(), nullptr,
       make_kyber_6_12},
      {"bfq-6.1", "bfq", multi_queue_6_1, "block/bfq-iosched.c and bfq-wf2q.c of 6.1, without control groups", bfq_tunables_6_1(),
       bfq_rules(), nullptr, make_bfq_6_1},
      {"bfq-6.12", "bfq", multi_queue_6_12, "block/bfq-iosched.c and bfq-wf2q.c of 6.12, without control groups", bfq_tunables_6_12(),
       bfq_rules(), nullptr, make_bfq_6_12},
  }};
  return table;
}

const SchedulerInfo* find_scheduler(std::string_view name) {
  const SchedulerInfo* chosen = nullptr;
  for (const SchedulerInfo& info : schedulers()) {  // from old to new
    if (info.name == name) return &info;
    const bool usual = chosen == nullptr || info.flavour != BlockFlavour::multi_queue_6_12;
    if (info.sysfs_name == name && usual) chosen = &info;
  }
  return chosen;
}

namespace {

void store_settings(TunableValues& values, const SchedulerInfo& scheduler, const std::vector<NamedValue>& settings) {
  for (const NamedValue& setting : settings) {
    if (values.store(setting.name, setting.value)) continue;
    std::string known;
    for (const TunableInfo& info : scheduler.tunables) known += std::string(known.empty() ? "" : ", ") + info.name;
    throw std::invalid_argument("scheduler " + std::string(scheduler.name) + " has no tunable '" + setting.name + "'" +
                                (known.empty() ? "; it has none" : "; it has " + known));
  }
}

}  // namespace

TunableValues resolve_tunables(const SchedulerInfo& scheduler, const std::vector<NamedValue>& settings) {
  TunableValues values(scheduler.tunables);
  store_settings(values, scheduler, settings);
  return values;
}

TunableValues resolve_tunables(const SchedulerInfo& scheduler, const std::vector<NamedValue>& settings, const BlockSettings& block,
                               const DeviceInfo& device) {
  TunableValues values(scheduler.tunables);
  if (scheduler.store_local_defaults != nullptr) scheduler.store_local_defaults(values, block, device);
  store_settings(values, scheduler, settings);
  return values;
}

}  // namespace elvcheck
