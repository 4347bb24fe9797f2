// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/campaign/shard_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "properties/case_file.hpp"

namespace elvcheck {

ShardContent read_shard(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  ShardContent content;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text) && !file.eof();) {  // at the end: the last line has no line end
    ++number;
    ShardFile::Json line = ShardFile::Json::parse(text, nullptr, false);
    if (!line.is_object()) {
      if (file.peek() == std::ifstream::traits_type::eof()) break;  // a crash of the machine: blocks that were never written
      throw InputError(
          fmt::format("{}:{}: not a record of a campaign; remove the file to begin this shard again", path, number));
    }
    if (content.header.is_null()) {
      content.header = std::move(line);
    } else {
      content.records.push_back(std::move(line));
    }
    content.whole_bytes += text.size() + 1;
  }
  if (file.bad()) throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  return content;
}

ShardFile::ShardFile(std::string path, const Json& header) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(errno);
  try {
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      throw InputError(fmt::format("{}: another process works on this shard; wait for it or use another --out", path_));
    }
    ShardContent content = read_shard(path_);
    struct stat status {};
    if (fstat(fd_, &status) != 0) fail(errno);
    was_torn_ = static_cast<std::size_t>(status.st_size) != content.whole_bytes;
    if (was_torn_ && ftruncate(fd_, static_cast<off_t>(content.whole_bytes)) != 0) fail(errno);
    if (content.header.is_null()) {
      write_line(header);
      return;
    }
    for (const auto& [key, value] : header.items()) {
      if (content.header.contains(key) && content.header[key] == value) continue;
      throw InputError(fmt::format("{}: it was begun with another '{}' ({}, now {}); use the same options or another --out",
                                   path_, key, content.header.contains(key) ? content.header[key].dump() : "none",
                                   value.dump()));
    }
    records_ = std::move(content.records);
  } catch (...) {
    close(fd_);
    throw;
  }
}

ShardFile::~ShardFile() { close(fd_); }

void ShardFile::fail(int error) const { throw InputError(path_ + ": cannot write: " + std::strerror(error)); }

void ShardFile::append(const Json& record) { write_line(record); }

void ShardFile::write_line(const Json& value) {
  const std::string line = value.dump() + "\n";
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace elvcheck
