// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a rotating disk.
#pragma once

#include <cstdint>
#include <vector>

#include "model/device/field.hpp"
#include "model/device/rotational/drives.hpp"
#include "model/device/rotational/mechanics.hpp"

namespace elvcheck {

struct RotationalConfig {
  static constexpr std::int64_t same = -1;  ///< of a parameter: as the one that it is a variant of

  const DriveFacts* drive = nullptr;  ///< a real drive's geometry instead of that of the next lines

  // Geometry without a drive's facts: zones of equally many cylinders, sectors per track falling in equal steps.
  std::int64_t cylinders = 120'000;
  std::int64_t heads = 4;
  std::int64_t zones = 16;
  std::int64_t outer_sectors = 1300;
  std::int64_t inner_sectors = 650;
  std::int64_t skew_ns = 1'210'000;
  std::int64_t seek_single_ns = 1'100'000;
  std::int64_t seek_mean_ns = 8'500'000;
  std::int64_t seek_full_ns = 17'500'000;

  std::int64_t period_ns = 8'333'333;
  std::int64_t period_ps = 0;
  std::int64_t serpentine = 0;
  std::int64_t head_switch_ns = 1'100'000;
  std::int64_t write_settle_ns = 500'000;
  std::int64_t write_least_move_ns = 0;
  std::int64_t read_overhead_ns = 250'000;
  std::int64_t read_after_write_overhead_ns = same;
  std::int64_t write_overhead_ns = 250'000;
  std::int64_t write_after_write_overhead_ns = same;
  std::int64_t hit_overhead_ns = 125'000;
  std::int64_t hit_after_write_overhead_ns = same;
  std::int64_t write_data_ns = same;
  std::int64_t reconnect_ns = 0;
  std::int64_t read_status_ns = 0;
  std::int64_t write_status_ns = 0;
  std::int64_t bus_ns_per_sector = 2'048;
  std::int64_t write_bus_ns_per_sector = same;
  std::int64_t bus_start_permille = 0;
  std::int64_t overlap_overhead = 0;
  std::int64_t hold_arm = 0;
  std::int64_t queue_depth = 31;
  std::int64_t order = 1;
  std::int64_t age_permille = 6;
  std::int64_t age_limit_ns = 2'000'000'000;
  std::int64_t segments = 16;
  std::int64_t segment_sectors = 1024;
  std::int64_t read_ahead_sectors = same;
  std::int64_t read_ahead_tracks = 0;
  std::int64_t read_ahead_again = 0;
  std::int64_t keep_passing = 0;
  std::int64_t reach_sectors = 1024;
  std::int64_t write_cache_sectors = 4096;
  std::int64_t fua = 0;

  /// The parameters of every rotating disk; `geometry_fields` are those that a drive with facts does not have.
  static const std::vector<Field<RotationalConfig>>& fields();
  static const std::vector<Field<RotationalConfig>>& geometry_fields();

  /// Throws std::invalid_argument if these numbers make no disk.
  Mechanics mechanics() const;
};

}  // namespace elvcheck
