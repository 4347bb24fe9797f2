// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a flash device.
#pragma once

#include <cstdint>
#include <vector>

#include "model/device/field.hpp"

namespace elvcheck {

struct SsdConfig {
  std::int64_t channels = 8;
  std::int64_t dies_per_channel = 4;
  std::int64_t planes = 2;
  std::int64_t page_kib = 8;
  std::int64_t pages_per_block = 256;
  std::int64_t blocks_per_die = 1994;
  std::int64_t spare_percent = 7;
  std::int64_t gc_percent = 5;
  std::int64_t read_ns = 70'000;
  std::int64_t program_ns = 2'100'000;
  std::int64_t erase_ns = 3'500'000;
  std::int64_t channel_mb_s = 200;
  std::int64_t link_mb_s = 550;
  std::int64_t controller_ns = 30'000;
  std::int64_t controller_serial_ns = 10'500;
  std::int64_t write_ns = 7'000;
  std::int64_t write_serial_ns = 7'000;
  std::int64_t buffer_kib = 262'144;
  std::int64_t write_through = 0;
  std::int64_t static_placement = 0;
  std::int64_t reads_first = 0;
  std::int64_t cache_register = 1;
  std::int64_t channel_commands = 0;
  std::int64_t gc_first = 0;
  std::int64_t gc_burst = 1;
  std::int64_t queue_depth = 31;
  std::int64_t volatile_cache = 1;
  std::int64_t fua = 0;
  static const std::vector<Field<SsdConfig>>& fields();
};

}  // namespace elvcheck
