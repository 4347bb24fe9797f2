// SPDX-License-Identifier: GPL-2.0-or-later
// The record file of a shard: JSON lines, only ever appended to. The first line says what the shard is, each further one
// what a range of its cases gave. A line counts once its line end is there, so a campaign that was killed goes on behind the
// last whole line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace elvcheck {

class ShardFile {
 public:
  using Json = nlohmann::ordered_json;

  /// Opens the file for appending, or makes it with this header. A torn last line is cut off. Throws InputError: it cannot
  /// be written, another process has it, it is damaged before its last line, or it has another header (naming the key).
  ShardFile(std::string path, const Json& header);
  ~ShardFile();
  ShardFile(const ShardFile&) = delete;
  ShardFile& operator=(const ShardFile&) = delete;

  /// The records that stood in it when it was opened.
  const std::vector<Json>& records() const { return records_; }
  /// Whether a torn line was cut off.
  bool was_torn() const { return was_torn_; }

  /// Appends one record by one write. Throws InputError.
  void append(const Json& record);

 private:
  [[noreturn]] void fail(int error) const;
  void write_line(const Json& value);

  std::string path_;
  int fd_ = -1;
  bool was_torn_ = false;
  std::vector<Json> records_;
};

/// What a file holds, for reading only. A torn last line is left out.
struct ShardContent {
  ShardFile::Json header;  ///< null if there is no whole line
  std::vector<ShardFile::Json> records;
  std::size_t whole_bytes = 0;  ///< up to the last line end that counts
};
/// Throws InputError naming the file and line.
ShardContent read_shard(const std::string& path);

}  // namespace elvcheck
