// SPDX-License-Identifier: GPL-2.0-or-later
// A scenario as a fio job file. fio knows regions, not single requests in a given order, so each step becomes a job of its
// own and waits for the last step of its process that was waited for.
#include <algorithm>
#include <optional>
#include <set>

#include "model/workload/fio_job.hpp"

namespace elvcheck {

namespace {

constexpr std::size_t most_jobs = 256;
constexpr std::uint64_t sector_bytes = 512;

std::string bytes(std::uint64_t sectors) {
  return sectors % 2 == 0 ? std::to_string(sectors / 2) + "k" : std::to_string(sectors * sector_bytes);
}

class Writer {
 public:
  explicit Writer(const Scenario& scenario) : scenario_(scenario), last_job_(scenario.processes.size()) {}

  std::string run() {
    // Whoever is waited for comes first: fio wants wait_for to name an earlier job.
    for (std::uint32_t i = 0; i < scenario_.processes.size(); ++i) write_process(i);
    std::string head = writes_ ? "; THIS OVERWRITES THE DISK that you put into filename.\n" : "";
    for (const std::string& sentence : lost_) head += "; not in this file: " + sentence + "\n";
    return head + "[global]\nfilename=/dev/DISK\ndirect=1\nioengine=libaio\n" + jobs_;
  }

 private:
  void write_process(std::uint32_t index) {
    if (!started_.insert(index).second) return;
    for (const ProcessOp& op : scenario_.processes[index].ops) {
      if (op.kind == ProcessOp::Kind::wait) write_process(op.target);
    }
    index_ = index;
    process_ = &scenario_.processes[index];
    ioprio_ = process_->ioprio;
    wait_for_ = "";
    start_ = Nanoseconds(0);
    count_ = 0;
    rounds(0, process_->ops.size());
  }

  /// The steps [first, last), repeats written out.
  void rounds(std::size_t first, std::size_t last) {
    const auto& ops = process_->ops;
    for (std::size_t i = first; i < last && jobs_written_ < most_jobs; ++i) {
      if (ops[i].kind != ProcessOp::Kind::repeat) {
        if (ops[i].kind == ProcessOp::Kind::exit) return;
        step(ops[i], i + 1 < last ? &ops[i + 1] : nullptr);
        continue;
      }
      std::size_t end = i;
      for (int depth = 0; end < last; ++end) {
        depth += ops[end].kind == ProcessOp::Kind::repeat ? 1 : ops[end].kind == ProcessOp::Kind::end ? -1 : 0;
        if (depth == 0) break;
      }
      for (std::uint32_t round = 0; round < ops[i].count && jobs_written_ < most_jobs; ++round) rounds(i + 1, end);
      i = end;
    }
    if (jobs_written_ >= most_jobs) lost_.insert("what follows the first " + std::to_string(most_jobs) + " jobs");
  }

  void step(const ProcessOp& op, const ProcessOp* next) {
    switch (op.kind) {
      case ProcessOp::Kind::io:
        return io(op, next != nullptr && next->kind == ProcessOp::Kind::fsync);
      case ProcessOp::Kind::at:
        if (count_ > 0) lost_.insert("times at which later steps begin");
        start_ = op.time;
        break;
      case ProcessOp::Kind::think:
        if (count_ > 0)
          lost_.insert("pauses between steps");
        else
          start_ += op.time;
        break;
      case ProcessOp::Kind::wait:
        if (last_job_[op.target]) wait_for_ = *last_job_[op.target];
        break;
      case ProcessOp::Kind::ioprio:
        ioprio_ = op.ioprio;
        break;
      case ProcessOp::Kind::plug:
      case ProcessOp::Kind::unplug:
        lost_.insert("plugs");
        break;
      case ProcessOp::Kind::yield:
        lost_.insert("yields");
        break;
      default:
        break;  // fsync belongs to the write before it; drain: every job is waited for as a whole
    }
  }

  void io(const ProcessOp& op, bool then_fsync) {
    const ReqFlags shown = op.flags & static_cast<ReqFlags>(~(REQ_SYNC | REQ_IDLE));
    if (shown != 0) lost_.insert("flags of single operations (fua, meta, ...)");
    if (op.op == Op::write && (op.flags & REQ_SYNC) == 0)
      lost_.insert("that some writes are asynchronous (direct writes are not)");
    const bool sequential = op.stride == 0 || op.stride == static_cast<std::int64_t>(op.sectors);
    if (op.span != 0 || sequential || op.count == 1) {
      job(op, op.sector, op.count, then_fsync);
      return;
    }
    auto sector = static_cast<std::int64_t>(op.sector);
    for (std::uint32_t i = 0; i < op.count && jobs_written_ < most_jobs; ++i, sector += op.stride)
      job(op, static_cast<Sector>(sector), 1, then_fsync && i + 1 == op.count);
  }

  void job(const ProcessOp& op, Sector sector, std::uint32_t count, bool then_fsync) {
    const std::string name = process_->name + "." + std::to_string(++count_);
    const std::string direction = op.op == Op::read ? "read" : op.op == Op::write ? "write" : "trim";
    writes_ = writes_ || op.op != Op::read;
    jobs_ += "[" + name + "]\nrw=" + (op.span != 0 ? "rand" : "") + direction + "\nbs=" + bytes(op.sectors) +
             "\noffset=" + bytes(sector) + "\nsize=" + bytes(op.span != 0 ? op.span : std::uint64_t{count} * op.sectors) +
             "\n";
    if (op.span != 0)
      jobs_ += "io_size=" + bytes(std::uint64_t{count} * op.sectors) +
               "\nnorandommap=1\nrandseed=" + std::to_string(op.seed) + "\n";
    if (op.depth > 1) jobs_ += "iodepth=" + std::to_string(op.depth) + "\n";
    if (op.think > 0ns) jobs_ += "thinktime=" + std::to_string(op.think.count() / 1000) + "us\n";
    if (ioprio_.io_class != IoClass::none) {
      jobs_ += "prioclass=" + std::to_string(static_cast<int>(ioprio_.io_class)) + "\n";
      if (ioprio_.io_class != IoClass::idle) jobs_ += "prio=" + std::to_string(ioprio_.level) + "\n";
    }
    if (then_fsync && op.op == Op::write) jobs_ += "fsync=" + std::to_string(count) + "\n";
    if (!wait_for_.empty()) jobs_ += "wait_for=" + wait_for_ + "\n";
    if (start_ > 0ns) jobs_ += "startdelay=" + std::to_string(start_.count() / 1000) + "us\n";
    if (!op.nowait) wait_for_ = name;
    if (!op.nowait) start_ = 0ns;
    last_job_[index_] = name;
    ++jobs_written_;
  }

  const Scenario& scenario_;
  std::string jobs_;
  std::set<std::string> lost_;
  std::vector<std::optional<std::string>> last_job_;  // of each process
  std::set<std::uint32_t> started_;
  std::size_t jobs_written_ = 0;
  bool writes_ = false;
  // the present process
  std::uint32_t index_ = 0;
  const ProcessSpec* process_ = nullptr;
  IoPrio ioprio_;
  std::string wait_for_;
  Nanoseconds start_{0};
  unsigned count_ = 0;
};

}  // namespace

std::string format_fio_job(const Scenario& scenario) { return Writer(scenario).run(); }

}  // namespace elvcheck
