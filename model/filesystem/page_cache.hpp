// SPDX-License-Identifier: GPL-2.0-or-later
// The page cache: which pages of a file, or blocks of a device, are in memory, are being read, or carry the readahead mark.
//
// Mirrors struct address_space as readahead sees it (mm/filemap.c, mm/readahead.c, fs/buffer.c). A page is added to the
// cache before it is read; who wants it meanwhile waits for the read that is under way. Left out: eviction (a run starts
// with a cold cache that is large enough), dirty pages, and I/O errors. Promise: no page is read from the device twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/filesystem/tasks.hpp"

namespace elvcheck {

/// A page of a file, or a block of a device.
using Page = std::uint64_t;

/// A contiguous stretch of a file on the device.
struct Extent {
  Page logical = 0;   ///< first page of the file
  Page physical = 0;  ///< its block on the device
  Page length = 0;    ///< blocks, > 0

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Adds `physical` as the next block of a file of which `extents` are known.
void append_block(std::vector<Extent>& extents, Page physical);
/// Blocks of all extents.
Page blocks_of(const std::vector<Extent>& extents);

/// What a task asked the device for, and how often it slept for it: a voluntary context switch of the posts' time(1) each.
struct ReadCounts {
  std::uint64_t waits = 0;
  std::uint64_t bios = 0;
  std::uint64_t pages = 0;  ///< blocks, of metadata
};

class PageCache {
 public:
  /// @param id         names the file in notes of the trace: its inode number; 0 for the device itself
  /// @param extents    where its pages lie, ascending and without holes; pages behind the last extent do not exist
  /// @param page_bytes length of a page (a block of the device)
  /// @param one_by_one each page is submitted as a bio of its own (buffers of a device), else contiguous ones together
  PageCache(std::uint64_t id, std::vector<Extent> extents, std::uint64_t page_bytes, bool one_by_one);
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;

  std::uint64_t id() const { return id_; }
  Page size() const { return size_; }

  /// In memory, or about to be.
  bool cached(Page page) const;
  /// It can be used without waiting.
  bool up_to_date(Page page) const { return cached(page) && reading(page) == nullptr; }
  /// Takes the readahead mark off the page; whether it was there.
  bool take_mark(Page page);
  bool marked(Page page) const;
  /// First page from `from` on that is not cached; at most `from + limit`.
  Page next_absent(Page from, Page limit) const;
  /// Cached pages right before `page`, at most `limit`.
  Page history(Page page, Page limit) const;
  /// Makes the page up to date without I/O.
  void put(Page page) { set(page); }

  /// Adds what is absent of [first, first + count) to the cache and submits reads for it; `mark` gets the mark if it was
  /// absent. Does not wait for the reads. The number of pages that were absent.
  Task<Page> start_reading(TaskContext& self, Page first, Page count, ReqFlags flags, Page mark, ReadCounts& counts);
  static constexpr Page no_mark = ~Page{0};
  /// Sleeps until the page, which is cached, is up to date.
  Task<> wait_for(TaskContext& self, Page page, ReadCounts& counts);

 private:
  class Read;
  struct Chunk {
    std::uint64_t cached = 0;
    std::uint64_t marked = 0;
  };
  const std::shared_ptr<Read>* reading(Page page) const;
  bool set(Page page);  // false: it was cached
  Page physical(Page page, Page& run) const;
  Task<> submit(TaskContext& self, Page first, Page count, ReqFlags flags, ReadCounts& counts);
  void ended(const Read& read);

  std::uint64_t id_;
  std::vector<Extent> extents_;
  Page size_ = 0;
  std::uint64_t page_sectors_;
  bool one_by_one_;
  std::unordered_map<Page, Chunk> chunks_;
  std::map<Page, std::shared_ptr<Read>> reads_;  // under way, by first page
  std::vector<std::shared_ptr<Read>> ended_;     // kept until nobody is being woken by them
};

}  // namespace elvcheck
