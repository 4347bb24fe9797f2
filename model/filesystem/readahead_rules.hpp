// SPDX-License-Identifier: GPL-2.0-or-later
// The decisions of the page cache and of directory reading that a trace shows, as notes. A file is named by its inode
// number, the device by 0; pages of the device are blocks of the file system.
#pragma once

#include <span>

#include "model/core/trace.hpp"
#include "model/filesystem/tasks.hpp"

namespace elvcheck::readahead {

/// Pages that were absent are asked of the device.
extern const DecisionRule read_rule;
/// A task comes to pages of a file.
extern const DecisionRule use_rule;
/// It has them.
extern const DecisionRule used_rule;
/// Readahead chooses a window; pages of it that are cached are skipped.
extern const DecisionRule window_rule;
/// A call of readdir begins: getdents(2) of a task in a directory.
extern const DecisionRule call_rule;
/// Readahead of a directory asks for a block of the device.
extern const DecisionRule directory_rule;
/// A directory's block is wanted by readdir itself.
extern const DecisionRule leaf_rule;

/// ext4 reads an inode with a window of the table.
extern const DecisionRule inode_rule;

/// All of them.
std::span<const DecisionRule* const> all_rules();

/// Pages of a file that are read from one place of the device.
struct NotedRead {
  std::uint64_t file = 0;
  std::uint64_t first = 0;
  std::uint64_t pages = 0;
  Sector sector = 0;
  SectorCount sectors = 0;
  ReqFlags flags = 0;
};
void note_read(TaskContext& self, const NotedRead& read);
void note(TaskContext& self, const DecisionRule& rule, const std::array<std::int64_t, 4>& numbers);

}  // namespace elvcheck::readahead
