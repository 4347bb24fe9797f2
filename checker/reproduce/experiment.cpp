// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/reproduce/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace elvcheck {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string median_and_range(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int digits = median(values) < 10 ? 2 : median(values) < 1000 ? 1 : 0;
  if (values.size() == 1) return fmt::format("{:.{}f}", values.front(), digits);
  return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", median(values), digits, *least, digits, *most, digits);
}

double Row::measured_median() const { return measured.empty() ? 0 : median(measured); }

double Row::simulated_median() const { return simulated.empty() ? 0 : median(simulated); }

double Row::ratio() const { return measured_median() == 0 ? 0 : simulated_median() / measured_median(); }

bool Row::agrees() const { return tolerance == 0 || measured.empty() || std::fabs(ratio() - 1) <= tolerance; }

}  // namespace elvcheck
