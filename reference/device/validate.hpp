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

/// The figures of one device, in the order in which they are reported.
class Measures {
 public:
  explicit Measures(std::string device) : device_(std::move(device)) {}
  /// A figure that is reported, not judged.
  void add(std::string name, std::string unit, double ours, std::optional<double> theirs = {}) {
    all_.push_back({device_, std::move(name), std::move(unit), ours, Measure::Bound::none, 0, theirs});
  }
  void at_most(double target, std::string name, std::string unit, double ours, std::optional<double> theirs = {}) {
    all_.push_back({device_, std::move(name), std::move(unit), ours, Measure::Bound::at_most, target, theirs});
  }
  void at_least(double target, std::string name, std::string unit, double ours, std::optional<double> theirs = {}) {
    all_.push_back({device_, std::move(name), std::move(unit), ours, Measure::Bound::at_least, target, theirs});
  }
  const std::vector<Measure>& all() const { return all_; }

 private:
  std::string device_;
  std::vector<Measure> all_;
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
void validate_placement(const std::string& folder, const MeasuredDrive& drive, Measures& out);
/// Single requests against DiskSim, disksim/.
void validate_streams(const std::string& folder, const MeasuredDrive& drive, Measures& out);
/// Recorded requests against the drive itself, hardware/.
void validate_hardware(const std::string& folder, const MeasuredDrive& drive, Measures& out);

/// The preset that is held against MQSim, and its figures, mqsim/.
inline constexpr const char* mqsim_preset = "mqsim-nvme";
void validate_mqsim(const std::string& folder, Measures& out);

}  // namespace elvcheck
