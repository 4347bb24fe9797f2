// SPDX-License-Identifier: GPL-2.0-or-later
// Containment: whatever happens in the child, the parent gets a word for it and goes on. Expected: POSIX signals and exits.
#include "reference/kernel/contain.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace elvcheck::kernel {
namespace {

TEST(Contain, EveryPieceIsReportedOnceAndInOrder) {
  std::vector<std::uint64_t> order;
  std::vector<Accident::Kind> kinds;
  ContainLimits limits;
  limits.cpu_for_each = std::chrono::milliseconds(200);
  run_contained(
      6,
      [](std::uint64_t piece) {
        if (piece == 1) std::raise(SIGSEGV);
        if (piece == 3) report_trouble(Trouble::lock, "held");
        if (piece == 4) {
          for (volatile bool forever = true; forever;) {
          }
        }
        return std::string(piece, 'x');
      },
      [&](std::uint64_t piece, const std::string& text) {
        EXPECT_EQ(text.size(), piece);
        order.push_back(piece);
      },
      [&](std::uint64_t piece, const Accident& accident) {
        order.push_back(piece);
        kinds.push_back(accident.kind);
        if (accident.kind == Accident::Kind::trouble) {
          EXPECT_EQ(accident.trouble, Trouble::lock);
          EXPECT_EQ(accident.text, "held");
        }
      },
      limits);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(kinds, (std::vector{Accident::Kind::crash, Accident::Kind::trouble, Accident::Kind::hang}));
}

TEST(Contain, AnExceptionComesToTheParent) {
  const auto nothing = [](std::uint64_t, const auto&) {};
  try {
    run_contained(
        1, [](std::uint64_t) -> std::string { throw std::invalid_argument("no such thing"); }, nothing, nothing);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no such thing");
  }
}

TEST(Contain, AChildDoesNotChangeItsParent) {
  int number = 1;
  run_contained(
      1, [&](std::uint64_t) { return number = 2, std::string("done"); },
      [](std::uint64_t, const std::string& text) { EXPECT_EQ(text, "done"); },
      [](std::uint64_t, const Accident&) { FAIL(); });
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace elvcheck::kernel
