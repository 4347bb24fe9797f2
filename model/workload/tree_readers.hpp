// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that read trees of files through a cold cache: find, grep -r, cp, and the three at once.
#pragma once

#include "model/filesystem/mounted.hpp"
#include "model/workload/workloads.hpp"

namespace elvcheck {

WorkloadInfo find_tree_workload();
WorkloadInfo grep_tree_workload();
WorkloadInfo copy_file_workload();
WorkloadInfo find_grep_copy_workload();

/// The programs, for workloads and for experiments on a tree of their own.
struct TreePrograms {
  Nanoseconds find_directory_cpu = 0ns;  ///< of find: for each directory that it opens
  Nanoseconds find_call_cpu = 0ns;       ///< and for each call of getdents(2)
  Nanoseconds find_entry_cpu = 0ns;      ///< and for each name
  Nanoseconds grep_file_cpu = 0ns;       ///< of grep: for each file
  Nanoseconds copy_page_cpu = 0ns;       ///< of cp: for each page
  bool find_stats_all = false;  ///< find looks at every inode (-size); else only while directories are left to be found
};

/// What a program did.
struct ProgramFigures {
  ReadCounts counts;
  Nanoseconds elapsed{0};
  std::uint64_t names = 0;
};

/// find DIR: reads a directory to its end, then looks at its names in that order and goes down into directories.
Task<> run_find(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                ProgramFigures& figures);
/// grep -r: reads a directory to its end, then reads its files in that order, 32 KiB a call.
Task<> run_grep(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                ProgramFigures& figures);
/// cp FILE /dev/null, 4 KiB a call.
Task<> run_copy(TaskContext& self, Mounted& mounted, InodeIndex file, const ReadaheadRules& rules,
                const TreePrograms& programs, ProgramFigures& figures);

}  // namespace elvcheck
