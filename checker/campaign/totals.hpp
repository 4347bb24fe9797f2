// SPDX-License-Identifier: GPL-2.0-or-later
// What a campaign has counted: the sum of the records of one shard or of many.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "properties/steering.hpp"

namespace elvcheck {

/// A minimised case that a campaign found.
struct CampaignFailure {
  std::uint64_t index = 0;  ///< number of the case in its shard
  std::string property;
  std::string rule;
  std::string id;    ///< case_id()
  std::string text;  ///< of the minimised case
  std::string message;
  std::uint64_t ops_before = 0;
  std::uint64_t ops_after = 0;
  std::uint64_t runs = 0;
  bool one_minimal = false;
};

class CampaignTotals {
 public:
  using Json = nlohmann::ordered_json;

  struct OfScheduler {
    SteeringCounts counts;
    std::vector<std::uint64_t> rule_hits;  ///< in the order of rules_of()
    friend bool operator==(const OfScheduler&, const OfScheduler&) = default;
  };
  struct OfProperty {
    std::uint64_t judged = 0;      ///< cases in which it had something to judge
    std::uint64_t violations = 0;  ///< of them
  };

  std::uint64_t cases = 0;
  std::uint64_t requests = 0;
  double seconds = 0;                                  ///< of wall clock, of all records
  std::map<std::string, OfScheduler> schedulers;       ///< by versioned name
  std::map<std::string, std::uint64_t> devices;        ///< cases of each
  std::map<std::string, OfProperty> properties;        ///< by name
  std::map<std::uint64_t, std::uint64_t> by_requests;  ///< cases with that many submissions, by the power of two above
  std::map<std::uint64_t, std::uint64_t> by_processes;
  std::vector<CampaignFailure> failures;

  /// The entry of a scheduler, made on first use.
  OfScheduler& of(const SchedulerInfo& scheduler);
  void add(const CampaignTotals& other);

  /// As a record: `first` is the number of its first case.
  Json to_record(std::uint64_t first) const;
  /// The inverse. Throws std::exception for something that is no record of this version.
  static CampaignTotals from_record(const Json& record);
};

}  // namespace elvcheck
