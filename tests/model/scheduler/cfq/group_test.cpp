// SPDX-License-Identifier: GPL-2.0-or-later
// Groups, defaults and units of CFQ against values computed by hand from block/cfq-iosched.c.
#include "model/scheduler/cfq/group.hpp"

#include <gtest/gtest.h>

#include <array>

namespace elvcheck::cfq {
namespace {

constexpr std::uint64_t delay = 200;

TEST(CfqGroup, FlatWeightsChargeByWeight) {
  Features features{};
  const std::array<IoGroup, 1> specs{IoGroup{500, 0}};
  GroupTree tree(features, specs, 0);
  tree.add_queue(tree.root(), delay);
  tree.charge(tree.root(), 100);
  EXPECT_EQ(tree.root().vdisktime.value, 204'800U);  // (100 << 12) * 500 / 1000
  Group& half = tree.group(1);
  tree.add_queue(half, delay);
  EXPECT_EQ(half.vdisktime.value, 204'800U + delay);  // behind the last one
  tree.charge(half, 100);
  EXPECT_EQ(half.vdisktime.value, 204'800U + delay + 409'600U);
  EXPECT_EQ(&tree.leftmost(), &tree.root());
  EXPECT_EQ(tree.weight_sum(), 1500);
  tree.remove_queue(half);
  EXPECT_EQ(tree.weight_sum(), 1000);
}

TEST(CfqGroup, HierarchicalFractions) {
  Features features{};
  features.hierarchical_weights = true;
  // root (1000) - a (250) - b (500), c (1000)
  const std::array<IoGroup, 3> specs{IoGroup{250, 0}, IoGroup{500, 1}, IoGroup{1000, 0}};
  GroupTree tree(features, specs, 0);
  tree.add_queue(tree.group(2), delay);
  EXPECT_EQ(tree.group(2).fraction, 4096U);  // alone
  tree.charge(tree.group(2), 1);
  EXPECT_EQ(tree.group(2).vdisktime.value, 4096U);
  tree.add_queue(tree.group(3), delay);
  EXPECT_EQ(tree.group(3).fraction, 4096U * 1000 / 1250);
  EXPECT_EQ(tree.group(2).fraction, 4096U);  // not computed again until it is inserted again
  tree.charge(tree.group(2), 1);
  EXPECT_EQ(tree.group(2).fraction, 4096U * 250 / 1250);
  tree.add_queue(tree.group(1), delay);  // the leaf of a, weight 250, beside b, weight 500
  EXPECT_EQ(tree.group(1).fraction, 4096U * 250 / 750 * 250 / 1250);
  tree.remove_queue(tree.group(3));
  tree.charge(tree.group(2), 1);
  EXPECT_EQ(tree.group(2).fraction, 4096U * 500 / 750);
}

TEST(CfqGroup, AGroupThatLeavesForgetsItsWorkload) {
  Features features{};
  GroupTree tree(features, {}, 0);
  tree.add_queue(tree.root(), delay);
  tree.root().saved_slice = 5;
  tree.remove_queue(tree.root());
  EXPECT_EQ(tree.root().saved_slice, 0);
  EXPECT_TRUE(tree.empty());
}

TEST(CfqGroup, VirtualTimeOrderIsWrapSafe) {
  const VirtualDiskTime late{~std::uint64_t{0}};
  EXPECT_TRUE(late < VirtualDiskTime{5});
  EXPECT_FALSE(VirtualDiskTime{5} < late);
}

TEST(CfqGroup, ClocksBeginWithTheFirstBio) {
  Features features{};
  const std::array<IoGroup, 2> specs{IoGroup{500, 0}, IoGroup{500, 1}};
  GroupTree tree(features, specs, 7);
  GroupTree::born(tree.group(2), 40);
  GroupTree::born(tree.group(1), 50);
  EXPECT_EQ(tree.root().think.last_end, 7);
  EXPECT_EQ(tree.group(1).think.last_end, 40);  // as an ancestor
  EXPECT_EQ(tree.group(2).idle_tree.think.last_end, 40);
}

Tunables defaults(Version version, unsigned hz, bool rotational) {
  TunableValues values(tunable_table(version));
  BlockSettings block;
  block.hz = hz;
  DeviceInfo device;
  device.rotational = rotational;
  store_local_defaults(version, values, block, device);
  return read_tunables(values, Units(version == Version::v4_19, KernelClock(hz)));
}

TEST(CfqTunables, DefaultsInTicks) {
  const Tunables hz100 = defaults(Version::v2_6_35, 100, true);
  EXPECT_EQ(hz100.fifo_expire[1], 12);  // HZ / 8, not 125 ms rounded up
  EXPECT_EQ(hz100.fifo_expire[0], 25);
  EXPECT_EQ(hz100.slice_sync, 10);
  EXPECT_EQ(hz100.slice_async, 4);
  EXPECT_EQ(hz100.slice_idle, 1);
  EXPECT_EQ(hz100.target_latency, 30);
  const Tunables hz250 = defaults(Version::v2_6_35, 250, true);
  EXPECT_EQ(hz250.fifo_expire[1], 31);
  EXPECT_EQ(hz250.fifo_expire[0], 62);
  EXPECT_EQ(hz250.slice_idle, 2);
  EXPECT_EQ(hz250.target_latency, 75);
  EXPECT_EQ(defaults(Version::v2_6_35, 250, false).slice_idle, 2);
}

TEST(CfqTunables, DefaultsInNanoseconds) {
  const Tunables t = defaults(Version::v4_19, 250, true);
  EXPECT_EQ(t.fifo_expire[1], 125'000'000);
  EXPECT_EQ(t.slice_idle, 8'000'000);
  EXPECT_EQ(t.group_idle, 8'000'000);
  EXPECT_EQ(t.target_latency, 300'000'000);
  EXPECT_EQ(t.back_seek_sectors, 32'768);
  EXPECT_EQ(defaults(Version::v4_19, 250, false).slice_idle, 0);  // not on fast devices
}

TEST(CfqTunables, SysfsRoundsUpToTicks) {
  TunableValues values(tunable_table(Version::v2_6_35));
  ASSERT_TRUE(values.store("fifo_expire_sync", 125));
  EXPECT_EQ(read_tunables(values, Units(false, KernelClock(100))).fifo_expire[1], 13);
}

}  // namespace
}  // namespace elvcheck::cfq
