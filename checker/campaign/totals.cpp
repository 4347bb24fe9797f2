// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/campaign/totals.hpp"

#include <stdexcept>

namespace elvcheck {

namespace {

using Json = CampaignTotals::Json;

/// Most counts of a record are 0: pairs of place and number.
Json sparse(const std::vector<std::uint64_t>& counts) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    pairs.push_back(i);
    pairs.push_back(counts[i]);
  }
  return pairs;
}

void read_sparse(const Json& pairs, std::vector<std::uint64_t>& counts) {
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) counts.at(pairs.at(i)) = pairs.at(i + 1);
}

Json numbers(const std::map<std::uint64_t, std::uint64_t>& counts) {
  Json object = Json::object();
  for (const auto& [key, value] : counts) object[std::to_string(key)] = value;
  return object;
}

template <class Map>
void sum(Map& to, const Map& from) {
  for (const auto& [key, value] : from) to[key] += value;
}

}  // namespace

CampaignTotals::OfScheduler& CampaignTotals::of(const SchedulerInfo& scheduler) {
  const auto found = schedulers.find(scheduler.name);
  if (found != schedulers.end()) return found->second;
  const std::size_t rules = rules_of(scheduler).size();
  return schedulers.emplace(scheduler.name, OfScheduler{SteeringCounts(rules), std::vector<std::uint64_t>(rules)})
      .first->second;
}

void CampaignTotals::add(const CampaignTotals& other) {
  cases += other.cases;
  requests += other.requests;
  seconds += other.seconds;
  for (const auto& [name, theirs] : other.schedulers) {
    const auto [ours, fresh] = schedulers.emplace(name, theirs);
    if (fresh) continue;
    ours->second.counts.add(theirs.counts);
    for (std::size_t i = 0; i < theirs.rule_hits.size(); ++i) ours->second.rule_hits[i] += theirs.rule_hits[i];
  }
  sum(devices, other.devices);
  sum(by_requests, other.by_requests);
  sum(by_processes, other.by_processes);
  for (const auto& [name, theirs] : other.properties) {
    properties[name].judged += theirs.judged;
    properties[name].violations += theirs.violations;
  }
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

Json CampaignTotals::to_record(std::uint64_t first) const {
  Json of_schedulers = Json::object();
  for (const auto& [name, each] : schedulers) {
    of_schedulers[name] = {{"cases", each.counts.cases},
                           {"rule_hits", each.rule_hits},
                           {"recipes", each.counts.with},
                           {"reached", each.counts.reached},
                           {"together", sparse(each.counts.together)}};
  }
  Json of_properties = Json::object();
  for (const auto& [name, each] : properties) of_properties[name] = {each.judged, each.violations};
  Json found = Json::array();
  for (const CampaignFailure& failure : failures) {
    found.push_back({{"index", failure.index},
                     {"property", failure.property},
                     {"rule", failure.rule},
                     {"id", failure.id},
                     {"message", failure.message},
                     {"ops_before", failure.ops_before},
                     {"ops_after", failure.ops_after},
                     {"runs", failure.runs},
                     {"one_minimal", failure.one_minimal},
                     {"case", failure.text}});
  }
  return {{"first", first},
          {"cases", cases},
          {"requests", requests},
          {"seconds", seconds},
          {"devices", devices},
          {"by_requests", numbers(by_requests)},
          {"by_processes", numbers(by_processes)},
          {"schedulers", std::move(of_schedulers)},
          {"properties", std::move(of_properties)},
          {"failures", std::move(found)}};
}

CampaignTotals CampaignTotals::from_record(const Json& record) {
  CampaignTotals totals;
  totals.cases = record.at("cases");
  totals.requests = record.at("requests");
  totals.seconds = record.at("seconds");
  for (const auto& [name, count] : record.at("devices").items()) totals.devices[name] = count;
  for (const auto& [key, count] : record.at("by_requests").items()) totals.by_requests[std::stoull(key)] = count;
  for (const auto& [key, count] : record.at("by_processes").items()) totals.by_processes[std::stoull(key)] = count;
  for (const auto& [name, each] : record.at("schedulers").items()) {
    const SchedulerInfo* const info = find_scheduler(name);
    if (info == nullptr) throw std::invalid_argument("unknown scheduler '" + name + "'");
    OfScheduler& of_scheduler = totals.of(*info);
    SteeringCounts& counts = of_scheduler.counts;
    counts.cases = each.at("cases");
    each.at("recipes").get_to(counts.with);
    const auto reached = each.at("reached").get<std::vector<std::uint64_t>>();
    const auto hits = each.at("rule_hits").get<std::vector<std::uint64_t>>();
    if (reached.size() != counts.reached.size() || hits.size() != of_scheduler.rule_hits.size()) {
      throw std::invalid_argument("other decision rules than this version knows");
    }
    counts.reached = reached;
    of_scheduler.rule_hits = hits;
    read_sparse(each.at("together"), counts.together);
  }
  for (const auto& [name, each] : record.at("properties").items()) {
    totals.properties[name] = {each.at(0).get<std::uint64_t>(), each.at(1).get<std::uint64_t>()};
  }
  for (const Json& each : record.at("failures")) {
    CampaignFailure& failure = totals.failures.emplace_back();
    each.at("index").get_to(failure.index);
    each.at("property").get_to(failure.property);
    each.at("rule").get_to(failure.rule);
    each.at("id").get_to(failure.id);
    each.at("case").get_to(failure.text);
    each.at("message").get_to(failure.message);
    each.at("ops_before").get_to(failure.ops_before);
    each.at("ops_after").get_to(failure.ops_after);
    each.at("runs").get_to(failure.runs);
    each.at("one_minimal").get_to(failure.one_minimal);
  }
  return totals;
}

}  // namespace elvcheck
