// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever a task does in its process, the caller gets one result for it and goes on.
#include "checker/z3/isolated.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace elvcheck {
namespace {

using End = IsolatedResult::End;
using Task = std::function<std::string()>;

TEST(Isolated, ResultsComeInTheOrderOfTheTasks) {
  std::vector<Task> tasks;
  for (int i = 0; i < 7; ++i) {
    tasks.push_back([i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5 * (7 - i)));  // the last ones finish first
      return std::to_string(i);
    });
  }
  IsolatedOptions options;
  options.jobs = 4;
  std::size_t done = 0;
  options.done = [&](std::size_t) { ++done; };
  const std::vector<IsolatedResult> results = run_isolated(tasks, options);
  ASSERT_EQ(results.size(), 7U);
  EXPECT_EQ(done, 7U);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(results[i].end, End::finished);
    EXPECT_EQ(results[i].text, std::to_string(i));
  }
}

TEST(Isolated, LongTextsArriveWhole) {
  const std::vector<Task> tasks{[] { return std::string(1'000'000, 'x'); }, [] { return std::string(); }};
  const auto results = run_isolated(tasks, {});
  EXPECT_EQ(results[0].text.size(), 1'000'000U);
  EXPECT_EQ(results[1].end, End::finished);  // an empty text is a text
  EXPECT_EQ(results[1].text, "");
}

TEST(Isolated, ACrashAnExceptionAndASilentExitAreToldApart) {
  const std::vector<Task> tasks{[]() -> std::string { throw std::runtime_error("no luck"); },
                                []() -> std::string {
                                  std::raise(SIGKILL);
                                  return "not reached";
                                },
                                []() -> std::string { _exit(9); }};
  const auto results = run_isolated(tasks, {});
  EXPECT_EQ(results[0].end, End::threw);
  EXPECT_EQ(results[0].text, "no luck");
  EXPECT_EQ(results[1].end, End::crashed);
  EXPECT_NE(results[1].text.find("signal"), std::string::npos);
  EXPECT_EQ(results[2].end, End::crashed);
  EXPECT_NE(results[2].text.find("9"), std::string::npos);
}

TEST(Isolated, TheWatchdogKillsAHangAndTheOthersFinish) {
  const std::vector<Task> tasks{[]() -> std::string {
                                  for (;;) pause();
                                },
                                [] { return std::string("fine"); }};
  IsolatedOptions options;
  options.watchdog = std::chrono::seconds(1);
  const auto started = std::chrono::steady_clock::now();
  const auto results = run_isolated(tasks, options);
  EXPECT_EQ(results[0].end, End::timed_out);
  EXPECT_EQ(results[1].text, "fine");
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST(Isolated, CancellingEndsEverything) {
  const std::vector<Task> tasks(3, []() -> std::string {
    for (;;) pause();
  });
  IsolatedOptions options;
  options.jobs = 2;
  int asked = 0;
  options.cancelled = [&] { return ++asked > 2; };
  for (const IsolatedResult& result : run_isolated(tasks, options)) EXPECT_EQ(result.end, End::cancelled);
}

}  // namespace
}  // namespace elvcheck
