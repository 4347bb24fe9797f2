// SPDX-License-Identifier: GPL-2.0-or-later
// The readers and comparisons of validate-device, on files of a few lines. The places are DiskSim's for the HP C2247A.
#include "reference/device/validate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "properties/case_file.hpp"
#include "reference/device/table.hpp"

namespace elvcheck {
namespace {

class ValidateDevice : public testing::Test {
 protected:
  ValidateDevice() {
    folder_ = std::filesystem::temp_directory_path() / ("elvcheck-validate-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "layout");
    std::filesystem::create_directories(folder_ / "hardware");
  }
  ~ValidateDevice() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;  // plain text is read like gzip
    return path;
  }
  static double figure(const Measures& measures, std::string_view name) {
    const auto found =
        std::find_if(measures.all().begin(), measures.all().end(), [&](const Measure& m) { return m.name == name; });
    return found == measures.all().end() ? -1 : found->ours;
  }
  static std::string message(const std::function<void()>& action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder_;
  const MeasuredDrive& hp_ = measured_drives().front();
};

constexpr const char* places =
    "lbn,cylinder,head,sector,sectors_per_track,angle_turns\n"
    "0,1,4,0,96,0.66666666\n"
    "1,1,4,1,96,0.67708332\n"
    "157,1,5,61,96,0.44791666\n";

TEST_F(ValidateDevice, PlacesThatAgree) {
  write("layout/hp_c2247a_lbn.csv.gz", places);
  Measures out(hp_.preset);
  validate_placement(folder_.string(), hp_, out);
  EXPECT_EQ(figure(out, "placement.samples"), 3);
  EXPECT_EQ(figure(out, "placement.misplaced"), 0);
  EXPECT_TRUE(std::all_of(out.all().begin(), out.all().end(), [](const Measure& m) { return m.held(); }));
}

TEST_F(ValidateDevice, AWrongHeadAndAWrongAngleAreMisses) {
  std::string text = places;
  text.replace(text.find("157,1,5"), 7, "157,1,6");
  text.replace(text.find("0.67708332"), 10, "0.67718332");
  write("layout/hp_c2247a_lbn.csv.gz", text);
  Measures out(hp_.preset);
  validate_placement(folder_.string(), hp_, out);
  EXPECT_EQ(figure(out, "placement.misplaced"), 1);
  EXPECT_NEAR(figure(out, "placement.angle"), 100, 1);
  EXPECT_EQ(std::count_if(out.all().begin(), out.all().end(), [](const Measure& m) { return !m.held(); }), 2);
}

// One read from the buffer after one that fills it: the drive's own time for two blocks is 1.3755 ms in DiskSim.
TEST_F(ValidateDevice, HitsOfTheHpC2247a) {
  write("hardware/hp_c2247a.csv.gz",
        "op,lbn,blocks,measured_us,think_us,flag,disksim_us\n"
        "R,564347,2,14095.37,13876.27,M,21649.3\n"
        "R,564349,2,1375.5,18746.77,H,1375.5\n");
  Measures out(hp_.preset);
  validate_hardware(folder_.string(), hp_, out);
  EXPECT_GE(figure(out, "hardware.within-0.3ms"), 50) << "the second request agrees";
}

TEST_F(ValidateDevice, BadDataAreNamedWithFileAndLine) {
  const auto place = [&] {
    Measures out(hp_.preset);
    validate_placement(folder_.string(), hp_, out);
  };
  const std::string path = (folder_ / "layout/hp_c2247a_lbn.csv.gz").string();
  EXPECT_NE(message(place).find(path + ": cannot be opened"), std::string::npos);
  const std::string head = "lbn,cylinder,head,sector,sectors_per_track,angle_turns\n";
  const std::pair<std::string, std::string> cases[] = {
      {head + "0,1,4,0,96,0.6\n7,1\n", ":3: 2 cells"},
      {head + "x,1,4,0,96,0.6\n", ":2: column lbn: 'x' is not a whole number"},
      {head + "0,1,4,0,96,?\n", ":2: column angle_turns: '?' is not a number"},
      {head + "99999999,1,4,0,96,0.6\n", ":2: block 99999999 is behind the drive's end"},
      {"lbn,cylinder\n0,1\n", ":1: no column 'head'"},
      {head + "0,1,4,0,96,0.6", ":2: the file ends in the middle of a line"},
      {"", ": empty"}};
  for (const auto& [text, expected] : cases) {
    write("layout/hp_c2247a_lbn.csv.gz", text);
    EXPECT_NE(message(place).find(path + expected), std::string::npos) << message(place) << "\nshould have " << expected;
  }
}

}  // namespace
}  // namespace elvcheck
