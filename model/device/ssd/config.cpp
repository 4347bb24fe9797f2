// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/ssd/config.hpp"

namespace elvcheck {

const std::vector<Field<SsdConfig>>& SsdConfig::fields() {
  using C = SsdConfig;
  static const std::vector<Field<C>> table = {
      {"channels", "", &C::channels, 1, 64, "flash channels"},
      {"dies_per_channel", "", &C::dies_per_channel, 1, 64, "dies on each channel"},
      {"planes", "", &C::planes, 1, 8, "planes of a die, programmed and erased together"},
      {"page_kib", "KiB", &C::page_kib, 4, 64, "page of one plane; a multiple of 4"},
      {"pages_per_block", "", &C::pages_per_block, 2, 4096, "pages of a block"},
      {"blocks_per_die", "", &C::blocks_per_die, 8, 65'536, "blocks of each plane of a die"},
      {"spare_percent", "%", &C::spare_percent, 1, 400, "hidden flash, as a share of the capacity"},
      {"gc_percent", "%", &C::gc_percent, 0, 90,
       "collection begins below this share of a die's spare blocks (at least 3 blocks)"},
      {"read_ns", "ns", &C::read_ns, 1, one_minute_ns, "a die reads a page"},
      {"program_ns", "ns", &C::program_ns, 1, one_minute_ns, "a die programs a page of every plane"},
      {"erase_ns", "ns", &C::erase_ns, 1, one_minute_ns, "a die erases a block of every plane"},
      {"channel_mb_s", "MB/s", &C::channel_mb_s, 1, 100'000, "rate of a channel"},
      {"link_mb_s", "MB/s", &C::link_mb_s, 1, 100'000, "rate of the host interface"},
      {"controller_ns", "ns", &C::controller_ns, 0, 1'000'000'000, "a read in the controller"},
      {"controller_serial_ns", "ns", &C::controller_serial_ns, 0, 1'000'000'000, "the part of it that reads take in turn"},
      {"write_ns", "ns", &C::write_ns, 0, 1'000'000'000, "a write into the buffer, without the transfer"},
      {"write_serial_ns", "ns", &C::write_serial_ns, 0, 1'000'000'000, "the part of it that writes take in turn"},
      {"buffer_kib", "KiB", &C::buffer_kib, 4, 1 << 24, "write buffer"},
      {"write_through", "", &C::write_through, 0, 1, "1: a write completes when it is on flash, not in the buffer"},
      {"static_placement", "", &C::static_placement, 0, 1,
       "1: a slot is always written to the die where striping puts it, idle or not; pages of 4 KiB only"},
      {"reads_first", "", &C::reads_first, 0, 1, "1: a die takes waiting reads before waiting programs"},
      {"cache_register", "", &C::cache_register, 0, 1, "1: a programming die takes the data of its next program"},
      {"channel_commands", "", &C::channel_commands, 0, 1,
       "1: an array read begins only when the channel is free to carry the command; data come before commands"},
      {"gc_first", "", &C::gc_first, 0, 1, "1: collection, once begun, comes before the host's commands"},
      {"gc_burst", "blocks", &C::gc_burst, 1, 64, "blocks that are collected in a row"},
      {"queue_depth", "commands", &C::queue_depth, 1, largest_depth, "most commands inside the device"},
      {"volatile_cache", "", &C::volatile_cache, 0, 1, "0: the buffer survives a power cut"},
      {"fua", "", &C::fua, 0, 1, "1: understands FUA writes"},
  };
  return table;
}

}  // namespace elvcheck
