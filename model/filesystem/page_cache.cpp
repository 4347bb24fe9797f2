// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/page_cache.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/core/mutant.hpp"
#include "model/filesystem/readahead_rules.hpp"

namespace elvcheck {

void append_block(std::vector<Extent>& extents, Page physical) {
  if (!extents.empty() && extents.back().physical + extents.back().length == physical) {
    ++extents.back().length;
    return;
  }
  extents.push_back({blocks_of(extents), physical, 1});
}

Page blocks_of(const std::vector<Extent>& extents) {
  return extents.empty() ? 0 : extents.back().logical + extents.back().length;
}

/// A read that is under way: pages [first, first + count).
class PageCache::Read final : public Completion {
 public:
  Read(PageCache& cache, Page from, Page pages) : first(from), count(pages), cache_(cache) {}
  const Page first;
  const Page count;

 private:
  void operation_done() override { cache_.ended(*this); }
  PageCache& cache_;
};

PageCache::PageCache(std::uint64_t id, std::vector<Extent> extents, std::uint64_t page_bytes, bool one_by_one)
    : id_(id),
      extents_(std::move(extents)),
      size_(blocks_of(extents_)),
      page_sectors_(page_bytes / 512),
      one_by_one_(one_by_one) {}

bool PageCache::cached(Page page) const {
  const auto at = chunks_.find(page / 64);
  return at != chunks_.end() && (at->second.cached >> page % 64 & 1) != 0;
}

bool PageCache::marked(Page page) const {
  const auto at = chunks_.find(page / 64);
  return at != chunks_.end() && (at->second.marked >> page % 64 & 1) != 0;
}

bool PageCache::take_mark(Page page) {
  if (!marked(page)) return false;
  if (!planted(Mutant::readahead_mark_stays)) chunks_[page / 64].marked &= ~(std::uint64_t{1} << page % 64);
  return true;
}

bool PageCache::set(Page page) {
  std::uint64_t& bits = chunks_[page / 64].cached;
  const std::uint64_t bit = std::uint64_t{1} << page % 64;
  if ((bits & bit) != 0) return false;
  bits |= bit;
  return true;
}

Page PageCache::next_absent(Page from, Page limit) const {
  Page page = from;
  while (page < from + limit && cached(page)) ++page;
  return page;
}

Page PageCache::history(Page page, Page limit) const {
  Page count = 0;
  while (count < limit && count < page && cached(page - 1 - count)) ++count;
  return count;
}

const std::shared_ptr<PageCache::Read>* PageCache::reading(Page page) const {
  auto at = reads_.upper_bound(page);
  if (at == reads_.begin()) return nullptr;
  --at;
  return page < at->first + at->second->count ? &at->second : nullptr;
}

Page PageCache::physical(Page page, Page& run) const {
  const auto after = std::upper_bound(extents_.begin(), extents_.end(), page,
                                      [](Page value, const Extent& extent) { return value < extent.logical; });
  const Extent& extent = *(after - 1);
  run = extent.logical + extent.length - page;
  return extent.physical + (page - extent.logical);
}

Task<> PageCache::submit(TaskContext& self, Page first, Page count, ReqFlags flags, ReadCounts& counts) {
  // Whoever comes while this task sleeps for a free request must find every page under way.
  std::vector<std::shared_ptr<Read>> reads;
  std::vector<Page> blocks;
  while (count > 0) {
    Page run = 0;
    blocks.push_back(physical(first, run));
    run = one_by_one_ ? 1 : std::min(run, count);
    reads.push_back(std::make_shared<Read>(*this, first, run));
    reads_[first] = reads.back();
    first += run;
    count -= run;
  }
  for (std::size_t i = 0; i < reads.size(); ++i) {
    ++counts.bios;
    counts.pages += reads[i]->count;
    const TaskIo io{Op::read, flags, blocks[i] * page_sectors_, static_cast<SectorCount>(reads[i]->count * page_sectors_)};
    readahead::note_read(self, {id_, reads[i]->first, reads[i]->count, io.sector, io.sectors, flags});
    co_await self.submit(io, *reads[i]);
  }
}

Task<Page> PageCache::start_reading(TaskContext& self, Page first, Page count, ReqFlags flags, Page mark,
                                    ReadCounts& counts) {
  ended_.clear();
  const Page end = std::min(first + count, size_);
  Page absent = 0;
  Page run = 0;
  for (Page page = first; page <= end; ++page) {
    const bool wanted = page < end && (set(page) || planted(Mutant::page_cache_reads_cached));
    if (wanted) {
      ++run;
      ++absent;
      if (page == mark) chunks_[page / 64].marked |= std::uint64_t{1} << page % 64;
      continue;
    }
    if (run > 0) co_await submit(self, page - run, run, flags, counts);
    run = 0;
  }
  co_return absent;
}

Task<> PageCache::wait_for(TaskContext& self, Page page, ReadCounts& counts) {
  if (planted(Mutant::page_cache_does_not_wait)) co_return;
  while (const std::shared_ptr<Read>* const under_way = reading(page)) {
    const std::shared_ptr<Read> read = *under_way;
    ++counts.waits;
    co_await self.wait(*read);
  }
}

void PageCache::ended(const Read& read) {
  const auto at = reads_.find(read.first);
  if (at == reads_.end() || at->second.get() != &read) return;
  ended_.push_back(std::move(at->second));
  reads_.erase(at);
}

}  // namespace elvcheck
