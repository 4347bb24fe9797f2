// SPDX-License-Identifier: GPL-2.0-or-later
// The table of devices.
//
// A preset is a configuration of one of the models, under a name. Unless the line says otherwise its numbers are taken from
// data sheets and public parameter sets of drives of that class and year; what no source states (command overheads, skews,
// the size of buffer segments) is set so that the published rates come out, which tests/model/device holds.
#include "model/device/preset.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "model/device/array.hpp"
#include "model/device/flat.hpp"
#include "model/device/rotational/rotational.hpp"
#include "model/device/seek.hpp"
#include "model/device/ssd/ssd.hpp"

namespace elvcheck {

namespace {

using Values = std::vector<NamedValue>;

class Table {
 public:
  Table();

  std::vector<DevicePreset> presets;
  std::vector<std::function<std::unique_ptr<Device>(const Values&)>> builders;

 private:
  /// Adds a preset: `config` with the parameters of `fields`, from which DeviceType is built.
  template <typename DeviceType, typename Config>
  void add(const char* name, const char* model, const char* summary, const Config& config,
           const std::vector<Field<Config>>& fields) {
    DevicePreset preset{name, model, summary, {}};
    for (const Field<Config>& field : fields) {
      preset.parameters.push_back({field.name, field.unit, config.*field.member, field.min, field.max, field.meaning});
    }
    presets.push_back(std::move(preset));
    builders.push_back([name, config, fields](const Values& values) -> std::unique_ptr<Device> {
      Config changed = config;
      for (const NamedValue& value : values) {
        for (const Field<Config>& field : fields) {
          if (value.name == field.name) changed.*field.member = value.value;
        }
      }
      return std::make_unique<DeviceType>(name, changed);
    });
  }
  void flat(const char* name, const char* summary, const FlatConfig& config) {
    add<FlatDevice>(name, "flat", summary, config, FlatConfig::fields());
  }
  void seek(const char* name, const char* summary, const SeekConfig& config) {
    add<SeekDevice>(name, "seek", summary, config, SeekConfig::fields());
  }
  void rotational(const char* name, const char* summary, const RotationalConfig& config) {
    std::vector<Field<RotationalConfig>> fields = RotationalConfig::fields();
    if (config.drive == nullptr) {
      const auto& geometry = RotationalConfig::geometry_fields();
      fields.insert(fields.end(), geometry.begin(), geometry.end());
    }
    add<RotationalDevice>(name, "rotational", summary, config, fields);
  }
  void array(const char* name, const char* summary, const ArrayConfig& config) {
    add<ArrayDevice>(name, "array", summary, config, ArrayConfig::fields());
  }
  void ssd(const char* name, const char* summary, const SsdConfig& config) {
    add<SsdDevice>(name, "ssd", summary, config, SsdConfig::fields());
  }
};

Table::Table() {
  flat("flat", "every command takes 1 ms, one at a time: for answers on paper", {});
  flat("flat-ssd", "every command takes 100 us, 32 at once, not rotational: for answers on paper",
       {.service_ns = 100'000, .parallel = 1, .queue_depth = 32, .rotational = 0});

  seek("seek", "100 us + 10.24 us per KiB + (unless contiguous) 2 ms + 10 ms x root of the distance; 320 MiB", {});
  const SeekConfig uml = {.start_ns = 256, .granularity_ns = 256, .retry_ns = 501};
  seek("uml-hdd1", "the same with the clock of the kernel recordings uml-hdd1-*: steps of 256 ns", uml);
  SeekConfig cached = uml;
  cached.cache_kib = 16'384;
  cached.fua = 1;
  seek("uml-hdd1c", "the same with a volatile cache, FLUSH 5 ms and FUA: the recordings uml-hdd1c-*", cached);

  rotational("sata-7200-2007", "240 GB SATA disk, 7200 rpm, NCQ; seek times of the Deskstar 7K1000.C data sheet", {});
  rotational("sata-7200-2014",
             "880 GB SATA disk, 7200 rpm, NCQ; rates and seeks of the Constellation ES.3 and 7K4000 manuals",
             {.cylinders = 320'000,
              .heads = 2,
              .zones = 20,
              .outer_sectors = 3600,
              .inner_sectors = 1800,
              .skew_ns = 990'000,
              .seek_single_ns = 700'000,
              .seek_mean_ns = 8'500'000,
              .seek_full_ns = 17'000'000,
              .head_switch_ns = 900'000,
              .read_overhead_ns = 150'000,
              .write_overhead_ns = 150'000,
              .hit_overhead_ns = 75'000,
              .bus_ns_per_sector = 985,
              .segments = 32,
              .segment_sectors = 4096,
              .write_cache_sectors = 65'536});
  const RotationalConfig ent_15k = {.cylinders = 72'170,
                                    .heads = 8,
                                    .zones = 16,
                                    .outer_sectors = 1100,
                                    .inner_sectors = 700,
                                    .skew_ns = 440'000,
                                    .seek_single_ns = 350'000,
                                    .seek_mean_ns = 3'500'000,
                                    .seek_full_ns = 7'400'000,
                                    .period_ns = 4'000'000,
                                    .head_switch_ns = 400'000,
                                    .read_overhead_ns = 100'000,
                                    .write_overhead_ns = 100'000,
                                    .hit_overhead_ns = 50'000,
                                    .bus_ns_per_sector = 1'347,
                                    .queue_depth = 32,
                                    .segments = 32,
                                    .write_cache_sectors = 0,
                                    .fua = 1};
  rotational("ent-15k-2008",
             "266 GB enterprise disk, 15000 rpm, write cache off; seek times of the Ultrastar 15K450 data sheet", ent_15k);
  rotational("hp-c2247a", "1 GB SCSI disk of 1992, 5400 rpm: as measured by DiskSim's authors",
             {.drive = &hp_c2247a,
              .period_ns = 11'111'111,
              .period_ps = 111,
              .head_switch_ns = 890'000,
              .write_settle_ns = 650'000,
              .write_least_move_ns = 600'000,
              .read_overhead_ns = 558'210,
              .write_overhead_ns = 892'440,
              .hit_overhead_ns = 978'620,
              .write_data_ns = 378'380,
              .reconnect_ns = 154'020,
              .read_status_ns = 56'650,
              .write_status_ns = 212'940,
              .bus_ns_per_sector = 170'100,
              .write_bus_ns_per_sector = 186'860,
              .bus_start_permille = 750,
              .overlap_overhead = 1,
              .hold_arm = 1,
              .queue_depth = 1,
              .age_permille = 0,
              .segments = 1,
              .segment_sectors = 256,
              .read_ahead_sectors = 128,
              .read_ahead_again = 1,
              .reach_sectors = 0,
              .write_cache_sectors = 0});
  rotational("hp-c3323a", "1 GB SCSI disk of 1994, 5396 rpm: as measured by DiskSim's authors",
             {.drive = &hp_c3323a,
              .period_ns = 11'119'347,
              .period_ps = 665,
              .head_switch_ns = 650'000,
              .write_settle_ns = 70'000,
              .read_overhead_ns = 2'502'000,
              .write_overhead_ns = 3'290'000,
              .write_after_write_overhead_ns = 2'920'000,
              .hit_overhead_ns = 348'000,
              .hit_after_write_overhead_ns = 1'387'000,
              .write_data_ns = 0,
              .read_status_ns = 241'000,
              .bus_ns_per_sector = 145'500,
              .bus_start_permille = 1000,
              .overlap_overhead = 1,
              .hold_arm = 1,
              .queue_depth = 1,
              .age_permille = 0,
              .segments = 1,
              .segment_sectors = 512,
              .read_ahead_sectors = 256,
              .read_ahead_again = 1,
              .reach_sectors = 0,
              .write_cache_sectors = 0});
  rotational("cheetah-9lp",
             "9 GB SCSI disk of 1998, 10045 rpm: zones, skews, seek table and overheads measured by DiskSim's authors",
             {.drive = &cheetah_9lp,
              .period_ns = 5'973'120,
              .period_ps = 956,
              .head_switch_ns = 30'000,
              .write_settle_ns = 461'000,
              .read_overhead_ns = 283'620,
              .read_after_write_overhead_ns = 86'730,
              .write_overhead_ns = 748'000,
              .write_after_write_overhead_ns = 500'000,
              .hit_overhead_ns = 66'000,
              .hit_after_write_overhead_ns = 273'000,
              .bus_ns_per_sector = 105'000,
              .overlap_overhead = 1,
              .hold_arm = 1,
              .queue_depth = 1,
              .age_permille = 0,
              .segments = 3,
              .segment_sectors = 561,
              .read_ahead_tracks = 1,
              .reach_sectors = 0,
              .write_cache_sectors = 1683});

  rotational("atlas-10k", "9 GB SCSI disk of 1999, 10025 rpm: as measured by DiskSim's authors",
             {.drive = &atlas_10k,
              .period_ns = 5'985'037,
              .period_ps = 406,
              .serpentine = 1,
              .head_switch_ns = 176'000,
              .write_settle_ns = 487'000,
              .read_overhead_ns = 0,
              .write_overhead_ns = 186'000,
              .write_after_write_overhead_ns = 189'000,
              .hit_overhead_ns = 184'000,
              .bus_ns_per_sector = 99'000,
              .overlap_overhead = 1,
              .hold_arm = 1,
              .queue_depth = 1,
              .age_permille = 0,
              .segments = 10,
              .segment_sectors = 374,
              .read_ahead_tracks = 1,
              .keep_passing = 1,
              .reach_sectors = 0,
              .write_cache_sectors = 374});

  array("enterprise-array-2010", "8 striped 15000 rpm disks behind a battery-backed 2 GiB cache; 4 Gbit/s link",
        {.spindle = ent_15k});

  ssd("sata-ssd-2012", "268 GB MLC SATA SSD: the Intel 520 product specification (325968-001US)",
      {.blocks_per_die = 2137,
       .read_ns = 60'000,
       .program_ns = 1'000'000,
       .erase_ns = 3'000'000,
       .channel_mb_s = 166,
       .controller_ns = 25'000,
       .controller_serial_ns = 20'000,
       .write_ns = 12'000,
       .write_serial_ns = 12'000});
  ssd("sata-ssd-2014", "250 GB TLC SATA SSD: data sheet of the Samsung 840", {});
  ssd("mqsim-nvme", "3.7 GB of flash on 32 dies, no write cache, static placement: the drive that is held against MQSim",
      {.dies_per_channel = 4,
       .planes = 1,
       .page_kib = 4,
       .pages_per_block = 64,
       .blocks_per_die = 512,
       .spare_percent = 17,
       .read_ns = 75'000,
       .program_ns = 750'000,
       .erase_ns = 3'800'000,
       .channel_mb_s = 333,
       .link_mb_s = 4000,
       .controller_ns = 0,
       .controller_serial_ns = 0,
       .write_ns = 0,
       .write_serial_ns = 0,
       .write_through = 1,
       .static_placement = 1,
       .reads_first = 1,
       .cache_register = 0,
       .channel_commands = 1,
       .gc_first = 1,
       .gc_burst = 2,
       .queue_depth = 1023,
       .volatile_cache = 0,
       .fua = 1});
  ssd("nvme-2020", "1 TB NVMe SSD on PCIe 3.0 x4",
      {.dies_per_channel = 8,
       .planes = 4,
       .page_kib = 16,
       .blocks_per_die = 997,
       .read_ns = 45'000,
       .program_ns = 600'000,
       .erase_ns = 5'000'000,
       .channel_mb_s = 1200,
       .link_mb_s = 3500,
       .controller_ns = 8'000,
       .controller_serial_ns = 2'800,
       .write_ns = 5'000,
       .write_serial_ns = 1'000,
       .queue_depth = 1023,
       .fua = 1});
}

const Table& table() {
  static const Table the_table;
  return the_table;
}

/// Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

template <typename Named>
const char* nearest(const std::vector<Named>& all, std::string_view name) {
  return std::min_element(
             all.begin(), all.end(),
             [name](const Named& a, const Named& b) { return edit_distance(a.name, name) < edit_distance(b.name, name); })
      ->name;
}

void check(const DevicePreset& preset, const NamedValue& value) {
  for (const DeviceParameter& parameter : preset.parameters) {
    if (value.name != parameter.name) continue;
    if (value.value >= parameter.min && value.value <= parameter.max) return;
    throw std::invalid_argument("device " + std::string(preset.name) + ": " + value.name + " is " +
                                std::to_string(value.value) + ", but must be in " + std::to_string(parameter.min) + ".." +
                                std::to_string(parameter.max));
  }
  throw std::invalid_argument("device " + std::string(preset.name) + " has no parameter '" + value.name +
                              "'; did you mean '" + nearest(preset.parameters, value.name) + "'?");
}

}  // namespace

std::span<const DevicePreset> device_presets() { return table().presets; }

const DevicePreset* find_device_preset(std::string_view name) {
  for (const DevicePreset& preset : table().presets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::unique_ptr<Device> make_device(const DeviceSpec& spec) {
  const DevicePreset* preset = find_device_preset(spec.preset);
  if (preset == nullptr) {
    throw std::invalid_argument("there is no device '" + spec.preset + "'; did you mean '" +
                                nearest(table().presets, spec.preset) + "'?");
  }
  for (const NamedValue& value : spec.parameters) check(*preset, value);
  try {
    return table().builders[static_cast<std::size_t>(preset - table().presets.data())](spec.parameters);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("device " + spec.preset + ": " + error.what());
  }
}

}  // namespace elvcheck
