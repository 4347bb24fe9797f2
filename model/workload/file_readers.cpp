// SPDX-License-Identifier: GPL-2.0-or-later
// Each reader has one file open. It draws what it does next: it goes on where its last read ended, jumps, or reads again
// what it read before; a share of the readers maps its file and faults page after page. Readers of one file share its pages,
// but not their readahead. What a program really does is somewhere between.
#include "model/workload/file_readers.hpp"

#include <algorithm>

#include "model/core/random.hpp"
#include "model/filesystem/open_file.hpp"

namespace elvcheck {

namespace {

class FileReaders final : public Workload {
 public:
  explicit FileReaders(const WorkloadValues& values) : values_(values), size_(static_cast<Page>(values["pages"])) {
    rules_.version = static_cast<MemoryVersion>(values["kernel"]);
    rules_.max_pages = static_cast<Page>(values["read_ahead_kb"]) * 1024 / 4096;
    rules_.io_pages = static_cast<Page>(values["largest_request_kb"]) * 1024 / 4096;
  }

  void start(Tasks& tasks) override {
    const auto files = static_cast<std::size_t>(values_["files"]);
    for (std::size_t i = 0; i < files; ++i)
      files_.push_back(std::make_unique<PageCache>(i + 1, std::vector<Extent>{{0, i * size_, size_}}, 4096, false));
    for (std::size_t i = 0; i < static_cast<std::size_t>(values_["readers"]); ++i)
      tasks.spawn("reader-" + std::to_string(i + 1), {}, [this, i](TaskContext& self) { return read(self, i); });
  }

  std::vector<NamedValue> figures() const override {
    return {{"waits", static_cast<std::int64_t>(counts_.waits)},
            {"reads", static_cast<std::int64_t>(counts_.bios)},
            {"pages", static_cast<std::int64_t>(counts_.pages)}};
  }

 private:
  Task<> read(TaskContext& self, std::size_t reader) {
    SplitMix64 random(static_cast<std::uint64_t>(values_["seed"]) * 1000 + reader);
    PageCache& pages = *files_[reader % files_.size()];
    OpenFile file(pages, size_ * 4096, rules_, counts_);
    const bool maps = static_cast<std::int64_t>(random.below(1000)) < values_["mmap_permille"];
    const auto longest = static_cast<std::uint64_t>(values_["most_pages"]);
    Page at = random.below(2) == 0 ? 0 : random.below(size_);
    Page last = at;
    for (std::int64_t i = 0; i < values_["reads"]; ++i) {
      const Page length = 1 + random.below(longest);
      const auto what = static_cast<std::int64_t>(random.below(1000));
      if (what >= values_["sequential_permille"]) at = what % 4 == 0 ? last : random.below(size_);
      last = at;
      if (!maps) {
        co_await file.read(self, at, length);
        at += length;
      } else {
        for (const Page end = std::min(at + length, size_); at < end; ++at) co_await file.fault(self, at);
      }
      if (at >= size_) at = 0;
      co_await self.cpu(Nanoseconds(values_["cpu_ns"]));
    }
  }

  WorkloadValues values_;
  Page size_;
  ReadaheadRules rules_;
  std::vector<std::unique_ptr<PageCache>> files_;
  ReadCounts counts_;
};

}  // namespace

WorkloadInfo file_readers_workload() {
  return {"read-files",
          "processes that read files sequentially, at random and through mappings, with a cold cache",
          {{"readers", "processes", "", 1, 64, 2, {}, 5},
           {"files", "files; the readers have them in turns", "", 1, 64, 1, {}, 3},
           {"pages", "length of a file", "pages", 1, 65'536, 512, {}, 2000},
           {"reads", "of each reader", "", 1, 100'000, 50, {}, 80},
           {"most_pages", "longest read", "pages", 1, 1024, 8, {}, 80},
           {"sequential_permille", "share of the reads that go on where the last one ended", "", 0, 1000, 700},
           {"mmap_permille", "share of the readers that map their file", "", 0, 1000, 200},
           {"kernel", "whose readahead", "", 0, 2, 2, {"2.6.20", "2.6.35", "6.1"}},
           {"read_ahead_kb", "limit of readahead", "KiB", 0, 4096, 128, {}, 512},
           {"largest_request_kb", "up to which a longer read goes in 6.1; 0: never", "KiB", 0, 4096, 0, {}, 1024},
           {"seed", "of what they do", "", 0, 1'000'000'000, 1},
           {"cpu_ns", "CPU time after each read", "ns", 0, 1'000'000'000, 20'000, {}, 2'000'000}},
          [](const WorkloadValues& values, const BlockSettings&) -> std::unique_ptr<Workload> {
            return std::make_unique<FileReaders>(values);
          }};
}

}  // namespace elvcheck
