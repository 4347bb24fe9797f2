// SPDX-License-Identifier: GPL-2.0-or-later
// readahead.*: what the page cache promises to those who read files. Judged on its notes
// (model/filesystem/readahead_rules.hpp).
//
// The books grow with the stretches of files that were read, not with what is in flight.
#include <fmt/format.h>

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <map>

#include "model/filesystem/open_file.hpp"
#include "model/filesystem/readahead_rules.hpp"
#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

using Pages = boost::icl::interval_set<std::int64_t>;
using Stretch = boost::icl::interval<std::int64_t>::interval_type;

Stretch stretch(std::int64_t first, std::int64_t count) { return Stretch::right_open(first, first + count); }

bool has_workload(const RunFacts& facts) { return !facts.workload.empty(); }

/// A reader's coming to pages of a file.
struct Use {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t end() const { return first + count; }
  std::int64_t kind = 0;
  std::int64_t limit() const { return kind >> 3; }
  bool fault() const { return (kind & 4) != 0; }
  MemoryVersion version() const { return static_cast<MemoryVersion>(kind & 3); }
};

/// Keeps what each of these properties needs to know, and calls them where they judge.
class ReadaheadMonitor : public Monitor {
 public:
  explicit ReadaheadMonitor(const RunFacts&) {}
  EventKinds wants() const override { return event_kinds(EventKind::note); }

  void on_event(const TraceEvent& event) override {
    if (event.kind != EventKind::note) return;
    const auto& n = event.numbers;
    Reader& reader = readers_[{event.process, n[0]}];
    File& file = files_[n[0]];
    if (event.rule == &readahead::read_rule) {
      on_read(event, file, stretch(n[1], n[2]));
      file.asked += stretch(n[1], n[2]);
    } else if (event.rule == &readahead::use_rule) {
      reader.before = reader.use;
      reader.use = Use{n[1], n[2], n[3]};
      reader.reads = true;
      reader.longest = std::max(reader.longest, n[2]);
      reader.again = boost::icl::contains(file.used, stretch(n[1], n[2]));
    } else if (event.rule == &readahead::used_rule) {
      reader.reads = false;
      file.used += stretch(n[1], n[2]);
    } else if (event.rule == &readahead::window_rule && reader.reads) {
      on_window(event, reader, file);
      if (n[3] > 0) reader.window = {n[1], n[2], n[3]};
    }
  }

 protected:
  struct Window {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t async = 0;
  };
  struct Reader {
    Use before;
    Use use;
    bool reads = false;
    std::int64_t longest = 0;  ///< read so far, in pages
    bool again = false;  ///< all of it has been read before
    Window window;       ///< the last one with a mark
  };
  struct File {
    Pages asked;
    Pages used;
  };
  virtual void on_read(const TraceEvent&, const File&, const Stretch&) {}
  virtual void on_window(const TraceEvent&, const Reader&, const File&) {}

 private:
  std::map<std::pair<ProcessId, std::int64_t>, Reader> readers_;
  std::map<std::int64_t, File> files_;
};

class NoDuplicate final : public ReadaheadMonitor {
  using ReadaheadMonitor::ReadaheadMonitor;
  void on_read(const TraceEvent& event, const File& file, const Stretch& pages) override {
    judge(pages.upper() - pages.lower());
    if (boost::icl::intersects(file.asked, pages))
      violate({"asked-twice",
               fmt::format("pages {} to {} of file {} were asked of the device although some of them had been",
                           pages.lower(), pages.upper() - 1, event.numbers[0]),
               event.at, 0, 1, 0});
  }
};

class WindowBounds final : public ReadaheadMonitor {
  using ReadaheadMonitor::ReadaheadMonitor;
  void on_window(const TraceEvent& event, const Reader& reader, const File& file) override {
    const Use& use = reader.use;
    const std::int64_t first = event.numbers[1];
    const std::int64_t count = event.numbers[2];
    // A stream of 6.1 keeps the length that a long read of it once had.
    std::int64_t most = std::max(use.limit(), reader.longest);
    if (use.version() == MemoryVersion::v2_6_20) most = use.limit();
    if (use.version() == MemoryVersion::v2_6_35) most = std::max(2 * use.limit(), use.count);
    judge(count);
    if (count > most)
      violate({"too-long", fmt::format("a window of {} pages from {} on; {} are allowed", count, first, most), event.at, 0,
               count, most});
    std::int64_t wanted = use.first;
    while (wanted < use.end() && boost::icl::contains(file.asked, wanted)) ++wanted;
    if (wanted < use.end() && first > wanted)
      violate({"misses-its-page", fmt::format("page {} was missed, and the window asked for begins at {}", wanted, first),
               event.at, 0, first, wanted});
    const Window& last = reader.window;
    const std::int64_t mark = last.first + last.count - last.async;
    const bool follows = last.async > 0 && first == last.first + last.count && use.first <= mark && mark < use.end();
    if (follows && !use.fault() && use.version() != MemoryVersion::v2_6_20 && count < std::min(use.limit(), 2 * last.count))
      violate({"does-not-grow",
               fmt::format("a window of {} pages follows one of {}, with a limit of {}", count, last.count, use.limit()),
               event.at, 0, count, std::min(use.limit(), 2 * last.count)});
  }
};

class StreamFound final : public ReadaheadMonitor {
  using ReadaheadMonitor::ReadaheadMonitor;
  void on_window(const TraceEvent& event, const Reader& reader, const File& file) override {
    const Use& use = reader.use;
    if (use.fault() || use.version() == MemoryVersion::v2_6_20 || reader.before.count == 0) return;
    if (use.first != reader.before.end() || boost::icl::contains(file.asked, use.first)) return;
    judge(event.numbers[2]);
    if (event.numbers[3] == 0 && event.numbers[2] < use.limit())
      violate({"read-alone",
               fmt::format("page {} follows the page read before it, and only {} pages were asked for", use.first,
                           event.numbers[2]),
               event.at, 0, event.numbers[2], use.limit()});
  }
};

class TwiceConsumed final : public ReadaheadMonitor {
  using ReadaheadMonitor::ReadaheadMonitor;
  void on_window(const TraceEvent& event, const Reader& reader, const File&) override {
    const Use& use = reader.use;
    if (use.version() == MemoryVersion::v2_6_20) return;
    judge(0);
    if (reader.again)
      violate({"asks-again",
               fmt::format("pages {} to {} were read once more, and {} pages from {} on were asked for", use.first,
                           use.end() - 1, event.numbers[2], event.numbers[1]),
               event.at, 0, event.numbers[2], 0});
  }
};

/// Needs completions, too.
class UsedWhenRead final : public Monitor {
 public:
  explicit UsedWhenRead(const RunFacts&) {}
  EventKinds wants() const override { return event_kinds(EventKind::note, EventKind::complete); }

  void on_event(const TraceEvent& event) override {
    const auto& n = event.numbers;
    if (event.kind == EventKind::complete) {
      if (event.op == Op::read) in_flight_ -= sectors(event.sector, event.sectors);
    } else if (event.rule == &readahead::read_rule) {
      in_flight_ += sectors(event.sector, event.sectors);
      places_[{n[0], n[1]}] = {n[2], event.sector, event.sectors};
    } else if (event.rule == &readahead::used_rule) {
      judge(n[2]);
      check(event);
    }
  }

 private:
  struct Place {
    std::int64_t pages;
    Sector sector;
    SectorCount sectors;
  };
  using Sectors = boost::icl::interval<Sector>::interval_type;
  static Sectors sectors(Sector first, SectorCount count) { return Sectors::right_open(first, first + count); }

  void check(const TraceEvent& event) {
    const auto& n = event.numbers;
    auto at = places_.upper_bound({n[0], n[1]});
    if (at != places_.begin()) --at;
    for (; at != places_.end() && (at->first.first < n[0] || (at->first.first == n[0] && at->first.second < n[1] + n[2]));
         ++at) {
      const auto& [pages, sector, count] = at->second;
      const std::int64_t first = std::max(at->first.second, n[1]);
      const std::int64_t last = std::min(at->first.second + pages, n[1] + n[2]);
      if (at->first.first != n[0] || first >= last) continue;
      const auto page_sectors = static_cast<SectorCount>(count / pages);
      const Sector start = sector + static_cast<Sector>(first - at->first.second) * page_sectors;
      if (boost::icl::intersects(in_flight_, sectors(start, static_cast<SectorCount>(last - first) * page_sectors)))
        violate({"used-too-early",
                 fmt::format("pages {} to {} of file {} were used before they had been read", first, last - 1, n[0]),
                 event.at, 0, 1, 0});
    }
  }

  boost::icl::interval_set<Sector> in_flight_;
  std::map<std::pair<std::int64_t, std::int64_t>, Place> places_;  // by file and first page
};

}  // namespace

Property readahead_no_duplicate() {
  return {"readahead.no-duplicate",
          "The page cache asks the device for no page twice.",
          "mm/readahead.c: pages of a window that are cached are skipped",
          "0 pages, while nothing is evicted",
          has_workload,
          make_monitor<NoDuplicate>,
          nullptr};
}

Property readahead_window() {
  return {"readahead.window",
          "A window is no longer than the limit, holds the page that was missed, and is twice as long as the one before it "
          "or as long "
          "as the limit.",
          "mm/readahead.c of 2.6.20, 2.6.35 and 6.1",
          "queue/read_ahead_kb, twice that in 2.6.35, or the length of the read if that is longer; in pages",
          has_workload,
          make_monitor<WindowBounds>,
          nullptr};
}

Property readahead_stream_found() {
  return {"readahead.stream-found",
          "A read that begins where the one before it ended and misses opens a window with a mark.",
          "mm/readahead.c of 2.6.35 and 6.1: sequential cache miss",
          "the second read of a stream",
          has_workload,
          make_monitor<StreamFound>,
          nullptr};
}

Property readahead_twice_consumed() {
  return {"readahead.twice-consumed",
          "Pages that are read a second time ask for nothing.",
          "mm/readahead.c of 2.6.35 and 6.1: who reaches a mark takes it off",
          "0 windows",
          has_workload,
          make_monitor<TwiceConsumed>,
          nullptr};
}

Property readahead_used_when_read() {
  return {"readahead.used-when-read",
          "A page is used only once it has been read.",
          "mm/filemap.c: a page is locked until its read has ended",
          "0 pages",
          has_workload,
          make_monitor<UsedWhenRead>,
          nullptr};
}

}  // namespace elvcheck::property
