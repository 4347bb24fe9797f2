// SPDX-License-Identifier: GPL-2.0-or-later
// What a campaign says at its end: verdicts, failures, and what it has reached.
#pragma once

#include <string>
#include <vector>

#include "checker/campaign/totals.hpp"
#include "checker/report/result.hpp"

namespace elvcheck {

/// Failures with the same normalised minimised case, counted once: the first of each, by property and id.
std::vector<CampaignFailure> distinct(const std::vector<CampaignFailure>& failures);

/// Writes the case of each failure into the folder, as PROPERTY-ID.toml. Returns the paths, in the same order.
std::vector<std::string> write_failures(const std::vector<CampaignFailure>& failures, const std::string& folder);

/// A result for each property that matches the glob; for each distinct failure one of the kind "Failure" with `paths`.
std::vector<Result> campaign_results(const CampaignTotals& totals, std::string_view glob,
                                     const std::vector<CampaignFailure>& failures, const std::vector<std::string>& paths);

/// Tables of decision rules and corners: how often each was reached; then those that never were.
std::string coverage_table(const CampaignTotals& totals);
/// The distribution of the cases: schedulers, devices, processes, requests, recipes.
std::string distribution_table(const CampaignTotals& totals);
/// Both as JSON.
nlohmann::ordered_json coverage_json(const CampaignTotals& totals);

}  // namespace elvcheck
