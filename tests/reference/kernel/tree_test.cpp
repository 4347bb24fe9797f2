// SPDX-License-Identifier: GPL-2.0-or-later
// Trees, patches and builds: what is found, what is kept, and what is said of what is wrong.
#include <algorithm>

#include "reference/kernel/patch.hpp"
#include "tests/reference/kernel/support.hpp"

#include "properties/case_file.hpp"

namespace elvcheck::kernel {
namespace {

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// The least that counts as a tree.
void write_small_tree(const TemporaryFolder& folder) {
  folder.write("Makefile", "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\nEXTRAVERSION =\n");
  folder.write("block/elevator.c", "int one;\nint two;\nint three;\n");
  folder.write("include/linux/blkdev.h", "struct request;\n");
}

TEST(Tree, AFolderIsATreeIfItHasABlockLayer) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of([&] { open_tree(folder.path(), test_cache()); }).find("not a Linux kernel tree"), std::string::npos);
  write_small_tree(folder);
  const KernelTree tree = open_tree(folder.path(), test_cache());
  EXPECT_EQ(tree.version, "6.1.7");
}

TEST(Tree, AnyChangeOfWhatIsBuiltChangesTheContent) {
  const TemporaryFolder folder;
  write_small_tree(folder);
  const auto before = hash_tree(folder.path());
  folder.write("Documentation/block/bfq.rst", "text\n");
  EXPECT_EQ(hash_tree(folder.path()), before);
  folder.write("include/linux/blkdev.h", "struct request; \n");
  EXPECT_NE(hash_tree(folder.path()), before);
}

TEST(Tree, WhatIsMissingIsNamed) {
  EXPECT_NE(message_of([] { open_tree("debian-9.99", test_cache()); }).find("apt-get install linux-source-9.99"), std::string::npos);
  EXPECT_NE(message_of([] { open_tree("/nowhere/linux", test_cache()); }).find("there is no such folder or file"), std::string::npos);
  const TemporaryFolder folder;
  const auto archive = folder.write("linux.tar", "not an archive");
  EXPECT_NE(message_of([&] { open_tree(archive, test_cache()); }).find("no kernel tree can be unpacked"), std::string::npos);
}

TEST(Patch, AppliesInOrderToACopy) {
  const TemporaryFolder folder;
  write_small_tree(folder);
  const KernelTree tree = open_tree(folder.path(), test_cache());
  const auto first = folder.write("1.mbox",
                                  "From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] two\n\n- a list\n---\n block/elevator.c | 2 +-\n\n"
                                  "diff --git a/block/elevator.c b/block/elevator.c\nindex 1..2 100644\n--- a/block/elevator.c\n"
                                  "+++ b/block/elevator.c\n@@ -1,3 +1,3 @@\n int one;\n-int two;\n+int zwei;\n int three;\n-- \n2.39\n\n");
  const auto second = folder.write("2.patch",
                                   "--- a/block/elevator.c\n+++ b/block/elevator.c\n@@ -1,3 +1,3 @@\n int one;\n-int zwei;\n+int deux;\n int three;\n"
                                   "--- a/Documentation/x.rst\n+++ b/Documentation/x.rst\n@@ -1 +1 @@\n-a\n+b\n");
  const PatchedTree patched = apply_patches(tree, {first, second}, test_cache());
  EXPECT_EQ(read_file(patched.tree.root / "block/elevator.c"), "int one;\nint deux;\nint three;\n");
  EXPECT_EQ(read_file(folder.path() / "block/elevator.c"), "int one;\nint two;\nint three;\n");
  EXPECT_EQ(patched.changed, (std::vector<std::string>{"block/elevator.c", "block/elevator.c"}));
  EXPECT_EQ(patched.left_out, (std::vector<std::string>{"Documentation/x.rst"}));
  EXPECT_NE(patched.tree.content, tree.content);
}

TEST(Patch, WhatDoesNotApplyIsUntestable) {
  const TemporaryFolder folder;
  write_small_tree(folder);
  const KernelTree tree = open_tree(folder.path(), test_cache());
  const auto wrong = folder.write("wrong.patch", "--- a/block/elevator.c\n+++ b/block/elevator.c\n@@ -1,2 +1,2 @@\n int uno;\n-int due;\n+int zwei;\n");
  EXPECT_THROW(apply_patches(tree, {wrong}, test_cache()), BuildError);
  const auto elsewhere = folder.write("doc.patch", "--- a/Documentation/x.rst\n+++ b/Documentation/x.rst\n@@ -1 +1 @@\n-a\n+b\n");
  EXPECT_THROW(apply_patches(tree, {elsewhere}, test_cache()), BuildError);
  const auto no_patch = folder.write("no.patch", "hello\n");
  EXPECT_THROW(apply_patches(tree, {no_patch}, test_cache()), InputError);
}

TEST(Build, TheFirstErrorIsAtItsFileAndLine) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  const TemporaryFolder folder;
  const KernelTree broken = edited(tree, folder, "block/mq-deadline.c", "kfree", "int broken =");
  const std::string message = message_of([&] { build_scheduler(tree, "mq-deadline", broken, test_options()); });
  const std::string text = read_file(tree.root / "block/mq-deadline.c");
  const auto place = text.begin() + static_cast<std::ptrdiff_t>(find_call(text, "kfree", 1).first);
  const auto line = 1 + std::count(text.begin(), place, '\n');
  EXPECT_TRUE(message.starts_with("block/mq-deadline.c:" + std::to_string(line) + ":")) << message;
  EXPECT_NE(message.find("error:"), std::string::npos) << message;
}

TEST(Build, NothingIsMissingThatMatters) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  for (const char* scheduler : {"none", "mq-deadline", "kyber", "bfq"}) {
    const KernelBuild build = build_scheduler(tree, scheduler, tree, test_options());
    // Splitting a bio takes from a mempool; no bio here is longer than the queue's limit.
    EXPECT_EQ(build.traps, (std::vector<std::string>{"mempool_alloc", "mempool_free"})) << scheduler;
    EXPECT_TRUE(build_scheduler(tree, scheduler, tree, test_options()).cached) << scheduler;
  }
}

TEST(Build, AnUnknownSchedulerIsAnInputError) {
  EXPECT_THROW(build_scheduler(KernelTree{}, "cfq", KernelTree{}, test_options()), InputError);
}

}  // namespace
}  // namespace elvcheck::kernel
