// SPDX-License-Identifier: GPL-2.0-or-later
// The case reader against damaged input: whatever the bytes, the answer is a case or one InputError line. Deterministic, so
// a failure repeats; run under sanitizers by the asan preset.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/core/random.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(ELVCHECK_TEST_CASES)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

// One damage of the kinds that editors, transfers and minimisers do.
void damage(std::string& text, SplitMix64& random) {
  static const std::vector<std::string> pieces{"[",
                                               "]",
                                               "[[",
                                               "\"",
                                               "\"\"\"",
                                               "=",
                                               "\n",
                                               "{",
                                               "}",
                                               ",",
                                               "+",
                                               "x",
                                               "-",
                                               "0",
                                               "18446744073709551616",
                                               "-9223372036854775808",
                                               "1e400",
                                               "nan",
                                               "true",
                                               "1979-05-27",
                                               "\\u0000",
                                               "\xff",
                                               "\xc3",
                                               "#",
                                               "repeat 4294967295",
                                               "end",
                                               "read 0 +8 random 1",
                                               "[device]\n",
                                               "ops = []\n",
                                               "."};
  const std::size_t at = text.empty() ? 0 : random.below(text.size());
  switch (random.below(6)) {
    case 0:
      text.erase(at, 1 + random.below(8));
      break;
    case 1:
      text.insert(at, pieces[random.below(pieces.size())]);
      break;
    case 2:
      if (!text.empty()) text[at] = static_cast<char>(random.below(256));
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      text.insert(at, text.substr(text.empty() ? 0 : random.below(text.size()), random.below(60)));
      break;
    default:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
  }
}

TEST(CaseFuzz, DamagedCasesAreCasesOrInputErrors) {
  const std::vector<std::string> texts = seeds();
  ASSERT_FALSE(texts.empty());
  SplitMix64 random(20240607);
  unsigned accepted = 0;
  unsigned refused = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    std::string text = texts[random.below(texts.size())];
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) damage(text, random);
    try {
      const CaseFile value = parse_case(text, "fuzz");
      ASSERT_EQ(parse_case(format_case(value), "again"), value) << text;
      ++accepted;
    } catch (const InputError& error) {
      const std::string_view message = error.what();
      ASSERT_EQ(message.substr(0, 5), "fuzz:") << message << "\n" << text;
      ++refused;
    }
  }
  // Both outcomes must be common, or the damage is too mild or too strong to test anything.
  EXPECT_GT(accepted, 500U);
  EXPECT_GT(refused, 5000U);
}

TEST(CaseFuzz, DamagedOperationsAreOperationsOrRefused) {
  const std::vector<std::string> names{"a", "b"};
  const std::vector<ProcessSpec> specs{{"a", {}, {}}, {"b", {}, {}}};
  const std::vector<std::string> lines{"read 1000 +8 x100 stride 16 depth 4 think 1ms",
                                       "write 5 +8 async fua meta",
                                       "wait b",
                                       "read 0 +8 random 4096 seed 3 nowait",
                                       "repeat 3",
                                       "ioprio be/4",
                                       "at 10ms"};
  SplitMix64 random(7);
  unsigned accepted = 0;
  for (unsigned round = 0; round < 100'000; ++round) {
    std::string line = lines[random.below(lines.size())];
    for (std::uint64_t n = 1 + random.below(2); n > 0; --n) damage(line, random);
    try {
      const ProcessOp op = parse_op(line, names);
      ASSERT_EQ(parse_op(format_op(op, specs), names), op) << line;
      ++accepted;
    } catch (const std::invalid_argument&) {
    }
  }
  EXPECT_GT(accepted, 1000U);
}

}  // namespace
}  // namespace elvcheck
