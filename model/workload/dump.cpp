// SPDX-License-Identifier: GPL-2.0-or-later
// dump(8) has three workers that read consecutive stretches of the disk in turns: each reads when the one before it has its
// answer. To the disk that is one sequential stream, to a scheduler with a queue for each process it is three that jump, and
// idling for one of them waits in vain. It is why CFQ got its close cooperators (2.6.24 lost them, 2.6.30 brought them back)
// and BFQ its Early Queue Merge. Left out: what is written to the tape.
#include "model/workload/dump.hpp"

namespace elvcheck {

namespace {

class Dump final : public Workload {
 public:
  explicit Dump(const WorkloadValues& values)
      : workers_(static_cast<std::size_t>(values["workers"])),
        reads_(static_cast<std::uint64_t>(values["reads"])),
        sectors_(static_cast<SectorCount>(values["sectors"])),
        cpu_(values["cpu_ns"]) {}

  void start(Tasks& tasks) override {
    turns_ = std::vector<WaitQueue>(workers_);
    for (std::size_t i = 0; i < workers_; ++i) {
      tasks.spawn("dump-" + std::to_string(i + 1), {IoClass::none, 0},
                  [this, i](TaskContext& self) { return work(self, i); });
    }
  }

  std::vector<NamedValue> figures() const override { return {{"elapsed_ns", end_.count()}}; }

 private:
  Task<> work(TaskContext& self, std::size_t worker) {
    for (std::uint64_t read = worker; read < reads_; read += workers_) {
      while (next_ != read) co_await self.wait(turns_[worker]);
      co_await self.submit_and_wait({Op::read, 0, read * sectors_, sectors_});
      ++next_;
      self.wake_all(turns_[next_ % workers_]);
      end_ = self.now();
      co_await self.cpu(cpu_);
    }
  }

  std::size_t workers_;
  std::uint64_t reads_;
  SectorCount sectors_;
  Nanoseconds cpu_;
  std::uint64_t next_ = 0;  // the read whose turn it is
  std::vector<WaitQueue> turns_;
  Nanoseconds end_{0};
};

}  // namespace

WorkloadInfo dump_workload() {
  return {"dump",
          "dump(8): workers that take turns in reading the disk from front to back",
          {{"workers", "processes", "", 1, 64, 3, {}, 4},
           {"reads", "reads of all workers together", "", 1, 1'000'000, 96, {}, 24},
           {"sectors", "length of a read", "sectors", 1, 65'536, 128, {}, 64},
           {"cpu_ns", "what a worker computes after each read", "ns", 0, 1'000'000'000, 20'000, {}, 10'000'000}},
          [](const WorkloadValues& values, const BlockSettings&) -> std::unique_ptr<Workload> {
            return std::make_unique<Dump>(values);
          }};
}

}  // namespace elvcheck
