// SPDX-License-Identifier: GPL-2.0-or-later
// The decision core of readahead before 2.6.23: a window that is being read and one ahead of it.
//
// Mirrors page_cache_readahead(), make_ahead_window(), get_next_ra_size(), check_ra_success() and handle_ra_miss() of
// mm/readahead.c, 2.6.17 to 2.6.22. It is called for every page that a reader comes to, cached or not. The first read from
// the start of a file, or the second of two neighbours, opens a window; a step that is not sequential closes both. Whoever
// crosses into the ahead window makes it the current one and asks for the next. 256 pages in a row that were cached already
// turn readahead off until a page is missed.
//
// Promises: a window has at most max_pages; the ahead window begins where the current one ends; no page is asked for twice
// by a sequential reader.
#pragma once

#include "model/filesystem/readahead_core.hpp"

namespace elvcheck::readahead {

/// struct file_ra_state of 2.6.17 to 2.6.22. After open: all zero, no page was read, nothing missed.
template <Domain D>
struct TwoWindows {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  Num start{0};        ///< current window
  Num size{0};         ///< 0: none
  Num ahead_start{0};  ///< 0: no ahead window
  Num ahead_size{0};
  Num previous{-1};    ///< prev_page: the last page asked for by the reader
  Num cache_hit{0};    ///< pages in a row that were cached when a window asked for them
  Bool missed{false};  ///< RA_FLAG_MISS: a page of a window had gone before it was read
  Bool cached{false};  ///< RA_FLAG_INCACHE: readahead is off, the file seems to be cached
};

/// What a step of the reader is.
template <Domain D>
struct Step {
  typename D::Num index;     ///< the page, one further if it had been asked for by the step before
  typename D::Num pages;     ///< of this step, at most the limit
  typename D::Bool nothing;  ///< the page was asked for by the step before, or readahead is off
  typename D::Bool opens;    ///< opens a window
  typename D::Bool random;   ///< reads what it needs and closes the windows
};

template <ArithmeticDomain D>
struct TwoWindowCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;
  using State = TwoWindows<D>;
  using Size = SizeCore<D>;

  static constexpr std::int64_t smallest_pages = 4;     ///< VM_MIN_READAHEAD, 16 KB
  static constexpr std::int64_t most_cache_hits = 256;  ///< VM_MAX_CACHE_HIT

  Num max_pages;

  /// The reader comes to `index` and has `request` >= 1 pages to read from there on.
  Step<D> step(const State& state, Num index, Num request) const {
    const Bool again = index == state.previous;
    const Num left = D::select(again, request - Num(1), request);
    const Num at = D::select(again && Num(1) <= left, index + Num(1), index);
    const Bool sequential = at == state.previous + Num(1);
    const Num pages = least<D>(left, max_pages);
    const Bool nothing = pages == Num(0) || state.cached;
    return Step<D>{at, pages, nothing, !nothing && sequential && state.size == Num(0), !nothing && !sequential};
  }

  /// The state with both windows closed (ra_off).
  static State off(State state) {
    state.start = state.size = state.ahead_start = state.ahead_size = Num(0);
    state.missed = state.cached = Bool(false);
    return state;
  }

  /// A window of the step's own pages.
  State open(State state, const Step<D>& step) const {
    state.start = step.index;
    state.size = Size::first(step.pages, max_pages);
    return state;
  }

  /// The ahead window behind the current one; a page missed since the last time makes it two pages shorter than that.
  State make_ahead(State state) const {
    state.ahead_start = state.start + state.size;
    state.ahead_size = least<D>(
        D::select(state.missed, greatest<D>(state.size - Num(2), Num(smallest_pages)), Size::next(state.size, max_pages)),
        max_pages);
    state.missed = Bool(false);
    return state;
  }

  /// Whether the reader has come into the ahead window.
  static Bool crossed(const State& state) { return state.ahead_start <= state.previous; }
  /// The ahead window becomes the current one.
  static State shift(State state) {
    state.start = state.ahead_start;
    state.size = state.ahead_size;
    return state;
  }
  /// The reader is called back where the ahead window ends.
  static State hold_back(State state) {
    const Num last = state.ahead_start + state.ahead_size - Num(1);
    state.previous = D::select(Num(0) < state.ahead_size, least<D>(state.previous, last), state.previous);
    return state;
  }

  /// After `count` pages were asked for, of which `submitted` were absent.
  State answered(State state, Num count, Num submitted) const {
    const Bool none = submitted == Num(0);
    const Num hits = D::select(none, state.cache_hit + count, Num(0));
    const Bool turn_off = none && Num(most_cache_hits) <= hits;
    State result = state;
    result.cache_hit = hits;
    const State closed = off(state);
    result.start = D::select(turn_off, closed.start, state.start);
    result.size = D::select(turn_off, closed.size, state.size);
    result.ahead_start = D::select(turn_off, closed.ahead_start, state.ahead_start);
    result.ahead_size = D::select(turn_off, closed.ahead_size, state.ahead_size);
    result.missed = D::select(turn_off, closed.missed, state.missed);
    result.cached = D::select(turn_off, Bool(true), state.cached);
    return result;
  }

  /// A page was absent when the reader came to it (handle_ra_miss).
  static State miss(State state) {
    state.missed = Bool(true);
    state.cached = Bool(false);
    state.cache_hit = Num(0);
    return state;
  }
};

}  // namespace elvcheck::readahead
