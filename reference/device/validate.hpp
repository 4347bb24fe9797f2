// SPDX-License-Identifier: GPL-2.0-or-later
// The device models held against real drives and against other simulators.
//
// The data are not part of this project; they are read from a folder: for four drives the place of many blocks (layout/),
// the service times that their makers' hardware had on recorded requests (hardware/), what DiskSim 4.0 gives for single
// requests (disksim/), and summaries of MQSim runs (mqsim/). README.md says where they come from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace elvcheck {

/// One figure beside what it should be.
struct Measure {
  enum class Bound { none, at_most, at_least };
  std::string device;  ///< the preset
  std::string name;    ///< "hardware.demerit"
  std::string unit;    ///< "% of mean", "us", ...
  double ours = 0;
  Bound bound = Bound::none;
  double target = 0;
  std::optional<double> theirs;  ///< the same figure of the other simulator

  bool held() const { return bound == Bound::none || (bound == Bound::at_most ? ours <= target : ours >= target); }
};

/// A preset and the name of its data files.
struct MeasuredDrive {
  const char* preset;
  const char* file;
  bool has_streams;        ///< with files in disksim/
  double median_error_us;  ///< that is allowed against DiskSim
  double within_300us;  ///< share of the single requests in percent that must be so near to the hardware; 0: by distribution
                        ///< only
};
std::span<const MeasuredDrive> measured_drives();

/// Every one throws InputError, with file and line where there is one, for data that cannot be read.
/// Cylinder, head, sector, sectors per track and angle of every sample of layout/.
void validate_placement(const std::string& folder, const MeasuredDrive& drive, std::vector<Measure>& out);
/// Single requests against DiskSim, disksim/.
void validate_streams(const std::string& folder, const MeasuredDrive& drive, std::vector<Measure>& out);
/// Recorded requests against the drive itself, hardware/.
void validate_hardware(const std::string& folder, const MeasuredDrive& drive, std::vector<Measure>& out);

}  // namespace elvcheck
