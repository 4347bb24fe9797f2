// SPDX-License-Identifier: GPL-2.0-or-later
// reproduce find: what must come out is held against the figures of the mail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "checker/reproduce/experiment.hpp"
#include "checker/reproduce/real_tree.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

ExperimentOutcome reproduce_find(const ReproduceContext& context);

namespace {

ReproduceContext one_thread() {
  ReproduceContext context;
  context.seeds = 1;
  context.brief = true;
  context.simulate = [](std::size_t count, const std::function<void(std::size_t)>& body) {
    for (std::size_t i = 0; i < count; ++i) body(i);
  };
  return context;
}

TEST(ReproduceFind, EveryClaimHolds) {
  const ExperimentOutcome outcome = reproduce_find(one_thread());
  EXPECT_EQ(outcome.claims.size(), 5U);
  for (const Claim& claim : outcome.claims) EXPECT_TRUE(claim.held) << claim.name << ": " << claim.detail;
  for (const Row& row : outcome.rows) EXPECT_TRUE(row.agrees()) << row.name << " " << row.ratio();
  const auto fitted =
      std::count_if(outcome.rows.begin(), outcome.rows.end(), [](const Row& r) { return r.role == Role::fitted; });
  EXPECT_EQ(fitted, 5) << "the figures that a parameter was chosen for";
}

TEST(ReproduceFind, ARealTree) {
  namespace fs = std::filesystem;
  const fs::path top = fs::path(testing::TempDir()) / "reproduce-find-tree";
  fs::remove_all(top);
  fs::create_directories(top / "a" / "b");
  std::ofstream(top / "a" / "one") << "12345";
  std::ofstream(top / "a" / "b" / "two") << "1";
  fs::create_hard_link(top / "a" / "one", top / "again");
  fs::create_symlink("a", top / "link");
  const RealTree tree = read_real_tree(top.string());
  EXPECT_EQ(tree.directories, 3U);
  EXPECT_EQ(tree.names, 4U) << "one, two, again, link";
  EXPECT_EQ(tree.linked, 1U) << "one or again, whichever comes second";
  ASSERT_EQ(tree.contents.front().size(), 3U);
  EXPECT_EQ(tree.contents.front()[1].name_length, 5U) << "again comes behind a";

  ReproduceContext context = one_thread();
  context.tree = top.string();
  const ExperimentOutcome outcome = reproduce_find(context);
  // By hand: the three directories have inodes in one block, and one block each.
  EXPECT_EQ(outcome.rows.at(1).simulated.front(), 4);
  fs::remove_all(top);
  EXPECT_THROW(read_real_tree(top.string()), InputError);
}

}  // namespace
}  // namespace elvcheck
