// SPDX-License-Identifier: GPL-2.0-or-later
// fio job files. Expected programs are worked out by hand from fio's HOWTO.
#include "model/workload/fio_job.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "model/core/random.hpp"
#include "model/machine.hpp"

namespace elvcheck {
namespace {

FioJobs parse(const std::string& text) { return parse_fio_job(text, "j.fio"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const FioJobError& error) {
    return error.what();
  }
  return {};
}

using Kind = ProcessOp::Kind;

TEST(FioJob, OneSequentialReader) {
  const FioJobs jobs = parse("[seq]\nrw=read\nbs=128k\nsize=1m\ndirect=1\n");
  ASSERT_EQ(jobs.processes.size(), 1U);
  const ProcessSpec& process = jobs.processes[0];
  EXPECT_EQ(process.name, "seq");
  EXPECT_EQ(process.ioprio, IoPrio{});
  ASSERT_EQ(process.ops.size(), 1U);
  const ProcessOp& op = process.ops[0];
  EXPECT_EQ(op.kind, Kind::io);
  EXPECT_EQ(op.op, Op::read);
  EXPECT_EQ(op.sectors, 256U);
  EXPECT_EQ(op.count, 8U);
  EXPECT_EQ(op.depth, 1U);
  EXPECT_EQ(op.span, 0U);
  EXPECT_EQ(jobs.end, 2048U);
  EXPECT_FALSE(jobs.limit);
}

TEST(FioJob, GlobalOptionsHoldForTheJobsAfterThem) {
  const FioJobs jobs = parse(
      "; a comment\n[global]\ndirect=1\nioengine=libaio\niodepth=16\nsize=4m\ngroup_reporting\n"
      "[a]\nrw=randread\nrandseed=7\nprio=2\n"
      "# another\n[b]\nreadwrite=write\nblocksize=64K\niodepth=2\nprioclass=1\nprio=3\nthinktime=500\nstartdelay=2\n"
      "[c]\nioengine=psync\nprioclass=3\n");
  ASSERT_EQ(jobs.processes.size(), 3U);
  const ProcessOp& a = jobs.processes[0].ops.at(0);
  EXPECT_EQ(a.span, 8192U);
  EXPECT_EQ(a.count, 1024U);
  EXPECT_EQ(a.depth, 16U);
  EXPECT_EQ(jobs.processes[0].ioprio, (IoPrio{IoClass::be, 2}));
  const ProcessSpec& b = jobs.processes[1];
  EXPECT_EQ(b.ioprio, (IoPrio{IoClass::rt, 3}));
  ASSERT_EQ(b.ops.size(), 2U);
  EXPECT_EQ(b.ops[0].kind, Kind::think);
  EXPECT_EQ(b.ops[0].time, 2s);
  EXPECT_EQ(b.ops[1].op, Op::write);
  EXPECT_EQ(b.ops[1].flags, REQ_SYNC | REQ_IDLE);
  EXPECT_EQ(b.ops[1].sector, 8192U);  // behind a's file
  EXPECT_EQ(b.ops[1].sectors, 128U);
  EXPECT_EQ(b.ops[1].think, 500us);
  EXPECT_EQ(jobs.processes[2].ops.at(0).depth, 1U);  // a synchronous engine
  EXPECT_EQ(jobs.processes[2].ioprio, (IoPrio{IoClass::idle, 0}));
  EXPECT_EQ(jobs.end, 3U * 8192U);
}

TEST(FioJob, ClonesHaveFilesOfTheirOwnUnlessTheyAreNamed) {
  const FioJobs own = parse("[x]\nrw=randread\nsize=1m\ndirect=1\nnumjobs=3\nnorandommap\n");
  ASSERT_EQ(own.processes.size(), 3U);
  EXPECT_EQ(own.processes[2].name, "x.2");
  EXPECT_EQ(own.processes[2].ops.at(0).sector, 4096U);
  EXPECT_NE(own.processes[1].ops.at(0).seed, own.processes[2].ops.at(0).seed);
  EXPECT_EQ(own.end, 3U * 2048U);
  EXPECT_TRUE(own.notes.empty());
  const FioJobs shared = parse("[x]\nrw=randread\nsize=1m\noffset=1m\nfilename=/dev/sdb\ndirect=1\nnumjobs=3\n");
  EXPECT_EQ(shared.processes[2].ops.at(0).sector, 2048U);
  EXPECT_EQ(shared.end, 4096U);
  EXPECT_EQ(shared.notes.size(), 1U);  // drawn with repetition
}

TEST(FioJob, FsyncAfterEveryNWrites) {
  const FioJobs jobs = parse("[w]\nrw=write\nbs=4k\nsize=20k\nfsync=2\ndirect=1\n");
  const auto& ops = jobs.processes.at(0).ops;
  ASSERT_EQ(ops.size(), 5U);  // 2, fsync, 2, fsync, 1
  EXPECT_EQ(ops[0].count, 2U);
  EXPECT_EQ(ops[1].kind, Kind::fsync);
  EXPECT_EQ(ops[2].sector, 16U);
  EXPECT_EQ(ops[3].kind, Kind::fsync);
  EXPECT_EQ(ops[4].count, 1U);
  EXPECT_EQ(ops[4].sector, 32U);
}

TEST(FioJob, RateIopsStartsNoOperationEarly) {
  const FioJobs jobs = parse("[r]\nrw=read\nbs=4k\nsize=12k\nrate_iops=3\nstartdelay=1\ndirect=1\n");
  const auto& ops = jobs.processes.at(0).ops;
  ASSERT_EQ(ops.size(), 7U);
  EXPECT_EQ(ops[1].kind, Kind::at);
  EXPECT_EQ(ops[1].time, 1s);
  EXPECT_EQ(ops[3].time, 1s + 333'333'333ns);
  EXPECT_EQ(ops[5].time, 1s + 666'666'666ns);
  EXPECT_EQ(ops[6].sector, 16U);
}

TEST(FioJob, BssplitKeepsItsShares) {
  const FioJobs jobs = parse("[s]\nrw=read\nbssplit=4k/25:64k/\nsize=64m\ndirect=1\n");
  std::size_t small = 0;
  Sector next = 0;
  const auto& ops = jobs.processes.at(0).ops;
  for (const ProcessOp& op : ops) {
    ASSERT_TRUE(op.sectors == 8 || op.sectors == 128);
    ASSERT_EQ(op.sector, next);
    next += op.sectors;
    small += op.sectors == 8 ? 1 : 0;
  }
  // Some 1,300 draws with probability 1/4: four standard deviations are 5 percentage points.
  EXPECT_GT(ops.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(ops.size()), 0.25, 0.05);
}

TEST(FioJob, TimeBasedJobsRunToTheLimit) {
  const FioJobs jobs = parse("[t]\nrw=read\nbs=4k\nsize=8k\nruntime=500ms\ntime_based\ndirect=1\n");
  ASSERT_TRUE(jobs.limit);
  EXPECT_EQ(*jobs.limit, 500ms);
  const auto& ops = jobs.processes.at(0).ops;
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(ops[0].kind, Kind::repeat);
  EXPECT_EQ(ops[2].kind, Kind::end);
}

TEST(FioJob, JobsThatWaitForOthers) {
  const FioJobs jobs = parse("[global]\ndirect=1\nsize=4k\n[a]\nnumjobs=2\n[b]\nwait_for=a\n[c]\nstonewall\n");
  const auto waits = [&](std::size_t process) {
    std::vector<std::uint32_t> targets;
    for (const ProcessOp& op : jobs.processes.at(process).ops)
      if (op.kind == Kind::wait) targets.push_back(op.target);
    return targets;
  };
  EXPECT_EQ(waits(1), std::vector<std::uint32_t>{});
  EXPECT_EQ(waits(2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(waits(3), (std::vector<std::uint32_t>{0, 1, 2}));
}

/// Jobs must run, not only parse: 16 reads of 4 KiB on a device that takes 1 ms for each, one after another, take 16 ms.
TEST(FioJob, TheProgramRuns) {
  Scenario scenario;
  scenario.scheduler = "noop";
  scenario.device = {"flat", {{"service_ns", 1'000'000}}};
  scenario.processes = parse("[r]\nrw=randread\nbs=4k\nsize=64k\ndirect=1\n").processes;
  Machine machine(scenario);
  const RunResult result = machine.run();
  EXPECT_EQ(result.end, 16ms);
  EXPECT_EQ(result.stuck_process, "");
}

TEST(FioJob, WhatIsOutsideTheSubsetNamesItsLine) {
  const std::string job = "[j]\ndirect=1\nsize=1m\n";
  EXPECT_NE(error_of(job + "rwmixread=70\n").find("j.fio:4: the option 'rwmixread' is outside the subset"),
            std::string::npos);
  EXPECT_NE(error_of(job + "rw=randrw\n").find("j.fio:4: rw is read, write"), std::string::npos);
  EXPECT_NE(error_of(job + "bs=4k-16k\n").find("j.fio:4: a block size is a size"), std::string::npos);
  EXPECT_NE(error_of(job + "bs=1000\n").find("j.fio:4: a block size must be a multiple of 512"), std::string::npos);
  EXPECT_NE(error_of(job + "bs=4KiB\n").find("j.fio:4: a block size: fio reads 'KiB'"), std::string::npos);
  EXPECT_NE(error_of(job + "ioengine=mmap\n").find("j.fio:4: the engine 'mmap'"), std::string::npos);
  EXPECT_NE(error_of(job + "filename=a:b\n").find("j.fio:4: several files"), std::string::npos);
  EXPECT_NE(error_of(job + "size=50%\n").find("j.fio:4: size is a size"), std::string::npos);
  EXPECT_NE(error_of(job + "size=${SIZE}\n").find("j.fio:4: variables"), std::string::npos);
  EXPECT_NE(error_of(job + "ioengine=libaio\niodepth=4\nrate_iops=10\n").find("j.fio:6: rate_iops with an iodepth above 1"),
            std::string::npos);
  EXPECT_NE(error_of(job + "bssplit=4k/50:8k/60\n").find("j.fio:4: the percentages"), std::string::npos);
  EXPECT_NE(error_of(job + "time_based\n").find("j.fio:4: time_based needs a runtime"), std::string::npos);
  EXPECT_NE(error_of(job + "wait_for=k\n").find("j.fio:4: wait_for names no job"), std::string::npos);
  EXPECT_NE(error_of(job + "prio=8\n").find("j.fio:4: prio is a number from 0 to 7"), std::string::npos);
  EXPECT_NE(error_of(job + "thinktime=1-2\n").find("j.fio:4: thinktime is one time"), std::string::npos);
  EXPECT_NE(error_of(job + "runtime=5\n[k]\ndirect=1\nsize=1m\n").find("j.fio:5: job 'k' has no runtime"),
            std::string::npos);
  EXPECT_NE(error_of("[j]\nsize=1m\n").find("j.fio:1: job 'j' is buffered"), std::string::npos);
  EXPECT_NE(error_of("[j]\ndirect=1\n").find("j.fio:1: job 'j' has no size"), std::string::npos);
  EXPECT_NE(error_of("direct=1\n").find("j.fio:1: an option before any section"), std::string::npos);
  EXPECT_NE(error_of("[j\n").find("j.fio:1: a section is written [NAME]"), std::string::npos);
  EXPECT_NE(error_of("").find("j.fio:1: no job in it"), std::string::npos);
  EXPECT_NE(error_of("[j]\ndirect=1\nsize=1t\nrw=write\nfsync=1\n").find("lower its size"), std::string::npos);
}

TEST(FioJob, SizesAndTimes) {
  const auto length = [](const std::string& size) {
    return parse("[j]\ndirect=1\nbs=512\nsize=" + size + "\n").processes.at(0).ops.at(0).count;
  };
  EXPECT_EQ(length("512"), 1U);
  EXPECT_EQ(length("4k"), 8U);
  EXPECT_EQ(length("4KB"), 8U);
  EXPECT_EQ(length("2M"), 4096U);
  EXPECT_EQ(length("1g"), 2'097'152U);
  const auto think = [](const std::string& time) {
    return parse("[j]\ndirect=1\nsize=4k\nthinktime=" + time + "\n").processes.at(0).ops.at(0).think;
  };
  EXPECT_EQ(think("7"), 7us);
  EXPECT_EQ(think("7ms"), 7ms);
  EXPECT_EQ(think("1s"), 1s);
}

/// Hostile jobs: a result or a FioJobError with one line that begins with the file and the line number.
TEST(FioJob, Fuzz) {
  const std::string original =
      "[global]\ndirect=1\nioengine=libaio\niodepth=16\nsize=4m\n; c\n[a]\nrw=randread\nbs=4k,8k\nprio=2\nnumjobs=2\n"
      "[b]\nrw=write\nfsync=8\nstonewall\nthinktime=500us\n[c]\niodepth=1\nbssplit=4k/10:64k/\nrandseed=3\n"
      "[d]\niodepth=1\nrate_iops=1000\nstartdelay=1\noffset=1m\nfilename=/dev/x\n[e]\nwait_for=a\nprioclass=3\n";
  ASSERT_EQ(error_of(original), "");
  static constexpr const char* numbers[] = {"0",  "-1", "18446744073709551615", "4294967296", "99999999999999999999",
                                            "1t", ""};
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SplitMix64 random(seed);
    std::string text = original;
    for (std::size_t edits = 1 + random.below(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
          break;
        case 1:
          text.erase(at, 1 + random.below(20));
          break;
        case 2:
          text.insert(at, text, random.below(text.size()), 1 + random.below(60));
          break;
        case 3:
          text.resize(at);
          break;
        default: {
          const std::size_t from = text.find_first_of("0123456789", at);
          if (from == std::string::npos) break;
          text.replace(from, std::min(text.find_first_not_of("0123456789", from), text.size()) - from,
                       numbers[random.below(std::size(numbers))]);
        }
      }
    }
    SCOPED_TRACE(seed);
    std::string message;
    ASSERT_NO_THROW(message = error_of(text));
    ASSERT_EQ(message.find('\n'), std::string::npos);
    if (!message.empty()) {
      ASSERT_TRUE(message.starts_with("j.fio:")) << message;
    }
  }
  for (std::size_t length = 0; length < original.size(); ++length) ASSERT_NO_THROW(error_of(original.substr(0, length)));
}

// Worked out by hand from fio's HOWTO: offsets and sizes in bytes, idle class 3, startdelay from the start of all jobs.
TEST(FioJobWriting, AScenarioBecomesJobsThatWaitForEachOther) {
  Scenario scenario;
  ProcessOp read;
  read.sector = 2000;
  read.count = 3;
  ProcessOp later;
  later.kind = Kind::at;
  later.time = 5ms;
  ProcessOp strided;
  strided.op = Op::write;
  strided.flags = REQ_SYNC | REQ_IDLE;
  strided.sector = 100;
  strided.stride = -16;
  strided.count = 2;
  ProcessOp fsync;
  fsync.kind = Kind::fsync;
  ProcessOp wait;
  wait.kind = Kind::wait;
  wait.target = 1;
  ProcessOp random;
  random.sectors = 1;
  random.span = 64;
  random.seed = 9;
  random.count = 5;
  random.depth = 4;
  scenario.processes = {{"a", {IoClass::idle, 7}, {later, read, strided, fsync, wait, random}, 0}, {"b", {}, {read}, 0}};
  EXPECT_EQ(
      format_fio_job(scenario),
      "; THIS OVERWRITES THE DISK that you put into filename.\n"
      "[global]\nfilename=/dev/DISK\ndirect=1\nioengine=libaio\n"
      "[b.1]\nrw=read\nbs=4k\noffset=1000k\nsize=12k\n"
      "[a.1]\nrw=read\nbs=4k\noffset=1000k\nsize=12k\nprioclass=3\nstartdelay=5000us\n"
      "[a.2]\nrw=write\nbs=4k\noffset=50k\nsize=4k\nprioclass=3\nwait_for=a.1\n"
      "[a.3]\nrw=write\nbs=4k\noffset=42k\nsize=4k\nprioclass=3\nfsync=1\nwait_for=a.2\n"
      "[a.4]\nrw=randread\nbs=512\noffset=0k\nsize=32k\nio_size=2560\nnorandommap=1\nrandseed=9\niodepth=4\nprioclass=3\n"
      "wait_for=b.1\n");
}

// What is written, the reader takes, and it asks for as many sectors.
TEST(FioJobWriting, IsReadAgain) {
  Scenario scenario;
  ProcessOp random;
  random.sector = 4096;
  random.span = 512;
  random.count = 7;
  ProcessOp repeat;
  repeat.kind = Kind::repeat;
  repeat.count = 3;
  ProcessOp end;
  end.kind = Kind::end;
  ProcessOp plug;
  plug.kind = Kind::plug;
  scenario.processes = {{"p", {IoClass::rt, 2}, {plug, repeat, random, end}, 0}};
  const std::string text = format_fio_job(scenario);
  EXPECT_EQ(text.rfind("; not in this file: plugs\n", 0), 0U) << text;
  const FioJobs jobs = parse(text);
  ASSERT_EQ(jobs.processes.size(), 3U);
  for (const ProcessSpec& process : jobs.processes) {
    EXPECT_EQ(process.ioprio, (IoPrio{IoClass::rt, 2}));
    EXPECT_EQ(process.ops.back().count, 7U);
    EXPECT_EQ(process.ops.back().span, 512U);
    EXPECT_EQ(process.ops.back().sector, 4096U);
  }
  EXPECT_EQ(jobs.processes[2].ops.front().target, 1U);
}

}  // namespace
}  // namespace elvcheck
