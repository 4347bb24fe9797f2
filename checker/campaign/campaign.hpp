// SPDX-License-Identifier: GPL-2.0-or-later
// A campaign: random scenarios made of corners, all properties on each, every failure minimised.
//
// A shard is a sequence of cases that depends on the plan alone, not on the number of threads, on time, or on where it was
// interrupted. Cases are grouped in rounds; the recipes of a round follow from what all rounds before it have reached. Each
// stretch of finished cases inside a round becomes one record of the shard's file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/campaign/shard_file.hpp"
#include "checker/campaign/totals.hpp"
#include "checker/cli/worker_pool.hpp"
#include "model/core/scenario.hpp"

namespace elvcheck {

struct CampaignPlan {
  std::uint64_t seed = 1;
  std::uint64_t shard = 0;  ///< 0 .. shards - 1
  std::uint64_t shards = 1;
  std::uint64_t cases = 0;  ///< of this shard, those of earlier sessions included
  std::uint32_t ios = 25;   ///< requests of a case, about
  std::string glob;         ///< of properties
  std::vector<const SchedulerInfo*> schedulers;
  std::vector<DeviceSpec> devices;
  std::string mutant;
  std::uint64_t minimize_runs = 20'000;  ///< budget for each failure
  WorkLimits limits;
};

/// The header of the shard's file: all of the plan that its cases depend on.
ShardFile::Json campaign_header(const CampaignPlan& plan);

/// The cases of a whole campaign that fall to one of its shards.
std::uint64_t cases_of_shard(std::uint64_t cases, std::uint64_t shard, std::uint64_t shards);

class Campaign {
 public:
  static constexpr std::uint64_t round_cases = 2048;

  explicit Campaign(const CampaignPlan& plan);

  /// Takes up the records of earlier sessions, in their order. Throws InputError naming `path`.
  void resume(const std::vector<ShardFile::Json>& records, const std::string& path);

  /// Runs until the planned number of cases is reached, time is up or a signal came. After each stretch of cases
  /// `finished(totals of the stretch, number of its first case)`; during it `progress(cases done)`.
  void run(const std::function<void(const CampaignTotals&, std::uint64_t)>& finished,
           const std::function<void(std::uint64_t)>& progress);

  const CampaignTotals& totals() const { return totals_; }
  /// Case number `index` of the present round.
  Scenario scenario(std::uint64_t index) const;
  /// The weights of the present round, for plan.schedulers.
  const std::vector<std::array<std::uint32_t, recipe_count>>& weights() const { return weights_; }

 private:
  struct Drawn {
    std::size_t scheduler;
    std::size_t device;
    RecipeSet recipes;
    Scenario scenario;
  };
  /// What is kept of one case until its stretch is done.
  struct CaseOutcome {
    std::size_t scheduler = 0;
    std::size_t device = 0;
    RecipeSet recipes = 0;
    std::size_t processes = 0;
    std::uint64_t requests = 0;
    Reached reached;
    std::vector<const Property*> held;  ///< with something to judge
    std::vector<const Property*> violated;
    std::vector<CampaignFailure> failures;
  };
  Drawn draw(std::uint64_t index) const;
  CaseOutcome judge(std::uint64_t index) const;
  void count(CaseOutcome&& outcome, CampaignTotals& totals) const;
  void take(const CampaignTotals& stretch);
  void steer();

  const CampaignPlan& plan_;
  std::vector<Sector> capacities_;
  std::vector<std::size_t> ideal_devices_;
  CampaignTotals totals_;
  std::vector<std::array<std::uint32_t, recipe_count>> weights_;
};

}  // namespace elvcheck
