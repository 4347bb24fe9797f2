// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck kernel`, `conform`, `record` and `replay --tree` as a developer with a patch uses them. The patches are made
// here, by diff(1), out of edits of the installed tree; what must come out is the edit's own effect, and the documented exit
// codes.
#include <gtest/gtest.h>

#include "tests/checker/cli/program.hpp"
#include "tests/reference/kernel/edit.hpp"

namespace elvcheck::test {
namespace {

using Kind = kernel::Edit::Kind;

constexpr const char* deadline = "block/mq-deadline.c";

class KernelCli : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = kernel::installed_tree("6.1");
    if (!found) GTEST_SKIP() << "no kernel source: the Debian package linux-source-6.1 is not installed";
    tree_ = *found;
  }

  /// A mail with a patch that makes the edit.
  std::string mailed(const std::string& name, const kernel::Edit& edit) {
    std::string text = kernel::read_file(tree_.root / edit.file);
    EXPECT_TRUE(kernel::apply(edit, text));
    write_file(folder_.file("changed.c"), text);
    const Outcome diff =
        run_program({"diff", "-u", "--label", std::string("a/") + edit.file, "--label", std::string("b/") + edit.file,
                     (tree_.root / edit.file).string(), folder_.file("changed.c")});
    write_file(folder_.file(name),
               "From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 0/1] block: letter\n\nAbout it.\n\nFrom 2 Mon Sep 17 "
               "00:00:00 2001\n"
               "Subject: [PATCH 1/1] block: change\n\n---\n" +
                   diff.out + "-- \n2.39\n\n");
    return name;
  }

  Outcome run(std::vector<std::string> arguments, const std::string& command = "") {
    if (command.empty()) {
      const std::vector<std::string> rest{"--tree", "debian-6.1", "--cache", kernel::test_cache().string()};
      arguments.insert(arguments.end(), rest.begin(), rest.end());
      Setting setting;
      setting.directory = folder_.path();
      return run_elvcheck(arguments, setting);
    }
    Setting setting;
    setting.directory = folder_.path();
    const std::string programs = std::filesystem::path(ELVCHECK_PROGRAM).parent_path().string();
    setting.environment["PATH"] = programs + ":/usr/bin:/bin";
    return run_program({"sh", "-c", command}, setting);
  }

  kernel::KernelTree tree_;
  TemporaryFolder folder_;
};

TEST_F(KernelCli, AMailedPatchIsJudgedAndItsCaseReplays) {
  const std::string patch =
      mailed("v2.mbox", {deadline, "__dd_dispatch_request", Kind::token, "writes_starved", "writes_starved + 1000000"});
  const Outcome judged =
      run({"kernel", "--scheduler", "mq-deadline", "--patch", patch, "--property", "deadline.*", "--cases", "100"});
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  EXPECT_NE(judged.err.find("applied [PATCH 1/1] block: change"), std::string::npos) << judged.err;
  EXPECT_NE(judged.out.find("deadline.writes-starved"), std::string::npos);
  EXPECT_NE(judged.out.find("NEW"), std::string::npos) << judged.out;
  // The printed command, as it would be pasted.
  const auto at = judged.out.find("elvcheck replay ");
  ASSERT_NE(at, std::string::npos) << judged.out;
  const std::string command = judged.out.substr(at, judged.out.find('\n', at) - at);
  const Outcome replayed = run({}, command);
  EXPECT_EQ(replayed.exit_code, 0) << command << "\n" << replayed.out << replayed.err;
  EXPECT_NE(replayed.out.find("violated, as expected (starved"), std::string::npos) << replayed.out;
  // Without the patch the case holds, so its verdict is not kept.
  const Outcome base = run({}, command.substr(0, command.find(" --patch")) + " --cache " + kernel::test_cache().string());
  EXPECT_EQ(base.exit_code, 1) << base.out << base.err;
}

TEST_F(KernelCli, ExitCodesAreFitForBisection) {
  const auto judge = [&](const std::string& patch) {
    return run({"kernel", "--scheduler", "mq-deadline", "--patch", patch, "--property", "kernel.*", "--cases", "20"});
  };
  const Outcome harmless = judge(mailed("harmless.patch", {deadline, "dd_finish_request", Kind::begin, "", "(void)rq;"}));
  EXPECT_EQ(harmless.exit_code, 0) << harmless.out << harmless.err;
  EXPECT_NE(harmless.out.find("0 new violations"), std::string::npos);
  const Outcome broken = judge(mailed("broken.patch", {deadline, "dd_finish_request", Kind::begin, "", "no_such_thing();"}));
  EXPECT_EQ(broken.exit_code, 125);
  EXPECT_NE(broken.err.find("elvcheck: block/mq-deadline.c:"), std::string::npos) << broken.err;
  EXPECT_EQ(count_lines(broken.err.substr(broken.err.find("elvcheck: "))), 1U) << broken.err;
  write_file(folder_.file("other.patch"),
             "--- a/block/mq-deadline.c\n+++ b/block/mq-deadline.c\n@@ -1,1 +1,1 @@\n-nothing of the kind\n+else\n");
  const Outcome other = judge("other.patch");
  EXPECT_EQ(other.exit_code, 125);
  EXPECT_NE(other.err.find("other.patch:3: hunk 1 of block/mq-deadline.c does not apply"), std::string::npos) << other.err;
  write_file(folder_.file("cut.patch"), "--- a/block/mq-deadline.c\n+++ b/block/mq-deadline.c\n@@ -1,9 +1,1 @@\n-nothing\n");
  const Outcome cut = judge("cut.patch");
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_NE(cut.err.find("cut.patch:3: the hunk of line 3"), std::string::npos) << cut.err;
}

TEST_F(KernelCli, UseAfterFreeIsSeenBySanitizedCode) {
  const std::string patch = mailed(
      "uaf.patch", {deadline, "dd_exit_sched", Kind::call, "kfree", "(kfree(dd), (void)*(volatile int *)&dd->batching)"});
  const Outcome judged = run(
      {"kernel", "--scheduler", "mq-deadline", "--patch", patch, "--sanitize", "--property", "kernel.*", "--cases", "4"});
  EXPECT_EQ(judged.exit_code, 1) << judged.out << judged.err;
  EXPECT_NE(judged.out.find("kernel.no-crash"), std::string::npos);
  EXPECT_NE(judged.out.find("heap-use-after-free in dd_exit_sched (block/mq-deadline.c:"), std::string::npos) << judged.out;
}

TEST_F(KernelCli, ADifferenceIsShownInTwoColumnsWithTheSchedulersLog) {
  const std::string patch =
      mailed("weights.patch", {"block/bfq-wf2q.c", "bfq_ioprio_to_weight", Kind::begin, "", "return 40;"});
  const Outcome same = run({"conform", "--scheduler", "mq-deadline", "--cases", "60"});
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("60 of 60 streams exact"), std::string::npos) << same.out;
  const Outcome other = run({"conform", "--scheduler", "bfq", "--cases", "300", "--patch", patch});
  EXPECT_EQ(other.exit_code, 1) << other.out << other.err;
  for (const char* part : {"model", "| ", "the kernel's bfq log:", "elvcheck conform elvcheck-out/conform-bfq-"})
    EXPECT_NE(other.out.find(part), std::string::npos) << part << " is not in\n" << other.out;
}

TEST_F(KernelCli, ARecordingIsTheSameByEveryCompilerAndSanitized) {
  const std::vector<std::string> plain{"record", "--scheduler", "bfq", "--cases", "12"};
  const Outcome gcc = run(plain);
  ASSERT_EQ(gcc.exit_code, 0) << gcc.err;
  EXPECT_EQ(count_lines(gcc.out), 12U);
  std::vector<std::string> other = plain;
  other.insert(other.end(), {"--jobs", "3"});
  EXPECT_EQ(run(other).out, gcc.out);
  if (run_program({"clang", "--version"}).exit_code == 0) {
    other = plain;
    other.insert(other.end(), {"--compiler", "clang"});
    EXPECT_EQ(run(other).out, gcc.out);
  }
  other = plain;
  other.push_back("--sanitize");
  EXPECT_EQ(run(other).out, gcc.out);
}

}  // namespace
}  // namespace elvcheck::test
