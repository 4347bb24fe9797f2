// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/explore/systems.hpp"

namespace elvcheck {

std::vector<StarvationQuestion> starvation_questions(const std::string& scheduler, SystemSize size) {
  std::vector<StarvationQuestion> questions;
  // The registry's names begin with that of the family. What mq-deadline adds, classes and aging, is not explored.
  if (scheduler.starts_with("deadline")) {
    questions.push_back({"expired-read", "A read that is past its deadline is dispatched after finitely many others.", false,
                         deadline_system(size, false, 2)});
    questions.push_back({"expired-write", "A write that is past its deadline is dispatched after finitely many others.",
                         false, deadline_system(size, true, 2)});
  }
  if (scheduler.starts_with("cfq") && size.processes > 1) {
    questions.push_back({"same-class", "A busy queue gets its slice after finitely many slots of others of its class.",
                         false, cfq_system(size, false)});
    questions.push_back({"real-time-beside", "A busy queue gets its slice while a queue of the real-time class goes on.",
                         true, cfq_system(size, true)});
  }
  return questions;
}

}  // namespace elvcheck
