// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/workload/processes.hpp"

#include <algorithm>
#include <stdexcept>

namespace elvcheck {

namespace {

[[noreturn]] void bad_step(const ProcessSpec& spec, std::size_t step, const std::string& what) {
  throw std::invalid_argument("process '" + spec.name + "', step " + std::to_string(step + 1) + ": " + what);
}

/// Every place that the step touches lies on the device; sums that leave 64 bits do not.
void check_place(const ProcessSpec& spec, std::size_t step, const ProcessOp& op, const DeviceInfo& device) {
  if (op.span > 0 && op.span < op.sectors) bad_step(spec, step, "the random region is smaller than one operation");
  const auto capacity = static_cast<std::int64_t>(device.capacity);
  const std::int64_t stride = op.stride == 0 ? static_cast<std::int64_t>(op.sectors) : op.stride;
  const auto first = static_cast<std::int64_t>(op.sector);
  std::int64_t travel = 0;
  std::int64_t last = 0;
  std::int64_t end = 0;
  const bool overflow =
      op.sector > device.capacity || op.span > device.capacity ||
      __builtin_mul_overflow(stride, static_cast<std::int64_t>(op.span > 0 ? 0 : op.count - 1), &travel) ||
      __builtin_add_overflow(first, travel, &last) ||
      __builtin_add_overflow(std::max(first, last), static_cast<std::int64_t>(op.span > 0 ? op.span : op.sectors), &end);
  if (overflow || last < 0 || end > capacity)
    bad_step(spec, step, "reaches outside the device, which has " + std::to_string(device.capacity) + " sectors");
}

}  // namespace

std::vector<std::size_t> find_wait_circle(const std::vector<ProcessSpec>& processes) {
  enum class Seen : std::uint8_t { no, on_path, done };
  std::vector<Seen> seen(processes.size(), Seen::no);
  struct Stop {
    std::size_t process;
    std::size_t step;  // where to look for the next wait
  };
  for (std::size_t start = 0; start < processes.size(); ++start) {
    std::vector<Stop> path;
    if (seen[start] == Seen::no) path.push_back({start, 0});
    while (!path.empty()) {
      const auto [process, first_step] = path.back();
      seen[process] = Seen::on_path;
      const std::vector<ProcessOp>& ops = processes[process].ops;
      std::size_t step = first_step;
      while (step < ops.size() && ops[step].kind != ProcessOp::Kind::wait && ops[step].kind != ProcessOp::Kind::exit) ++step;
      if (step == ops.size() || ops[step].kind == ProcessOp::Kind::exit) {
        seen[process] = Seen::done;
        path.pop_back();
        continue;
      }
      path.back().step = step + 1;
      const std::size_t target = ops[step].target;
      if (target >= processes.size() || seen[target] == Seen::done) continue;
      if (seen[target] == Seen::no) {
        path.push_back({target, 0});
        continue;
      }
      std::vector<std::size_t> circle;
      for (const Stop& stop : path) {
        if (!circle.empty() || stop.process == target) circle.push_back(stop.process);
      }
      return circle;
    }
  }
  return {};
}

void check_waits(const std::vector<ProcessSpec>& processes) {
  const std::vector<std::size_t> circle = find_wait_circle(processes);
  if (circle.empty()) return;
  std::string text = "process '" + processes[circle.front()].name + "' waits for '";
  for (std::size_t i = 1; i < circle.size(); ++i) text += processes[circle[i]].name + "', which waits for '";
  throw std::invalid_argument(text + processes[circle.front()].name +
                              "', so none of them can end; remove one of these waits");
}

Processes::Processes(const Scenario& scenario, EventQueue& events, const DeviceInfo& device, BioId& last_bio)
    : scenario_(scenario), events_(events), processes_(scenario.processes.size()), last_bio_(last_bio) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const ProcessSpec& spec = scenario.processes[i];
    check(spec, device, processes_.size());
    processes_[i].spec = &spec;
    processes_[i].pid = first_pid + static_cast<ProcessId>(i);
    processes_[i].ioprio = spec.ioprio;
  }
  check_waits(scenario.processes);
}

void Processes::check(const ProcessSpec& spec, const DeviceInfo& device, std::size_t process_count) const {
  std::size_t depth = 0;
  for (std::size_t step = 0; step < spec.ops.size(); ++step) {
    const ProcessOp& op = spec.ops[step];
    switch (op.kind) {
      case ProcessOp::Kind::io:
        if (op.op == Op::flush) bad_step(spec, step, "a flush is submitted by fsync, not as an io");
        if (op.sectors == 0 || op.count == 0 || op.depth == 0)
          bad_step(spec, step, "length, count and depth must be at least 1");
        check_place(spec, step, op, device);
        break;
      case ProcessOp::Kind::wait:
      case ProcessOp::Kind::yield:
        if (op.target >= process_count) bad_step(spec, step, "names a process that does not exist");
        break;
      case ProcessOp::Kind::repeat:
        if (op.count == 0) bad_step(spec, step, "repeat needs a count of at least 1");
        ++depth;
        break;
      case ProcessOp::Kind::end:
        if (depth == 0) bad_step(spec, step, "end without a repeat before it");
        --depth;
        break;
      default:
        break;
    }
  }
  if (depth != 0) bad_step(spec, spec.ops.size() - 1, "a repeat has no end");
}

void Processes::start(BlockLayer& layer) {
  layer_ = &layer;
  for (std::size_t i = 0; i < processes_.size(); ++i) schedule(i, run, events_.now());
}

std::string Processes::unfinished() const {
  const auto at =
      std::find_if(processes_.begin(), processes_.end(), [](const Process& p) { return p.state != State::exited; });
  return at == processes_.end() ? std::string() : at->spec->name;
}

unsigned Processes::operations_left() const { return static_cast<unsigned>(operations_.in_use()); }

void Processes::on_event(std::uint64_t what) {
  const auto index = static_cast<std::size_t>(what >> what_bits);
  Process& process = processes_[index];
  if (process.state == State::exited) return;
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case slot_free:
      --process.slots_used;
      if (process.state != State::waiting_io) return;
      break;
    case resume:
      if (layer_->resume(process.pid) == Submission::blocked) return;
      break;
    default:
      if (process.state == State::blocked) return;
      break;
  }
  process.state = State::runnable;
  run_process(index);
}

void Processes::run_process(std::size_t index) {
  Process& process = processes_[index];
  if (!process.step_begun && process.step == 0 && process.step_run == 0) layer_->set_ioprio(process.pid, process.ioprio);
  while (process.step < process.spec->ops.size()) {
    if (!process.step_begun) {
      process.step_begun = true;
      ++process.step_run;
      process.submitted = 0;
      process.slots_used = 0;
    }
    const ProcessOp& op = process.spec->ops[process.step];
    if (op.kind == ProcessOp::Kind::exit) break;
    stop_.step();
    if (!run_step(index, op)) return;
    process.step_begun = false;
    ++process.step;
  }
  finish(index);
}

bool Processes::run_step(std::size_t index, const ProcessOp& op) {
  Process& process = processes_[index];
  switch (op.kind) {
    case ProcessOp::Kind::io:
      return run_io(index, op);
    case ProcessOp::Kind::fsync:
      return run_fsync(index, op);
    case ProcessOp::Kind::think:
      if (process.submitted++ > 0) return true;
      return sleep_until(index, events_.now() + op.time);
    case ProcessOp::Kind::at:
      return op.time <= events_.now() || sleep_until(index, op.time);
    case ProcessOp::Kind::wait:
      if (processes_[op.target].state == State::exited) return true;
      if (process.submitted++ == 0) processes_[op.target].waited_by.push_back(index);
      layer_->process_sleeps(process.pid, false);
      process.state = State::waiting_process;
      return false;
    case ProcessOp::Kind::yield:
      layer_->yield(process.pid, processes_[op.target].pid);
      return true;
    case ProcessOp::Kind::ioprio:
      process.ioprio = op.ioprio;
      layer_->set_ioprio(process.pid, op.ioprio);
      return true;
    case ProcessOp::Kind::plug:
      layer_->start_plug(process.pid);
      return true;
    case ProcessOp::Kind::unplug:
      layer_->finish_plug(process.pid);
      return true;
    case ProcessOp::Kind::drain:
      return process.in_flight == 0 || wait_for_io(process);
    case ProcessOp::Kind::repeat:
      process.loops.push_back(Loop{process.step, op.count});
      return true;
    case ProcessOp::Kind::end:
      if (--process.loops.back().left > 0)
        process.step = process.loops.back().start;
      else
        process.loops.pop_back();
      return true;
    case ProcessOp::Kind::exit:
      break;
  }
  return true;
}

bool Processes::run_io(std::size_t index, const ProcessOp& op) {
  Process& process = processes_[index];
  if (process.submitted == 0 && !process.operation_open) process.random = SplitMix64(op.seed);
  for (;;) {
    if (process.operation_open) {
      if (!submit_pieces(process, op)) return false;
      if (op.nowait && op.think > 0ns) return sleep_until(index, events_.now() + op.think);
    }
    if (process.submitted == op.count) return op.nowait || process.slots_used == 0 || wait_for_io(process);
    if (!op.nowait && process.slots_used >= op.depth) return wait_for_io(process);
    open_operation(index, op, !op.nowait);
    process.sector = place(process, op);
    process.sectors_left = op.sectors;
    ++process.submitted;
  }
}

bool Processes::run_fsync(std::size_t index, const ProcessOp& op) {
  Process& process = processes_[index];
  if (process.operation_open) {
    if (!submit_pieces(process, op)) return false;
  } else if (process.submitted == 0) {
    if (process.writes_in_flight > 0) return wait_for_io(process);
    open_operation(index, op, true);
    process.sectors_left = 0;
    ++process.submitted;
    if (!submit_pieces(process, op)) return false;
  }
  return process.slots_used == 0 || wait_for_io(process);
}

bool Processes::sleep_until(std::size_t index, Nanoseconds at) {
  Process& process = processes_[index];
  layer_->process_sleeps(process.pid, false);
  process.state = State::sleeping;
  schedule(index, run, at);
  return false;
}

bool Processes::wait_for_io(Process& process) {
  layer_->process_sleeps(process.pid, true);
  process.state = State::waiting_io;
  return false;
}

Sector Processes::place(Process& process, const ProcessOp& op) {
  if (op.span > 0) return op.sector + process.random.below(op.span / op.sectors) * op.sectors;
  const std::int64_t stride = op.stride == 0 ? static_cast<std::int64_t>(op.sectors) : op.stride;
  return op.sector + static_cast<Sector>(stride * static_cast<std::int64_t>(process.submitted));
}

void Processes::open_operation(std::size_t index, const ProcessOp& op, bool waited_for) {
  Process& process = processes_[index];
  process.operation = operations_.take();
  process.operation_open = true;
  const bool write = op.kind == ProcessOp::Kind::io && is_write(op.op);
  operations_[process.operation] = Operation{index, process.step_run, 0, false, write, waited_for, op.think};
  ++process.in_flight;
  if (write) ++process.writes_in_flight;
  if (waited_for) ++process.slots_used;
}

bool Processes::submit_pieces(Process& process, const ProcessOp& op) {
  const bool flush = op.kind == ProcessOp::Kind::fsync;
  const auto flags = flush ? static_cast<ReqFlags>(REQ_SYNC | REQ_PREFLUSH) : op.flags;
  const std::uint32_t number = process.operation;
  while (process.sectors_left > 0 || flush) {
    const SectorCount piece = std::min(process.sectors_left, scenario_.block.max_sectors);
    Bio& bio = new_bio();
    bio.process = process.pid;
    bio.op = flush ? Op::flush : op.op;
    bio.flags = flags;
    bio.ioprio = process.ioprio;
    bio.group = process.spec->group;
    bio.sector = process.sector;
    bio.sectors = piece;
    bio.cookie = number;
    process.sector += piece;
    process.sectors_left -= piece;
    Operation& operation = operations_[number];
    ++operation.pieces_left;
    operation.all_submitted = process.sectors_left == 0;
    if (operation.all_submitted) process.operation_open = false;
    if (layer_->submit(bio) == Submission::blocked) {
      process.state = State::blocked;
      return false;
    }
    if (flush) break;
  }
  return true;
}

Bio& Processes::new_bio() {
  Bio& bio = bios_.take();
  bio = Bio{};
  bio.id = ++last_bio_;
  return bio;
}

void Processes::bio_done(Bio& bio) {
  const auto number = static_cast<std::uint32_t>(bio.cookie);
  bios_.give_back(bio);
  Operation& operation = operations_[number];
  if (--operation.pieces_left == 0 && operation.all_submitted) operation_done(number);
}

void Processes::operation_done(std::uint32_t number) {
  const Operation operation = operations_[number];
  operations_.give_back(number);
  Process& process = processes_[operation.process];
  --process.in_flight;
  if (operation.write) --process.writes_in_flight;
  if (process.state == State::exited) return;
  // The slot of a step is free again after the pause; a process that waits for anything else looks at once.
  if (operation.waited_for && operation.step_run == process.step_run)
    schedule(operation.process, slot_free, events_.now() + operation.think);
  else if (process.state == State::waiting_io)
    schedule(operation.process, run, events_.now());
}

void Processes::wake(ProcessId pid) { schedule(static_cast<std::size_t>(pid - first_pid), resume, events_.now()); }

void Processes::finish(std::size_t index) {
  Process& process = processes_[index];
  layer_->finish_plug(process.pid);
  process.state = State::exited;
  layer_->exit_process(process.pid);
  for (const std::size_t waiter : process.waited_by) schedule(waiter, run, events_.now());
}

}  // namespace elvcheck
