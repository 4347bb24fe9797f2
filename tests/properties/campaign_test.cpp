// SPDX-License-Identifier: GPL-2.0-or-later
// All properties on random scenarios: what is not marked as refuted holds on every scheduler here, and none is idle for
// ever.
#include <gtest/gtest.h>

#include <map>

#include "model/device/preset.hpp"
#include "properties/case_file.hpp"
#include "properties/generator.hpp"
#include "properties/property.hpp"

namespace elvcheck {
namespace {

TEST(Campaign, EveryPropertyHoldsOnRandomScenarios) {
  const char* const count_text = std::getenv("ELVCHECK_TEST_CAMPAIGN");
  const std::uint64_t count = count_text == nullptr ? 12 : std::strtoull(count_text, nullptr, 10);
  std::map<std::string, std::uint64_t> judged;
  for (const SchedulerInfo& scheduler : schedulers()) {
    for (const char* preset : {"flat", "flat-ssd", "seek", "uml-hdd1c"}) {
      DeviceSpec device;
      device.preset = preset;
      const Sector capacity = make_device(device)->info().capacity;
      for (std::uint64_t index = 0; index < count; ++index) {
        const Scenario scenario = generate_scenario(1, index, scheduler, device, capacity, 120);
        for (const Verdict& verdict : judge_scenario(scenario, "")) {
          judged[verdict.property->name] += verdict.judged;
          if (!verdict.violation) continue;
          CaseFile value;
          value.property = verdict.property->name;
          value.scenario = scenario;
          ADD_FAILURE() << verdict.property->name << ": " << verdict.violation->rule << ": " << verdict.violation->message
                        << "\n"
                        << format_case(value);
          return;  // one counterexample says enough
        }
      }
    }
  }
  // Aging needs a run of ten seconds or a tunable that the generator does not draw; tests/cases has it.
  for (const auto& [name, times] : judged) {
    if (name == "mq-deadline.aging") continue;
    EXPECT_GT(times, 0U) << name << " never had anything to judge";
  }
}

}  // namespace
}  // namespace elvcheck
