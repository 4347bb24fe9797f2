// SPDX-License-Identifier: GPL-2.0-or-later
// The JSON report: one object, stable keys in snake_case, units in the key. A key without a value is left out.
#include "checker/report/result.hpp"

namespace elvcheck {

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json results = Json::array();
  for (const Result& result : report.results) {
    Json entry = {{"name", result.name}, {"verdict", to_string(result.outcome)}};
    const auto put = [&](const char* key, const std::string& text) {
      if (!text.empty()) entry[key] = text;
    };
    put("scheduler", result.scheduler);
    put("device", result.device);
    put("workload", result.workload);
    put("case", result.case_path);
    put("replay", result.replay);
    put("detail", result.detail);
    entry["violations"] = result.violations;
    entry["judged"] = result.judged;
    entry["seconds"] = std::chrono::duration<double>(result.time).count();
    entry.update(result.extra);
    results.push_back(std::move(entry));
  }
  Json object = {{"elvcheck", version()}, {"command", report.command}, {"seed", report.seed}};
  if (report.interrupted) object["interrupted"] = true;
  object["results"] = std::move(results);
  object["summary"] = report.summary;
  // Names and paths may hold any bytes; what is not UTF-8 is replaced.
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace elvcheck
