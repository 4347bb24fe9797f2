// SPDX-License-Identifier: GPL-2.0-or-later
// readdir.* and inode.*: what reading a directory and its inodes promises. Judged on notes
// (model/filesystem/readahead_rules.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/filesystem/readahead_rules.hpp"
#include "properties/definitions.hpp"

namespace elvcheck::property {

namespace {

constexpr std::int64_t batch_pages = 32;  // 128 KiB
constexpr std::int64_t page_bytes = 4096;

bool has_workload(const RunFacts& facts) { return !facts.workload.empty(); }

class NoteMonitor : public Monitor {
 public:
  explicit NoteMonitor(const RunFacts&) {}
  EventKinds wants() const override { return event_kinds(EventKind::note); }
};

class AsksForTheDirectory final : public NoteMonitor {
  using NoteMonitor::NoteMonitor;
  void on_event(const TraceEvent& event) override {
    if (event.rule != &readahead::directory_rule) return;
    const auto& [directory, block, logical, absent] = event.numbers;
    if (absent == 0) return;
    judge(0);
    if (logical < 0)
      violate({"wrong-place",
               fmt::format("readahead of directory {} read block {}, which is no part of it", event.numbers[0],
                           event.numbers[1]),
               event.at, 0, event.numbers[1], 0});
  }
};

/// Readahead v2 of directories in order of hash.
class TwiceTheSpeed final : public NoteMonitor {
  using NoteMonitor::NoteMonitor;
  void on_event(const TraceEvent& event) override {
    const auto& n = event.numbers;
    Reader& reader = readers_[{event.process, n[0]}];
    if (event.rule == &readahead::call_rule) {
      if (n[1] > 1) check(event, reader);
      if (n[1] == 1) reader = {};
      if (n[3] != 0) reader.expect(n[1], n[2], n[3]);
    } else if (event.rule == &readahead::directory_rule && reader.by_hash) {
      reader.asked.insert(n[2]);
      if (n[2] >= reader.due)
        violate({"too-far", fmt::format("block {} of directory {} was asked for; {} are due", n[2], n[0], reader.due),
                 event.at, 0, n[2], reader.due - 1});
    } else if (event.rule == &readahead::leaf_rule) {
      check(event, reader);
    }
  }

  struct Reader {
    bool by_hash = false;
    std::int64_t due = 0;  // blocks that have to have been asked for
    std::set<std::int64_t> asked;

    void expect(std::int64_t call, std::int64_t sectors, std::int64_t block_bytes) {
      by_hash = true;
      const std::int64_t pages = sectors * 512 / page_bytes;
      std::int64_t batches = (call - 1) * 2 / batch_pages + 1;
      batches = std::min(batches, (pages + batch_pages - 1) / batch_pages);
      due = std::min(sectors * 512, batches * batch_pages * page_bytes) / block_bytes;
    }
  };
  void check(const TraceEvent& event, const Reader& reader) {
    if (!reader.by_hash) return;
    judge(reader.due);
    for (std::int64_t block = 0; block < reader.due; ++block) {
      if (reader.asked.contains(block)) continue;
      violate({"behind",
               fmt::format("block {} of directory {} was not asked for, although {} are due", block, event.numbers[0],
                           reader.due),
               event.at, 0, block, reader.due});
      return;
    }
  }
  std::map<std::pair<ProcessId, std::int64_t>, Reader> readers_;
};

class EveryWindow final : public NoteMonitor {
  using NoteMonitor::NoteMonitor;
  void on_event(const TraceEvent& event) override {
    if (event.rule != &readahead::leaf_rule) return;
    const auto& n = event.numbers;
    Run& run = runs_[{event.process, n[0]}];
    run.length = n[3] == 0 ? 0 : n[1] == run.block + 1 ? run.length + 1 : 1;
    run.block = n[1];
    judge(run.length);
    if (run.length > batch_pages + 1)
      violate({"no-readahead", fmt::format("{} neighbouring blocks of directory {} were read one by one", run.length, n[0]),
               event.at, 0, run.length, batch_pages + 1});
  }

  struct Run {
    std::int64_t block = -1;
    std::int64_t length = 0;
  };
  std::map<std::pair<ProcessId, std::int64_t>, Run> runs_;
};

class InodeWindow final : public NoteMonitor {
  using NoteMonitor::NoteMonitor;
  void on_event(const TraceEvent& event) override {
    if (event.rule != &readahead::inode_rule) return;
    const auto& n = event.numbers;
    const std::int64_t last = std::min(n[1] + 32, n[3]);
    judge(n[2] - n[1] + 1);
    if (n[2] != last || n[1] < n[0] / 32 * 32 || n[0] < n[1] || n[0] > n[2])
      violate({"wrong-window",
               fmt::format("for the inode in block {} the window {} to {} was read; it should be {} to {}", n[0], n[1], n[2],
                           n[1], last),
               event.at, 0, n[2], last});
  }
};

}  // namespace

Property readdir_asks_for_the_directory() {
  return {"readdir.asks-for-the-directory",
          "Readahead of a directory reads blocks of that directory only.",
          "the second version of the patch 'ext3 readdir readahead', January 2007: the calculation of the first was wrong",
          "0 blocks of something else",
          has_workload,
          make_monitor<AsksForTheDirectory>,
          nullptr};
}

Property readdir_twice_the_speed() {
  return {"readdir.twice-the-speed",
          "Readahead v2 of a directory in order of hash has asked for two pages for every call of readdir, and for 128 KiB "
          "more at "
          "most.",
          "the patch 'ext3 readdir readahead' of January 2007: 128K sized readaheads, at twice the speed of reads",
          "32 x (2 x (calls - 1) / 32 + 1) pages, at most the directory",
          has_workload,
          make_monitor<TwiceTheSpeed>,
          nullptr};
}

Property readdir_every_window() {
  return {"readdir.every-window",
          "A directory whose blocks lie one behind the other is read ahead to its end.",
          "commit d8733c295696 (2.6.17): readahead had worked at the start of a directory only",
          "33 neighbouring blocks read one by one",
          has_workload,
          make_monitor<EveryWindow>,
          nullptr};
}

Property inode_window() {
  return {"inode.window",
          "ext4 reads an inode with the blocks of its table from a multiple of 32 to 32 blocks further, that one included.",
          "fs/ext4/inode.c of 6.1: __ext4_get_inode_loc(), and recordings of it",
          "33 blocks, fewer at the ends of the table",
          has_workload,
          make_monitor<InodeWindow>,
          nullptr};
}

}  // namespace elvcheck::property
