// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile input. Whatever is done to a recording, reading it gives a recording or an InputError with one line, nothing else:
// no other exception, no crash, no hang. Deterministic mutations of pieces of real samples, worked under the sanitizers too;
// a failure prints the seed of its mutation.
#include <gtest/gtest.h>

#include <chrono>

#include "model/core/random.hpp"
#include "reference/recording/recorded_device.hpp"
#include "reference/recording/settings.hpp"
#include "reference/recording/submissions.hpp"
#include "tests/reference/recording/support.hpp"

namespace elvcheck {
namespace {

struct Piece {
  const char* file;
  std::size_t start;  // in lines for text, in bytes for binary
  std::size_t length;
  bool binary;
};

std::string cut(const Piece& piece) {
  const std::string bytes = test::sample_bytes(piece.file);
  if (piece.binary) {  // whole records: 48 bytes and a payload whose length stands at 46
    std::size_t end = 0;
    while (end < piece.start + piece.length && end + 48 <= bytes.size())
      end += 48U + static_cast<unsigned char>(bytes[end + 46]) + 256U * static_cast<unsigned char>(bytes[end + 47]);
    return bytes.substr(piece.start, end - piece.start);
  }
  std::size_t from = 0, line = 0;
  while (line < piece.start) from = bytes.find('\n', from) + 1, ++line;
  std::size_t to = from;
  while (line < piece.start + piece.length && to < bytes.size()) to = bytes.find('\n', to) + 1, ++line;
  return bytes.substr(from, to - from);
}

constexpr Piece pieces[] = {
    {"uml-hdd1c-c-mq-deadline.blkparse.txt.gz", 50, 70, false},  // merges, plugs, flushes
    {"uml-hdd1c-c-mq-deadline.ftrace.txt.gz", 50, 70, false},
    {"uml-hdd1-fio_a-bfq.iolog1.gz", 0, 40, false},
    {"uml-hdd1c-c-mq-deadline.blktrace.0.gz", 0, 5000, true},
};

/// Reads and uses what was read. The message of the error, or empty.
std::string feed(const std::string& content) {
  return test::input_error([&] {
    const Recording recording = parse_recording(content, "f");
    if (recording.events.size() != recording.running.size()) throw std::logic_error("running is not parallel to events");
    Nanoseconds last{0};
    for (const TraceEvent& event : recording.events) {
      if (event.at < last) throw std::logic_error("events are not in order");
      last = event.at;
    }
    submission_steps(recording);
    observed_device(recording);
    median_service_time(recording);
  });
}

void check(const std::string& content, const std::string& what) {
  SCOPED_TRACE(what);
  std::string message;
  ASSERT_NO_THROW(message = feed(content));
  ASSERT_EQ(message.find('\n'), std::string::npos);
  if (!message.empty()) {
    ASSERT_TRUE(message.starts_with("f:")) << message;
  }
}

std::string mutate(std::string text, SplitMix64& random, bool binary) {
  static constexpr const char* numbers[] = {"0",
                                            "-1",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "4294967295",
                                            "9223372036854775807",
                                            "99999999999999999999999999",
                                            "4.2",
                                            ""};
  const std::size_t edits = 1 + random.below(4);
  for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    switch (random.below(binary ? 4 : 6)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
      case 1:
        text.erase(at, 1 + random.below(40));
        break;
      case 2:
        text.insert(at, text, random.below(text.size()), 1 + random.below(200));
        break;   // splice
      case 3: {  // a run of one byte
        const std::size_t length = std::min<std::size_t>(text.size() - at, 1 + random.below(9));
        text.replace(at, length, length, static_cast<char>(random.below(2) == 0 ? 0xFF : random.below(256)));
        break;
      }
      case 4: {  // another number
        const std::size_t from = text.find_first_of("0123456789", at);
        if (from == std::string::npos) break;
        const std::size_t to = std::min(text.find_first_not_of("0123456789", from), text.size());
        text.replace(from, to - from, numbers[random.below(std::size(numbers))]);
        break;
      }
      default: {  // this line behind the next one
        const std::size_t end = text.find('\n', at);
        const std::size_t next = end == std::string::npos ? end : text.find('\n', end + 1);
        if (next == std::string::npos) break;
        const std::size_t start = text.rfind('\n', at == 0 ? 0 : at - 1);
        const std::size_t first = start == std::string::npos ? 0 : start + 1;
        if (first > end) break;
        text = text.substr(0, first) + text.substr(end + 1, next - end) + text.substr(first, end + 1 - first) +
               text.substr(next + 1);
        break;
      }
    }
  }
  return text;
}

TEST(Fuzz, MutatedRecordings) {
  for (const Piece& piece : pieces) {
    const std::string original = cut(piece);
    ASSERT_FALSE(original.empty());
    ASSERT_EQ(feed(original), "") << piece.file;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      SplitMix64 random(seed);
      check(mutate(original, random, piece.binary), std::string(piece.file) + " seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Fuzz, CutAtEveryOffset) {
  for (const Piece& piece : pieces) {
    const std::string original = cut({piece.file, piece.start, piece.binary ? 1200U : 14U, piece.binary});
    std::size_t errors = 0;
    for (std::size_t length = 0; length < original.size(); ++length) {
      check(original.substr(0, length), std::string(piece.file) + " cut at " + std::to_string(length));
      if (HasFatalFailure()) return;
      errors += feed(original.substr(0, length)).empty() ? 0 : 1;
    }
    // Only a cut between two lines or records can go unseen.
    EXPECT_GT(errors, original.size() * 9 / 10) << piece.file;
  }
}

TEST(Fuzz, PiecesOfDifferentFormatsTogether) {
  for (const Piece& a : pieces)
    for (const Piece& b : pieces) check(cut(a) + cut(b), std::string(a.file) + " + " + b.file);
}

TEST(Fuzz, Settings) {
  const std::string original = test::sample_bytes("uml-hdd1-a-mq-deadline.md");
  ASSERT_FALSE(original.empty());
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SplitMix64 random(seed);
    const std::string text = mutate(original, random, false);
    SCOPED_TRACE(seed);
    ASSERT_NO_THROW(test::input_error([&] { parse_settings(text, "s"); }));
  }
}

TEST(Fuzz, MuchOfTheSameStaysLinear) {
  // 60,000 requests at one place, and bios that overlap them all: a search that looked at each would take minutes.
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += "  8,0 0 1 0.000000001 " + std::to_string(1 + i % 7) + " Q R 8 + 8 [a]\n  8,0 0 1 0.000000001 " +
            std::to_string(1 + i % 5) + " Q R " + std::to_string(9 + i % 3) + " + 4000000 [a]\n";
  for (int i = 0; i < 60'000; ++i) text += "  8,0 0 1 0.000000002 9 G R 8 + 8 [a]\n  8,0 0 1 0.000000002 9 M R 16 + 8 [a]\n";
  for (int i = 0; i < 2000; ++i) text += "  8,0 0 1 0.000000003 9 D R 8 + 64 [a]\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(feed(text), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 60s);
}

}  // namespace
}  // namespace elvcheck
