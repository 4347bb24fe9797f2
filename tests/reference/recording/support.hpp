// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the tests of recordings: the shipped samples, scratch files, small texts.
#pragma once

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "reference/recording/recording.hpp"

namespace elvcheck::test {

inline std::string sample(const std::string& name) { return std::string(ELVCHECK_TEST_DATA) + "/recordings/" + name; }

/// The decompressed bytes of a shipped sample; empty if it cannot be read.
inline std::string sample_bytes(const std::string& name) {
  std::string bytes;
  char piece[1 << 14];
  gzFile file = gzopen(sample(name).c_str(), "rb");
  if (file == nullptr) return bytes;
  for (int got = 0; (got = gzread(file, piece, sizeof piece)) > 0;) bytes.append(piece, static_cast<std::size_t>(got));
  gzclose(file);
  return bytes;
}

/// A directory of its own that goes away with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "elvcheck-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string directory() const { return path_; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::string path_;
};

/// The message of the InputError that reading throws; empty if it throws none.
template <class Read>
std::string input_error(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

inline std::string error_of(const std::string& content) {
  return input_error([&] { parse_recording(content, "f"); });
}

/// "Q R 100 + 8 r0 b1;..." for comparing a handful of events at a glance.
inline std::string short_form(const Recording& recording) {
  std::string text;
  for (const TraceEvent& event : recording.events) {
    text += std::string(letter(event.kind)) + " " + std::to_string(event.sector) + "+" + std::to_string(event.sectors);
    if (event.request != 0) text += " r" + std::to_string(event.request);
    if (event.bio != 0) text += " b" + std::to_string(event.bio);
    if (event.other != 0) text += " o" + std::to_string(event.other);
    text += ";";
  }
  return text;
}

}  // namespace elvcheck::test
