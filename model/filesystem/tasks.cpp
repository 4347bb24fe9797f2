// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/tasks.hpp"

#include <algorithm>
#include <stdexcept>

namespace elvcheck {

Nanoseconds TaskContext::now() const { return tasks_.now(); }

TaskContext::Pause TaskContext::cpu(Nanoseconds time) {
  if (time > 0ns) tasks_.schedule(*this, Tasks::run, now() + time);
  return {*this, time <= 0ns};
}

TaskContext::Pause TaskContext::sleep(Nanoseconds time) {
  tasks_.layer_->process_sleeps(pid_, false);
  tasks_.schedule(*this, Tasks::run, now() + time);
  return {*this, false};
}

TaskContext::Pause TaskContext::wait(WaitQueue& queue) {
  tasks_.layer_->process_sleeps(pid_, false);
  queue.sleepers_.push_back(this);
  return {*this, false};
}

TaskContext::Pause TaskContext::wait(Completion& completion) {
  if (completion.done()) return {*this, true};
  tasks_.layer_->process_sleeps(pid_, true);
  completion.waiters_.sleepers_.push_back(this);
  return {*this, false};
}

Task<> TaskContext::submit(TaskIo io, Completion& completion) {
  const Sector capacity = tasks_.device().capacity;
  if (io.sector > capacity || io.sectors > capacity - io.sector) {
    throw std::invalid_argument("task '" + name_ + "' wants sectors " + std::to_string(io.sector) + " + " +
                                std::to_string(io.sectors) + ", but the device has " + std::to_string(capacity) +
                                "; choose a larger device or less data");
  }
  const SectorCount largest = tasks_.max_sectors_;
  const unsigned pieces = io.sectors == 0 ? 1 : (io.sectors + largest - 1) / largest;
  const std::uint32_t operation = tasks_.open_operation(completion, pieces);
  for (unsigned piece = 0; piece < pieces; ++piece) {
    const SectorCount sectors = std::min(io.sectors, largest);
    if (!tasks_.submit_piece(*this, {io.op, io.flags, io.sector, sectors}, operation)) co_await Pause{*this, false};
    io.sector += sectors;
    io.sectors -= sectors;
  }
}

Task<> TaskContext::submit_and_wait(TaskIo io) {
  Completion completion;
  co_await submit(io, completion);
  co_await wait(completion);
}

void TaskContext::wake_all(WaitQueue& queue) { tasks_.wake_all(queue); }
void TaskContext::wake_one(WaitQueue& queue) { tasks_.wake_one(queue); }
void TaskContext::start_plug() { tasks_.layer_->start_plug(pid_); }
void TaskContext::finish_plug() { tasks_.layer_->finish_plug(pid_); }
void TaskContext::yield(ProcessId target) { tasks_.layer_->yield(pid_, target); }

void TaskContext::set_ioprio(IoPrio prio) {
  ioprio_ = prio;
  tasks_.layer_->set_ioprio(pid_, prio);
}

Tasks::Tasks(EventQueue& events, Trace& trace, const DeviceInfo& device, SectorCount max_sectors, ProcessId first_pid,
             BioId& last_bio)
    : events_(events),
      trace_(trace),
      device_(device),
      max_sectors_(max_sectors),
      first_pid_(first_pid),
      last_bio_(last_bio) {}

Tasks::~Tasks() = default;

TaskContext& Tasks::spawn(std::string name, IoPrio ioprio, std::function<Task<>(TaskContext&)> program, bool daemon) {
  const auto pid = static_cast<ProcessId>(first_pid_ + static_cast<ProcessId>(tasks_.size()));
  tasks_.push_back(std::unique_ptr<TaskContext>(new TaskContext(*this, pid, std::move(name), ioprio, daemon)));
  TaskContext& task = *tasks_.back();
  task.program_ = std::move(program);
  if (!daemon) ++tasks_left_;
  if (layer_ != nullptr) schedule(task, run, now());
  return task;
}

void Tasks::start(BlockLayer& layer) {
  layer_ = &layer;
  for (const auto& task : tasks_) schedule(*task, run, now());
}

std::string Tasks::unfinished() const {
  const auto at =
      std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return !task->daemon_ && !task->ended_; });
  return at == tasks_.end() ? std::string() : (*at)->name_;
}

void Tasks::wake_all(WaitQueue& queue) {
  for (TaskContext* const sleeper : queue.sleepers_) schedule(*sleeper, run, now());
  queue.sleepers_.clear();
}

void Tasks::wake_one(WaitQueue& queue) {
  if (queue.empty()) return;
  schedule(*queue.sleepers_.front(), run, now());
  queue.sleepers_.pop_front();
}

void Tasks::schedule(const TaskContext& task, What what, Nanoseconds at) {
  events_.schedule(at, Rank::host, *this, static_cast<std::uint64_t>(task.pid_ - first_pid_) << what_bits | what);
}

void Tasks::on_event(std::uint64_t what) {
  TaskContext& task = *tasks_[static_cast<std::size_t>(what >> what_bits)];
  stop_.step();
  if ((what & resume) != 0 && layer_->resume(task.pid_) == Submission::blocked) return;
  go_on(task);
}

void Tasks::go_on(TaskContext& task) {
  if (!task.task_) {
    layer_->set_ioprio(task.pid_, task.ioprio_);
    task.task_ = std::make_unique<Task<>>(task.program_(task));
    task.resume_at_ = task.task_->frame();
  }
  std::exchange(task.resume_at_, {}).resume();
  if (!task.task_->done()) return;
  task.ended_ = true;
  if (!task.daemon_) --tasks_left_;
  task.task_->check();
  layer_->finish_plug(task.pid_);
  layer_->exit_process(task.pid_);
}

std::uint32_t Tasks::open_operation(Completion& completion, unsigned pieces) {
  const std::uint32_t number = operations_.take();
  operations_[number] = Operation{&completion, pieces};
  ++completion.left_;
  return number;
}

bool Tasks::submit_piece(const TaskContext& task, const TaskIo& piece, std::uint32_t operation) {
  Bio& bio = bios_.take();
  bio = Bio{};
  bio.id = ++last_bio_;
  bio.process = task.pid_;
  bio.op = piece.op;
  bio.flags = piece.flags;
  bio.ioprio = task.ioprio_;
  bio.sector = piece.sector;
  bio.sectors = piece.sectors;
  bio.cookie = operation;
  return layer_->submit(bio) == Submission::accepted;
}

void Tasks::bio_done(Bio& bio) {
  const auto number = static_cast<std::uint32_t>(bio.cookie);
  bios_.give_back(bio);
  Operation& operation = operations_[number];
  if (--operation.pieces_left > 0) return;
  Completion& completion = *operation.completion;
  operations_.give_back(number);
  --completion.left_;
  completion.operation_done();
  if (completion.done()) wake_all(completion.waiters_);
}

void Tasks::wake(ProcessId process) { schedule(*tasks_[static_cast<std::size_t>(process - first_pid_)], resume, now()); }

}  // namespace elvcheck
