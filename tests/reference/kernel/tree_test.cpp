// SPDX-License-Identifier: GPL-2.0-or-later
// Trees and builds: what is found, what is kept, and what is said of what is wrong.
#include <algorithm>

#include "properties/case_file.hpp"
#include "tests/reference/kernel/edit.hpp"

namespace elvcheck::kernel {
namespace {

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
  EXPECT_NE(message_of([] { open_tree("debian-9.99", test_cache()); }).find("apt-get install linux-source-9.99"),
            std::string::npos);
  EXPECT_NE(message_of([] { open_tree("/nowhere/linux", test_cache()); }).find("there is no such folder or file"),
            std::string::npos);
  const TemporaryFolder folder;
  const auto archive = folder.write("linux.tar", "not an archive");
  EXPECT_NE(message_of([&] { open_tree(archive, test_cache()); }).find("no kernel tree can be unpacked"), std::string::npos);
}

TEST(Build, TheFirstErrorIsAtItsFileAndLine) {
  ELVCHECK_NEED_TREE(tree, "6.1");
  const TemporaryFolder folder;
  const KernelTree broken =
      edited(tree, folder, Edit{"block/mq-deadline.c", "dd_exit_sched", Edit::Kind::call, "kfree", "int broken ="});
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
    EXPECT_EQ(build.traps, std::vector<std::string>()) << scheduler;
    EXPECT_TRUE(build_scheduler(tree, scheduler, tree, test_options()).cached) << scheduler;
  }
}

TEST(Build, AnUnknownSchedulerIsAnInputError) {
  EXPECT_THROW(build_scheduler(KernelTree{}, "cfq", KernelTree{}, test_options()), InputError);
}

}  // namespace
}  // namespace elvcheck::kernel
