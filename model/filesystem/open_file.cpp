// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/open_file.hpp"

#include <algorithm>

#include "model/core/mutant.hpp"
#include "model/filesystem/readahead_rules.hpp"

namespace elvcheck {

using readahead::Access;
using readahead::Decision;
using readahead::SizeCore;
using readahead::TwoWindowCore;

namespace {
constexpr std::uint64_t page_bytes = 4096;
constexpr unsigned lots_of_misses = 100;  // MMAP_LOTSAMISS
constexpr unsigned most_misses = 1000;    // where 6.1 stops counting
constexpr Page batch_pages = 15;          // PAGEVEC_SIZE

std::int64_t number(Page page) { return static_cast<std::int64_t>(page); }
}  // namespace

readahead::OnDemandCore<Concrete> ReadaheadRules::core() const {
  const bool now = version == MemoryVersion::v6_1;
  return {number(max_pages), now ? number(io_pages) : 0, now && !planted(Mutant::readahead_not_capped), now, now};
}

Task<> OpenFile::read(TaskContext& self, Page first, Page pages) {
  const Page end = std::min(first + pages, cache_.size());
  if (first >= end) co_return;
  readahead::note(self, readahead::use_rule, {number(cache_.id()), number(first), number(end - first), use_kind(false)});
  switch (rules_.version) {
    case MemoryVersion::v2_6_20:
      co_await read_2_6_20(self, first, end);
      break;
    case MemoryVersion::v2_6_35:
      co_await read_2_6_35(self, first, end);
      break;
    case MemoryVersion::v6_1:
      co_await read_6_1(self, first, end);
      break;
  }
  readahead::note(self, readahead::used_rule, {number(cache_.id()), number(first), number(end - first), 0});
}

Task<> OpenFile::submit_window(TaskContext& self, const Decision<Concrete>& decision, bool marked) {
  Page first = static_cast<Page>(decision.first);
  auto count = static_cast<Page>(decision.count);
  if (planted(Mutant::readahead_window_shifted)) ++first;
  Page to_end = count;
  const Page size = cache_.size();
  if (first >= size) co_return;
  // 6.1 shortens the window to the file first, so that its mark moves towards the start.
  if (rules_.version == MemoryVersion::v6_1) to_end = std::min(count, size - first);
  const Page mark = decision.mark_from_end > 0 && number(to_end) >= decision.mark_from_end
                        ? first + to_end - static_cast<Page>(decision.mark_from_end)
                        : PageCache::no_mark;
  readahead::note(self, readahead::window_rule, {number(cache_.id()), number(first), number(count), decision.mark_from_end});
  // 6.1 plugs; 2.6.35 unplugs the queue when nobody is about to wait. Else it unplugs itself: at a wait, four requests or 3
  // ms.
  const bool plugs = rules_.version == MemoryVersion::v6_1 || (rules_.version == MemoryVersion::v2_6_35 && marked);
  if (plugs) self.start_plug();
  co_await cache_.start_reading(self, first, count, rules_.flags(), mark, counts_);
  if (plugs) self.finish_plug();
}

Task<> OpenFile::ask(TaskContext& self, Page page, Page request, bool marked) {
  if (rules_.max_pages == 0) {
    // Without readahead a missed page is read alone, and a mark means nothing.
    if (!marked) co_await cache_.start_reading(self, page, 1, rules_.flags(), PageCache::no_mark, counts_);
    co_return;
  }
  const auto core = rules_.core();
  const auto most = static_cast<Page>(core.limit(number(request)));
  const Access<Concrete> access{number(page),
                                number(request),
                                marked,
                                planted(Mutant::readahead_forgets_previous) ? -1 : previous_,
                                number(cache_.next_absent(page + 1, most)),
                                number(cache_.history(page, most))};
  Decision<Concrete> decision = core.decide(window_, access);
  if (!decision.reads) co_return;
  if (planted(Mutant::readahead_never_grows) && decision.window.size > 4 && decision.window.start > 0)
    decision.count = decision.window.size = decision.mark_from_end = decision.window.async_size = 4;
  window_ = decision.window;
  co_await submit_window(self, decision, marked);
}

Task<> OpenFile::read_alone(TaskContext& self, Page page) {
  co_await cache_.start_reading(self, page, 1, rules_.flags(), PageCache::no_mark, counts_);
  co_await cache_.wait_for(self, page, counts_);
}

Task<> OpenFile::read_6_1(TaskContext& self, Page first, Page end) {
  for (Page index = first; index < end;) {
    if (!cache_.cached(index)) co_await ask(self, index, end - index, false);
    if (!cache_.cached(index)) {
      co_await read_alone(self, index);
    } else {
      // A batch ends with the first page that is marked or has to be waited for.
      Page last = index;
      while (last + 1 < end && last - index + 1 < batch_pages && !cache_.marked(last) && cache_.up_to_date(last) &&
             cache_.cached(last + 1))
        ++last;
      if (cache_.take_mark(last)) co_await ask(self, last, end - last, true);
      co_await cache_.wait_for(self, last, counts_);
      index = last;
    }
    ++index;
    // The position behind the last byte read: the next page, unless the file ends before it.
    previous_ = number(std::min(index * page_bytes, bytes_) / page_bytes);
  }
}

Task<> OpenFile::read_2_6_35(TaskContext& self, Page first, Page end) {
  for (Page index = first; index < end; ++index) {
    if (!cache_.cached(index)) co_await ask(self, index, end - index, false);
    if (!cache_.cached(index)) {
      co_await read_alone(self, index);
      continue;
    }
    if (cache_.take_mark(index)) co_await ask(self, index, end - index, true);
    co_await cache_.wait_for(self, index, counts_);
  }
  previous_ = number(end) - 1;
}

Task<bool> OpenFile::submit_old(TaskContext& self, Page first, Page count) {
  const TwoWindowCore<Concrete> core{number(rules_.max_pages)};
  readahead::note(self, readahead::window_rule, {number(cache_.id()), number(first), number(count), 0});
  const Page absent = co_await cache_.start_reading(self, first, count, rules_.flags(), PageCache::no_mark, counts_);
  old_ = core.answered(old_, number(count), number(absent));
  co_return !old_.cached;
}

Task<bool> OpenFile::make_ahead(TaskContext& self) {
  const TwoWindowCore<Concrete> core{number(rules_.max_pages)};
  old_ = core.make_ahead(old_);
  const bool asked = co_await submit_old(self, static_cast<Page>(old_.ahead_start), static_cast<Page>(old_.ahead_size));
  co_return asked;
}

Task<> OpenFile::old_readahead(TaskContext& self, Page page, Page request) {
  const TwoWindowCore<Concrete> core{number(rules_.max_pages)};
  const readahead::Step<Concrete> step = core.step(old_, number(page), number(request));
  old_.previous = step.index;
  if (step.nothing) co_return;
  old_.previous += step.pages - 1;
  if (step.opens) {
    old_ = core.open(old_, step);
    const Page size = static_cast<Page>(old_.size);
    const bool asked = co_await submit_old(self, static_cast<Page>(step.index), size);
    // A read as long as the limit wants two windows under way.
    if (asked && number(request) >= number(rules_.max_pages)) co_await make_ahead(self);
    co_return;
  }
  if (step.random) {
    old_ = TwoWindowCore<Concrete>::off(old_);
    co_await submit_old(self, static_cast<Page>(step.index), static_cast<Page>(step.pages));
    co_return;
  }
  bool hold_back = false;
  if (old_.ahead_start == 0) hold_back = !co_await make_ahead(self);
  if (!hold_back && TwoWindowCore<Concrete>::crossed(old_)) {
    old_ = TwoWindowCore<Concrete>::shift(old_);
    co_await make_ahead(self);
    hold_back = true;
  }
  if (hold_back) old_ = TwoWindowCore<Concrete>::hold_back(old_);
}

Task<> OpenFile::read_2_6_20(TaskContext& self, Page first, Page end) {
  Page next = first;
  for (Page index = first; index < end; ++index) {
    if (index == next) {
      co_await old_readahead(self, index, end - index);
      next = static_cast<Page>(old_.previous + 1);
    }
    if (!cache_.cached(index)) {
      old_ = TwoWindowCore<Concrete>::miss(old_);
      co_await read_alone(self, index);
      continue;
    }
    co_await cache_.wait_for(self, index, counts_);
  }
}

Task<> OpenFile::read_around(TaskContext& self, Page page) {
  const Decision<Concrete> around = rules_.core().around(number(page));
  window_ = around.window;
  co_await submit_window(self, around, false);
}

Task<> OpenFile::fault_2_6_20(TaskContext& self, Page page) {
  if (cache_.cached(page)) {
    ++mmap_hit_;
  } else {
    old_ = TwoWindowCore<Concrete>::miss(old_);
    if (++mmap_miss_ <= mmap_hit_ + lots_of_misses) co_await read_around(self, page);
  }
}

Task<> OpenFile::fault_on_demand(TaskContext& self, Page page) {
  const bool now = rules_.version == MemoryVersion::v6_1;
  if (cache_.cached(page)) {
    if (mmap_miss_ > 0) --mmap_miss_;
    if (cache_.take_mark(page)) co_await ask(self, page, rules_.max_pages, true);
  } else if (!now && previous_ == number(page) - 1) {
    co_await ask(self, page, rules_.max_pages, false);
  } else {
    if (!now || mmap_miss_ < most_misses) ++mmap_miss_;
    if (mmap_miss_ <= lots_of_misses) co_await read_around(self, page);
  }
}

Task<> OpenFile::fault(TaskContext& self, Page page) {
  if (page >= cache_.size()) co_return;
  readahead::note(self, readahead::use_rule, {number(cache_.id()), number(page), 1, use_kind(true)});
  if (rules_.max_pages > 0) {
    if (rules_.version == MemoryVersion::v2_6_20)
      co_await fault_2_6_20(self, page);
    else
      co_await fault_on_demand(self, page);
  }
  if (!cache_.cached(page)) co_await cache_.start_reading(self, page, 1, rules_.flags(), PageCache::no_mark, counts_);
  co_await cache_.wait_for(self, page, counts_);
  if (rules_.version == MemoryVersion::v2_6_35) previous_ = number(page);
  readahead::note(self, readahead::used_rule, {number(cache_.id()), number(page), 1, 0});
}

}  // namespace elvcheck
