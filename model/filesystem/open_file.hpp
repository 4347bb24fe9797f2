// SPDX-License-Identifier: GPL-2.0-or-later
// An open file with its readahead: read(2) and page faults through the page cache.
//
// Mirrors do_generic_mapping_read() of 2.6.20, do_generic_file_read() and filemap_fault() of 2.6.35, filemap_get_pages() and
// filemap_fault() of 6.1, which call the decision cores (readahead_core.hpp, two_window_core.hpp). Copying to the user takes
// no time here: a workload adds its CPU time. Left out: congestion of the queue (readahead of 2.6 is dropped above 113 of
// 128 requests), O_DIRECT, large folios.
#pragma once

#include "model/filesystem/page_cache.hpp"
#include "model/filesystem/readahead_core.hpp"
#include "model/filesystem/two_window_core.hpp"

namespace elvcheck {

/// Whose readahead.
enum class MemoryVersion : std::uint8_t { v2_6_20, v2_6_35, v6_1 };

struct ReadaheadRules {
  MemoryVersion version = MemoryVersion::v6_1;
  Page max_pages = 32;  ///< queue/read_ahead_kb in pages; 0 turns readahead off
  Page io_pages = 0;    ///< 6.1: largest request in pages; 0: no longer than max_pages

  readahead::OnDemandCore<Concrete> core() const;
  /// What a read submits: from 4.x on it says that it reads ahead.
  ReqFlags flags() const { return version == MemoryVersion::v6_1 ? REQ_RAHEAD : 0; }
};

class OpenFile {
 public:
  /// @param bytes length of the file; its pages are 4 KiB
  OpenFile(PageCache& cache, std::uint64_t bytes, const ReadaheadRules& rules, ReadCounts& counts)
      : cache_(cache), bytes_(bytes), rules_(rules), counts_(counts) {}

  /// read(2) of whole pages [first, first + pages), clipped to the file. Returns when all are up to date.
  Task<> read(TaskContext& self, Page first, Page pages);
  /// A fault of a mapping on this page.
  Task<> fault(TaskContext& self, Page page);
  /// Readahead of 2.6.20 alone, as a caller with a page of its own uses it (page_cache_readahead()).
  Task<> old_readahead(TaskContext& self, Page page, Page request);
  /// On-demand readahead for an absent page alone (page_cache_sync_readahead()).
  Task<> ask(TaskContext& self, Page page, Page request, bool marked);

  const readahead::Window<Concrete>& window() const { return window_; }
  /// file.f_ra.prev_page of 2.6.20; the readdir patch of January 2007 counts calls in it.
  std::int64_t& old_previous() { return old_.previous; }
  /// file.f_ra.prev_pos in pages.
  void set_previous(Page page) { previous_ = static_cast<std::int64_t>(page); }

 private:
  Task<> read_6_1(TaskContext& self, Page first, Page end);
  Task<> read_2_6_35(TaskContext& self, Page first, Page end);
  Task<> read_2_6_20(TaskContext& self, Page first, Page end);
  /// What notes of uses say of the reader: limit, way and version in one number.
  std::int64_t use_kind(bool fault) const {
    return static_cast<std::int64_t>(rules_.max_pages * 8 + (fault ? 4 : 0) + static_cast<Page>(rules_.version));
  }
  Task<> read_alone(TaskContext& self, Page page);
  Task<> fault_2_6_20(TaskContext& self, Page page);
  Task<> fault_on_demand(TaskContext& self, Page page);
  Task<> read_around(TaskContext& self, Page page);
  Task<> submit_window(TaskContext& self, const readahead::Decision<Concrete>& decision, bool marked);
  /// False: readahead has been turned off, because everything was cached.
  Task<bool> submit_old(TaskContext& self, Page first, Page count);
  Task<bool> make_ahead(TaskContext& self);

  PageCache& cache_;
  std::uint64_t bytes_;
  ReadaheadRules rules_;
  ReadCounts& counts_;
  readahead::Window<Concrete> window_{0, 0, 0};
  readahead::TwoWindows<Concrete> old_;
  std::int64_t previous_ = -1;
  unsigned mmap_miss_ = 0;
  unsigned mmap_hit_ = 0;  // 2.6.20
};

}  // namespace elvcheck
