// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of on-demand readahead: which pages a missed or a marked page asks for.
//
// Mirrors ondemand_readahead(), get_init_ra_size(), get_next_ra_size(), try_context_readahead() of mm/readahead.c and the
// read-around of mm/filemap.c, in 2.6.35 and 6.1. A window [start, start + size) was asked for last; its page start + size -
// async_size carries a mark, and a reader that comes there asks for the next window while the rest of this one is still to
// be read. The versions differ in three switches below. Left out: huge pages, readahead that is turned off (ra_pages = 0),
// block-cgroup congestion.
//
// Promises, for a limit of at least 1 page: 0 <= async_size <= size; with `capped` a window is no longer than the limit,
// without it no longer than twice the limit; a window begins where the one before it ended when its mark or the page behind
// it is reached; what a missed page asks for holds that page, unless the page is the marked one.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::readahead {

/// Sizes of windows, in pages; shared by all versions from 2.6.12 to 6.1.
template <ArithmeticDomain D>
struct SizeCore {
  using Num = typename D::Num;

  /// The first window for a read of `request` >= 1 pages: the next power of two times 4 for a small read, times 2 for a
  /// middle one, the limit otherwise. Requests above 2^16 pages count as large.
  static Num first(Num request, Num limit) {
    const Num power = power_of_two_above(request);
    return D::select(power <= D::divide(limit, Num(32)), power * Num(4),
                     D::select(power <= D::divide(limit, Num(4)), power + power, limit));
  }

  /// The window after one of `size` pages: four times as long below a sixteenth of the limit, else twice, at most the limit.
  static Num next(Num size, Num limit) {
    return least<D>(D::select(size < D::divide(limit, Num(16)), size * Num(4), size + size), limit);
  }

  static Num power_of_two_above(Num n) {
    Num power = Num(std::int64_t{1} << 17);
    for (std::int64_t bit = 16; bit >= 0; --bit)
      power = D::select(n <= Num(std::int64_t{1} << bit), Num(std::int64_t{1} << bit), power);
    return power;
  }
};

/// Of an open file (struct file_ra_state): the window asked for last. All zero when the file is opened.
template <Domain D>
struct Window {
  typename D::Num start;       ///< first page
  typename D::Num size;        ///< pages
  typename D::Num async_size;  ///< pages behind the mark, the marked one included
};

/// Why a window is asked for.
template <Domain D>
struct Access {
  typename D::Num index;     ///< the page
  typename D::Num request;   ///< pages left to read in this system call, this one included; >= 1
  typename D::Bool marked;   ///< it is cached and carries the mark; else it is absent
  typename D::Num previous;  ///< the page read last through this file; -1 after open
  typename D::Num
      next_absent;          ///< first page behind it that is not cached; beyond index + limit if there is none up to there
  typename D::Num history;  ///< cached pages right before it, at most the limit
};

template <Domain D>
struct Decision {
  Window<D> window;        ///< the file's state from now on
  typename D::Bool reads;  ///< false: nothing is asked for
  typename D::Num first;   ///< the pages asked for, cached ones among them are skipped
  typename D::Num count;
  typename D::Num mark_from_end;  ///< the page first + count - mark_from_end gets the mark, if it was absent; 0: none
};

template <ArithmeticDomain D>
struct OnDemandCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  using Size = SizeCore<D>;

  Num max_pages;  ///< queue/read_ahead_kb in pages, >= 1
  Num io_pages;   ///< largest request in pages, to which a longer read may go (6.1); 0: never
  Bool capped;    ///< a window that takes in its successor stays within the limit (6.1); else it may have both sizes
  /// A miss counts as a step of a stream only behind more cached pages than it asks for, and then asks for little
  /// (from 3.13); else any cached page right before it is enough.
  Bool cautious;
  Bool around_marked;  ///< the last quarter of a read-around is marked (6.1)

  Num limit(Num request) const {
    return D::select(max_pages < request && max_pages < io_pages, least<D>(request, io_pages), max_pages);
  }

  Decision<D> decide(const Window<D>& window, const Access<D>& access) const {
    const Num most = limit(access.request);
    const Num index = access.index;

    const Bool at_start = index == Num(0);
    const Bool expected = index == window.start + window.size - window.async_size || index == window.start + window.size;
    const Bool lost_mark = access.marked;
    const Bool oversize = most < access.request;
    const Bool sequential = access.previous <= index && index <= access.previous + Num(1);
    const Bool initial = at_start || (!expected && !lost_mark && (oversize || sequential));
    const Bool moves = !at_start && expected;
    const Bool revives = !at_start && !expected && lost_mark;
    const Bool nothing_to_revive = index + most < access.next_absent;
    const Bool context = D::select(cautious, access.request < access.history, Num(0) < access.history);
    const Bool alone = !initial && !moves && !revives && !context;

    const Num first_size = Size::first(access.request, most);
    const Num first_async = D::select(access.request < first_size, first_size - access.request, first_size);
    const Num grown_size = Size::next(window.size, most);
    const Num moved_size = D::select(capped, greatest<D>(window.size, grown_size), grown_size);
    const Num revived_size = Size::next(access.next_absent - index + access.request, most);
    const Num seen = D::select(index <= access.history, access.history + access.history, access.history);
    const Num context_size =
        D::select(cautious, least<D>(seen + access.request, most), Size::first(seen + access.request, most));
    const Num context_async = D::select(cautious, Num(1), context_size);

    Window<D> next;
    next.start = D::select(moves, window.start + window.size, D::select(revives, access.next_absent, index));
    next.size = D::select(initial, first_size, D::select(moves, moved_size, D::select(revives, revived_size, context_size)));
    next.async_size =
        D::select(initial, first_async, D::select(moves, moved_size, D::select(revives, revived_size, context_async)));
    next = taking_in_its_successor(next, index, most);

    const Bool keeps = alone || (revives && nothing_to_revive);
    Decision<D> decision;
    decision.window = Window<D>{D::select(keeps, window.start, next.start), D::select(keeps, window.size, next.size),
                                D::select(keeps, window.async_size, next.async_size)};
    decision.reads = !(revives && nothing_to_revive);
    decision.first = D::select(alone, index, next.start);
    decision.count = D::select(alone, access.request, next.size);
    decision.mark_from_end = D::select(alone, Num(0), next.async_size);
    return decision;
  }

  /// A fault on an absent page of a mapping: the pages around it.
  Decision<D> around(Num index) const {
    const Num half = D::divide(max_pages, Num(2));
    const Num start = D::select(index < half, Num(0), index - half);
    const Num marked = D::select(around_marked, D::divide(max_pages, Num(4)), Num(0));
    return Decision<D>{Window<D>{start, max_pages, marked}, Bool(true), start, max_pages, marked};
  }

 private:
  /// A window whose first page is the missed one and carries the mark would call for its successor at once: both become one.
  Window<D> taking_in_its_successor(const Window<D>& window, Num index, Num most) const {
    const Bool both = window.start == index && window.size == window.async_size;
    const Num successor = Size::next(window.size, most);
    const Bool fits = !capped || window.size + successor <= most;
    const Num size = D::select(fits, window.size + successor, most);
    const Num async_size = D::select(fits, successor, D::halve(most));
    return Window<D>{window.start, D::select(both, size, window.size), D::select(both, async_size, window.async_size)};
  }
};

}  // namespace elvcheck::readahead
