// SPDX-License-Identifier: GPL-2.0-or-later
// Where blocks lie: layout/*.csv.gz.
#include <algorithm>
#include <cmath>

#include "model/device/preset.hpp"
#include "model/device/rotational/rotational.hpp"
#include "reference/device/table.hpp"
#include "reference/device/validate.hpp"

namespace elvcheck {

std::span<const MeasuredDrive> measured_drives() {
  static constexpr MeasuredDrive drives[] = {{"hp-c2247a", "hp_c2247a", false, 0, 92},
                                             {"hp-c3323a", "hp_c3323a", true, 20, 0},
                                             {"cheetah-9lp", "cheetah9LP", true, 10, 0},
                                             {"atlas-10k", "atlas10k", false, 0, 0}};
  return drives;
}

void validate_placement(const std::string& folder, const MeasuredDrive& drive, Measures& out) {
  const auto device = make_device({.preset = drive.preset, .parameters = {}});
  const Layout& layout = dynamic_cast<const RotationalDevice&>(*device).mechanics().layout();
  const MeasureTable table(folder + "/layout/" + drive.file + "_lbn.csv.gz");
  const std::size_t lbn = table.column("lbn");
  const std::size_t cylinder = table.column("cylinder");
  const std::size_t head = table.column("head");
  const std::size_t sector = table.column("sector");
  const std::size_t sectors_per_track = table.column("sectors_per_track");
  const std::size_t angle = table.column("angle_turns");
  std::size_t wrong = 0;
  double farthest = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Sector block = table.whole(row, lbn);
    if (block >= layout.capacity()) table.fail(row, "block " + std::to_string(block) + " is behind the drive's end");
    const Place place = layout.place(block);
    const bool right = place.cylinder == table.whole(row, cylinder) && place.head == table.whole(row, head) &&
                       place.sector == table.whole(row, sector) &&
                       place.sectors_per_track == table.whole(row, sectors_per_track);
    if (!right) ++wrong;
    const double apart = std::remainder(static_cast<double>(place.angle) / 4294967296.0 - table.fraction(row, angle), 1.0);
    farthest = std::max(farthest, std::fabs(apart));
  }
  out.at_least(1, "placement.samples", "", static_cast<double>(table.rows()));
  out.at_most(0, "placement.misplaced", "", static_cast<double>(wrong));
  out.at_most(1, "placement.angle", "1e-6 turn", farthest * 1e6);
}

}  // namespace elvcheck
