// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/ssd/write_buffer.hpp"

#include <gtest/gtest.h>

namespace elvcheck {
namespace {

using Ids = std::vector<WriteBuffer::Id>;

TEST(WriteBuffer, RewritingAWaitingSlotKeepsItsPlaceAndOrder) {
  WriteBuffer buffer;
  buffer.put(7, WriteBuffer::nobody);
  buffer.put(8, WriteBuffer::nobody);
  buffer.put(7, WriteBuffer::nobody);
  EXPECT_EQ(buffer.size(), 2U);
  const Ids taken = buffer.take(1);
  ASSERT_EQ(taken.size(), 1U);
  const WriteBuffer::Retired gone = buffer.retire(taken[0]);
  EXPECT_EQ(gone.slot, 7U);
  EXPECT_EQ(gone.order, 1U);
}

// Two dies could finish two versions of a slot in the wrong order: the second is not handed out before the first is on
// flash.
TEST(WriteBuffer, ANewVersionWaitsForTheOneBeingProgrammed) {
  WriteBuffer buffer;
  buffer.put(7, WriteBuffer::nobody);
  const Ids first = buffer.take(4);
  ASSERT_EQ(first.size(), 1U);
  buffer.put(7, WriteBuffer::nobody);
  buffer.put(9, WriteBuffer::nobody);
  EXPECT_TRUE(buffer.has(1));
  EXPECT_FALSE(buffer.has(2));
  const Ids other = buffer.take(4);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(buffer.retire(other[0]).slot, 9U);
  buffer.retire(first[0]);
  EXPECT_TRUE(buffer.holds(7));
  const Ids second = buffer.take(4);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(buffer.retire(second[0]).order, 2U);
  EXPECT_FALSE(buffer.holds(7));
  EXPECT_EQ(buffer.size(), 0U);
}

TEST(WriteBuffer, DiscardedDataNeverReachTheMap) {
  WriteBuffer buffer;
  buffer.put(7, WriteBuffer::nobody);
  const Ids first = buffer.take(1);
  buffer.put(7, 3);  // a second version, which a command waits for
  buffer.drop(7);
  EXPECT_FALSE(buffer.holds(7));
  const auto dropped = buffer.take_dropped();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].owner, 3U);
  EXPECT_FALSE(dropped[0].slot.has_value());
  buffer.put(7, WriteBuffer::nobody);  // written anew: still behind the program under way
  EXPECT_FALSE(buffer.has(1));
  EXPECT_FALSE(buffer.retire(first[0]).slot.has_value());
  const Ids anew = buffer.take(1);
  ASSERT_EQ(anew.size(), 1U);
  EXPECT_EQ(buffer.retire(anew[0]).slot, 7U);
  EXPECT_EQ(buffer.size(), 0U);
}

}  // namespace
}  // namespace elvcheck
