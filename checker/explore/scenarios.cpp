// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/explore/scenarios.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace elvcheck {

namespace {

/// The alphabet.
std::array<ProcessOp, 4> letters() {
  std::array<ProcessOp, 4> ops;
  ops[0].sector = 1000;
  ops[1].sector = 1008;
  ops[2].sector = 900'000;
  ops[3].op = Op::write;
  ops[3].sector = 900'008;
  ops[3].nowait = true;
  return ops;
}

}  // namespace

SmallScenarios::SmallScenarios(std::string scheduler, unsigned processes, unsigned requests)
    : scheduler_(std::move(scheduler)) {
  const auto alphabet = static_cast<std::uint8_t>(letters().size());
  std::vector<Program> longest{{}};
  for (unsigned length = 1; length <= requests; ++length) {
    std::vector<Program> longer;
    for (const Program& program : longest) {
      for (std::uint8_t letter = 0; letter < alphabet; ++letter) {
        longer.push_back(program);
        longer.back().push_back(letter);
      }
    }
    programs_.insert(programs_.end(), longer.begin(), longer.end());
    longest = std::move(longer);
  }
  std::vector<std::vector<std::uint16_t>> largest{{}};
  for (unsigned count = 1; count <= processes; ++count) {
    std::vector<std::vector<std::uint16_t>> larger;
    for (const auto& chosen : largest) {
      for (std::uint16_t program = chosen.empty() ? 0 : chosen.back(); program < programs_.size(); ++program) {
        larger.push_back(chosen);
        larger.back().push_back(program);
      }
    }
    programs_of_.insert(programs_of_.end(), larger.begin(), larger.end());
    largest = std::move(larger);
  }
  const auto length = [this](const std::vector<std::uint16_t>& chosen) {
    std::size_t sum = 0;
    for (const std::uint16_t program : chosen) sum += programs_[program].size();
    return sum;
  };
  std::stable_sort(programs_of_.begin(), programs_of_.end(),
                   [&](const auto& a, const auto& b) { return length(a) < length(b); });
}

unsigned SmallScenarios::steps(std::uint64_t n) const {
  std::size_t sum = 0;
  for (const std::uint16_t program : programs_of_.at(n)) sum += programs_[program].size();
  return static_cast<unsigned>(sum);
}

Scenario SmallScenarios::at(std::uint64_t n) const {
  const auto alphabet = letters();
  Scenario scenario;
  scenario.scheduler = scheduler_;
  for (const std::uint16_t program : programs_of_.at(n)) {
    ProcessSpec process;
    process.name = "p" + std::to_string(scenario.processes.size() + 1);
    for (const std::uint8_t letter : programs_[program]) process.ops.push_back(alphabet.at(letter));
    scenario.processes.push_back(std::move(process));
  }
  return scenario;
}

}  // namespace elvcheck
