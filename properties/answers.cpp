// SPDX-License-Identifier: GPL-2.0-or-later
// operations.answered: when nothing is left to happen, everybody has been answered. What a trace cannot show (blktrace has
// no event for the end of a bio) the end of a simulation can: who still waits, and what was never given back.
#include <fmt/format.h>

#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

class Answers : public Monitor {
 public:
  explicit Answers(const RunFacts&) {}
  void watch(const Machine& machine) override { machine_ = &machine; }
  EventKinds wants() const override { return event_kinds(EventKind::queue); }
  void on_event(const TraceEvent& event) override {
    if (event.kind == EventKind::queue) judge(0);
  }
  void finish(Nanoseconds end, bool complete_run) override {
    if (machine_ == nullptr || !complete_run) return;
    const RunResult& result = machine_->result();
    if (result.operations_left > 0) {
      violate({"unanswered", fmt::format("{} operations were never answered", result.operations_left), end, 0,
               result.operations_left, 0});
    }
    if (!result.stuck_process.empty()) {
      violate({"stuck", fmt::format("process '{}' never ended", result.stuck_process), end, 0, 1, 0});
    }
    if (result.requests_left > 0) {
      violate({"request-kept", fmt::format("{} requests were never freed", result.requests_left), end, 0,
               result.requests_left, 0});
    }
  }

 private:
  const Machine* machine_ = nullptr;
};

}  // namespace

Property operations_answered() {
  return {
      "operations.answered",
      "When nothing is left to happen, every operation has been answered, every process has ended and every request is "
      "given "
      "back.",
      "block/bio.c: bio_endio is called once for each bio; block/blk-core.c, blk-mq.c: a request is freed with its last bio",
      "0 operations, 0 processes, 0 requests",
      [](const RunFacts& facts) { return facts.simulated; },
      make_monitor<Answers>,
      nullptr};
}

}  // namespace elvcheck::property
