// SPDX-License-Identifier: GPL-2.0-or-later
// GNU find 4.2 and GNU grep 2.5 read a directory to its end before they look at its names. find knows from a directory's
// link count how many directories are in it, and looks at no more inodes than it takes to find those. Left out: options,
// output, the search itself (CPU time of the workload), symbolic links.
#include <algorithm>

#include "model/filesystem/open_directory.hpp"
#include "model/workload/tree_readers.hpp"

namespace elvcheck {

namespace {

constexpr Page grep_buffer_pages = 8;
constexpr Page copy_pages_each_charge = 8;  // CPU time of cp is charged for so many pages at once

const std::vector<DirectoryEntry>& names_of(const Mounted& mounted, InodeIndex directory) {
  return mounted.image().directory(directory).entries;
}

bool is_directory(const Mounted& mounted, InodeIndex inode) { return mounted.image().inodes[inode].directory >= 0; }

Task<> list(TaskContext& self, Mounted& mounted, InodeIndex directory, Nanoseconds call_cpu, ReadCounts& counts) {
  OpenDirectory open(mounted, directory, counts);
  for (;;) {
    const OpenDirectory::Names names = co_await open.getdents(self);
    if (names.empty()) co_return;
    co_await self.cpu(call_cpu);
  }
}

Task<> find_below(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                  ProgramFigures& figures) {
  co_await self.cpu(programs.find_directory_cpu);
  co_await list(self, mounted, directory, programs.find_call_cpu, figures.counts);
  std::uint32_t directories_left = mounted.image().inodes[directory].links - 2;
  for (const DirectoryEntry& entry : names_of(mounted, directory)) {
    ++figures.names;
    co_await self.cpu(programs.find_entry_cpu);
    if (directories_left == 0 && !programs.find_stats_all) continue;
    co_await mounted.read_inode(self, entry.inode, figures.counts);
    if (!is_directory(mounted, entry.inode)) continue;
    if (directories_left > 0) --directories_left;
    co_await find_below(self, mounted, entry.inode, programs, figures);
  }
}

Task<> grep_below(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                  ProgramFigures& figures) {
  co_await list(self, mounted, directory, programs.find_call_cpu, figures.counts);
  for (const DirectoryEntry& entry : names_of(mounted, directory)) {
    ++figures.names;
    co_await mounted.read_inode(self, entry.inode, figures.counts);
    if (is_directory(mounted, entry.inode)) {
      co_await grep_below(self, mounted, entry.inode, programs, figures);
      continue;
    }
    PageCache& pages = mounted.pages_of(entry.inode);
    OpenFile file(pages, mounted.image().inodes[entry.inode].bytes, mounted.rules().readahead, figures.counts);
    for (Page page = 0; page < pages.size(); page += grep_buffer_pages) {
      co_await mounted.map(self, entry.inode, std::min(page + grep_buffer_pages, pages.size()) - 1, figures.counts);
      co_await file.read(self, page, grep_buffer_pages);
    }
    co_await self.cpu(programs.grep_file_cpu);
  }
}

}  // namespace

Task<> run_find(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                ProgramFigures& figures) {
  const Nanoseconds start = self.now();
  co_await mounted.read_inode(self, directory, figures.counts);
  co_await find_below(self, mounted, directory, programs, figures);
  figures.elapsed = self.now() - start;
}

Task<> run_grep(TaskContext& self, Mounted& mounted, InodeIndex directory, const TreePrograms& programs,
                ProgramFigures& figures) {
  const Nanoseconds start = self.now();
  co_await mounted.read_inode(self, directory, figures.counts);
  co_await grep_below(self, mounted, directory, programs, figures);
  figures.elapsed = self.now() - start;
}

Task<> run_copy(TaskContext& self, Mounted& mounted, InodeIndex inode, const ReadaheadRules& rules,
                const TreePrograms& programs, ProgramFigures& figures) {
  const Nanoseconds start = self.now();
  co_await mounted.read_inode(self, inode, figures.counts);
  PageCache& pages = mounted.pages_of(inode);
  OpenFile file(pages, mounted.image().inodes[inode].bytes, rules, figures.counts);
  for (Page page = 0; page < pages.size(); ++page) {
    // Readahead maps what it asks for, and so reads the indirect block before it.
    const Page ahead = std::min(page + 2 * rules.max_pages, pages.size() - 1);
    if (page % copy_pages_each_charge == 0) co_await mounted.map(self, inode, ahead, figures.counts);
    co_await file.read(self, page, 1);
    ++figures.names;
    if ((page + 1) % copy_pages_each_charge == 0) co_await self.cpu(programs.copy_page_cpu * copy_pages_each_charge);
  }
  figures.elapsed = self.now() - start;
}

}  // namespace elvcheck
