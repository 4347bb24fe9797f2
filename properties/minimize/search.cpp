// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/minimize/search.hpp"

#include <stdexcept>

#include "model/device/preset.hpp"
#include "properties/case_check.hpp"

namespace elvcheck {

namespace {

class Mixer {
 public:
  void add(std::uint64_t value) {
    a_ = mix(a_ ^ value);
    b_ = mix(b_ + value + 0x632BE59BD9B4E019U);
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  void add(const IoPrio& prio) { add(static_cast<std::uint64_t>(prio.io_class) << 8U | prio.level); }
  void add(const std::vector<NamedValue>& values) {
    add(values.size());
    for (const NamedValue& value : values) {
      add(value.name);
      add(static_cast<std::uint64_t>(value.value));
    }
  }
  void add(const ProcessOp& op) {
    add(static_cast<std::uint64_t>(op.kind) | static_cast<std::uint64_t>(op.op) << 8U |
        static_cast<std::uint64_t>(op.flags) << 16U | static_cast<std::uint64_t>(op.nowait) << 32U);
    for (const std::uint64_t value :
         {op.sector, std::uint64_t{op.sectors}, std::uint64_t{op.count}, static_cast<std::uint64_t>(op.stride), op.span,
          op.seed, std::uint64_t{op.depth}, static_cast<std::uint64_t>(op.think.count()),
          static_cast<std::uint64_t>(op.time.count()), std::uint64_t{op.target}}) {
      add(value);
    }
    add(op.ioprio);
  }
  Fingerprint result() const { return {a_, b_}; }

 private:
  // The finaliser of splitmix64.
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t a_ = 0x9E3779B97F4A7C15U;
  std::uint64_t b_ = 0xD1B54A32D192ED03U;
};

}  // namespace

Fingerprint fingerprint(const Scenario& scenario) {
  Mixer mixer;
  mixer.add(scenario.scheduler);
  mixer.add(scenario.mutant);
  mixer.add(static_cast<std::uint64_t>(scenario.limit.count()));
  mixer.add(scenario.tunables);
  mixer.add(scenario.device.preset);
  mixer.add(scenario.device.parameters);
  const BlockSettings& block = scenario.block;
  for (const unsigned value : {block.hz, block.nr_requests, block.nomerges, block.max_sectors, block.max_segments,
                               unsigned{block.plug_each_bio}, unsigned{block.blk_cgroup}, block.refuse_every}) {
    mixer.add(std::uint64_t{value});
  }
  for (const IoGroup& group : block.groups) {
    mixer.add(group.name);
    mixer.add(std::uint64_t{group.weight} << 32 | group.parent);
  }
  for (const ProcessSpec& process : scenario.processes) {
    mixer.add(process.name);
    mixer.add(process.ioprio);
    mixer.add(std::uint64_t{process.group});
    mixer.add(process.ops.size());
    for (const ProcessOp& op : process.ops) mixer.add(op);
  }
  mixer.add(scenario.workload.name);
  mixer.add(scenario.workload.parameters);
  return mixer.result();
}

// Fit to be written and read as a case file: the reader asks for more than the machine does.
bool MinimizeSearch::is_well_formed(const Scenario& candidate) {
  if (candidate.processes.empty() && candidate.workload.name.empty()) return false;
  try {
    if (capacity_ == 0 || candidate.device != measured_) {
      capacity_ = make_device(candidate.device)->info().capacity;
      measured_ = candidate.device;
    }
    for (std::size_t i = 0; i < candidate.processes.size(); ++i) {
      ProgramChecker checker(capacity_, static_cast<std::uint32_t>(i));
      for (const ProcessOp& op : candidate.processes[i].ops) checker.add(op);
      checker.finish();
    }
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool MinimizeSearch::attempt(Scenario candidate) {
  if (over_ || candidate == best_) return false;
  if (runs_ >= limits_.runs || (limits_.cancelled && limits_.cancelled())) {
    over_ = true;
    return false;
  }
  if (!tried_.insert(fingerprint(candidate)).second) return false;  // what was kept before was larger than the best is now
  if (!is_well_formed(candidate)) return false;
  ++runs_;
  if (!shows_(candidate)) return false;
  best_ = std::move(candidate);
  ++accepted_;
  return true;
}

}  // namespace elvcheck
