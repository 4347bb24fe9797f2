// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/machine.hpp"

#include <stdexcept>

#include "model/core/mutant.hpp"
#include "model/core/stop.hpp"
#include "model/device/preset.hpp"
#include "model/workload/processes.hpp"
#include "model/workload/workloads.hpp"

namespace elvcheck {

namespace {

const SchedulerInfo& scheduler_of(const std::string& name) {
  const SchedulerInfo* info = find_scheduler(name);
  if (info != nullptr) return *info;
  std::string known;
  for (const SchedulerInfo& each : schedulers()) known += std::string(known.empty() ? "" : ", ") + each.name;
  throw std::invalid_argument("unknown scheduler '" + name + "'; known are " + known);
}

Mutant mutant_of(const std::string& name) {
  if (name.empty()) return Mutant::none;
  const MutantInfo* info = find_mutant(name);
  if (info == nullptr) throw std::invalid_argument("unknown planted bug '" + name + "'; `elvcheck list mutants` shows them");
  return info->mutant;
}

thread_local const SeamMaker* seam_maker = nullptr;

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

BehindTheSeam::BehindTheSeam(SeamMaker maker) : maker_(std::move(maker)), before_(seam_maker) { seam_maker = &maker_; }
BehindTheSeam::~BehindTheSeam() { seam_maker = before_; }

namespace {

/// The scenario's own processes and the tasks of its workload behind one host: the tasks have the higher pids.
class Hosts final : public BlockLayerHost {
 public:
  Hosts(Processes& processes, Tasks* tasks) : processes_(processes), tasks_(tasks) {}
  void bio_done(Bio& bio) override { host_of(bio.process).bio_done(bio); }
  void wake(ProcessId process) override { host_of(process).wake(process); }

 private:
  BlockLayerHost& host_of(ProcessId process) {
    if (tasks_ != nullptr && process >= tasks_->first_pid()) return *tasks_;
    return processes_;
  }
  Processes& processes_;
  Tasks* tasks_;
};

}  // namespace

struct Machine::Parts {
  Parts(const Scenario& given, std::unique_ptr<Workload> own) : scenario(given), mutant(mutant_of(given.mutant)) {
    const PlantMutant plant(mutant);
    device = make_device(scenario.device);
    const SchedulerInfo& scheduler = scheduler_of(scenario.scheduler);
    BlockSettings& block = scenario.block;
    require(block.hz >= 24 && block.hz <= 1000, "hz must be between 24 and 1000");
    require(block.nomerges <= 2, "nomerges must be 0, 1 or 2");
    require(block.max_sectors > 0 && block.max_segments > 0, "max_sectors and max_segments must be at least 1");
    for (std::size_t i = 0; i < block.groups.size(); ++i)
      require(block.groups[i].weight > 0 && block.groups[i].parent <= i,
              "group " + std::to_string(i + 1) +
                  ": its weight must be at least 1 and its parent an earlier group (or 0, the root)");
    for (const ProcessSpec& spec : scenario.processes)
      require(spec.group <= block.groups.size(), "process '" + spec.name + "' is in a group that does not exist");
    block.nr_requests =
        resolve_nr_requests(block, scheduler.flavour,
                            scheduler.make_multi_queue != nullptr || scheduler.make_single_queue != nullptr, device->info());
    facts.scheduler = &scheduler;
    facts.tunables = resolve_tunables(scheduler, scenario.tunables, block, device->info());
    facts.device = device->info();
    facts.block = block;
    facts.workload = scenario.workload.name;
    processes = std::make_unique<Processes>(scenario, events, device->info(), last_bio);
    workload = own != nullptr ? std::move(own) : make_workload(scenario.workload, block);
    if (workload != nullptr) {
      const auto first_pid =
          static_cast<ProcessId>(Processes::first_pid + static_cast<ProcessId>(scenario.processes.size()));
      tasks = std::make_unique<Tasks>(events, trace, device->info(), block.max_sectors, first_pid, last_bio);
    }
    hosts = std::make_unique<Hosts>(*processes, tasks.get());
    layer = seam_maker != nullptr ? (*seam_maker)(scenario, block, events, trace, *device, *hosts)
                                  : make_block_layer(scheduler, *facts.tunables, block, events, trace, *device, *hosts);
    if (workload != nullptr) workload->start(*tasks);  // what does not fit the device is refused here
  }

  Scenario scenario;
  Mutant mutant;
  EventQueue events;
  Trace trace;
  RunFacts facts;
  std::unique_ptr<Device> device;
  BioId last_bio = 0;
  std::unique_ptr<Processes> processes;
  std::unique_ptr<Workload> workload;  // outlives its tasks
  std::unique_ptr<Tasks> tasks;
  std::unique_ptr<Hosts> hosts;
  std::unique_ptr<BlockLayer> layer;
  RunResult result;
};

Machine::Machine(const Scenario& scenario) : Machine(scenario, nullptr) {}
Machine::Machine(const Scenario& scenario, std::unique_ptr<Workload> workload)
    : parts_(std::make_unique<Parts>(scenario, std::move(workload))) {}
Machine::~Machine() = default;

Trace& Machine::trace() { return parts_->trace; }
const RunFacts& Machine::facts() const { return parts_->facts; }

const Device& Machine::device() const { return *parts_->device; }
const Workload* Machine::workload() const { return parts_->workload.get(); }
const RunResult& Machine::result() const { return parts_->result; }

const RunResult& Machine::run() {
  Parts& parts = *parts_;
  const PlantMutant plant(parts.mutant);
  RunResult& result = parts.result;
  StopPoint stop;
  try {
    parts.processes->start(*parts.layer);
    if (parts.tasks != nullptr) parts.tasks->start(*parts.layer);
    while (parts.events.step(parts.scenario.limit)) stop.step();
  } catch (const std::logic_error& error) {
    result.broken = error.what();
    result.end = parts.events.now();
    throw;
  }
  result.end = parts.events.now();
  result.events = parts.events.events_run();
  result.stopped_at_limit = !parts.events.empty();
  result.requests_left = parts.layer->requests_in_use();
  result.operations_left = parts.processes->operations_left();
  if (parts.tasks != nullptr) result.operations_left += parts.tasks->operations_left();
  if (!result.stopped_at_limit) {
    result.stuck_process = parts.processes->unfinished();
    if (parts.tasks != nullptr && result.stuck_process.empty()) result.stuck_process = parts.tasks->unfinished();
  }
  return result;
}

}  // namespace elvcheck
