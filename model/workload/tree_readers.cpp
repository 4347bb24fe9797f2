// SPDX-License-Identifier: GPL-2.0-or-later
// The trees that the programs read are built anew for every run: a folder "a" of `directories` folders with `files` files
// each, for grep one more beside it, for cp one large file before them. The CPU times are defaults of the machine of January
// 2007: 0.16 s (user and system) for find over 100 directories, 5.75 s for grep over 100,000 files, 0.5 s for cp of 700 MB.
#include "model/workload/tree_readers.hpp"

#include <algorithm>
#include <optional>

#include "model/filesystem/image_builder.hpp"

namespace elvcheck {

namespace {

constexpr std::size_t directory_name_length = 4;

constexpr std::uint64_t smallest_block = 1024;

std::vector<WorkloadParameter> file_system_parameters() {
  return {
      {"seed", "of the layout: hashes, place on the disk, what was used before", "", 0, 1'000'000'000, 1},
      {"filesystem",
       "inodes of 128 bytes, one table block a read; or 256 bytes, 33 blocks a read",
       "",
       0,
       1,
       0,
       {"ext3", "ext4"}},
      {"dir_index", "whether directories of more than one block are htrees", "", 0, 1, 1, {"off", "on"}},
      {"block_bytes",
       "of the file system",
       "bytes",
       0,
       6,
       2,
       {"1024", "2048", "4096", "8192", "16384", "32768", "65536"},
       2},
      {"kernel", "whose readahead of files", "", 0, 2, 0, {"2.6.20", "2.6.35", "6.1"}},
      {"read_ahead_kb", "limit of readahead", "KiB", 0, 4096, 128, {}, 256},
      {"readdir", "readahead of directories", "", 0, 4, 0, {"none", "v2", "ext4-6.1", "v1", "2.6.16"}, 2},
      {"readahead_ratio", "vm.readahead_ratio, as the post's script sets it: below 50 readahead of directories is on",
       "percent", 1, 100, 49},
      {"getdents_bytes", "buffer of getdents(2)", "bytes", 512, 1'048'576, 4096, {}, 32768},
      {"used_permille", "share of the blocks that were in use before, in runs of up to 64", "", 0, 900, 0, {}, 300},
  };
}

std::vector<WorkloadParameter> tree_parameters() {
  std::vector<WorkloadParameter> parameters = {
      {"directories", "directories in the tree", "", 1, 10'000, 10, {}, 4},
      {"files", "files in each directory", "", 0, 200'000, 100, {}, 100},
      {"file_bytes", "length of a file", "bytes", 0, 1'048'576, 8192, {}, 65536},
      {"name_length", "of a file's name", "bytes", 1, 255, 8},
  };
  const auto more = file_system_parameters();
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

const WorkloadParameter find_stat{"stat", "which inodes find looks at", "", 0, 1, 0, {"directories", "all"}};
const WorkloadParameter find_cpu{"find_cpu_us", "CPU time of find for each directory", "us", 0, 1'000'000, 1600, {}, 5000};
const WorkloadParameter grep_cpu{"grep_cpu_us", "CPU time of grep for each file", "us", 0, 1'000'000, 57, {}, 5000};
const WorkloadParameter copy_size{"copy_kib", "length of the file that cp reads", "KiB", 4, 16 * 1024 * 1024, 700 * 1024, {},
                                  4096};
const WorkloadParameter copy_limit{"copy_read_ahead_kb", "limit of readahead for cp", "KiB", 4, 4096, 128, {}, 512};
const WorkloadParameter copy_cpu{"copy_cpu_ns", "CPU time of cp for each page", "ns", 0, 1'000'000'000, 2900, {}, 100'000};

MountRules mount_rules(const WorkloadValues& values) {
  MountRules rules;
  rules.readahead.version = static_cast<MemoryVersion>(values["kernel"]);
  rules.readahead.max_pages = static_cast<Page>(values["read_ahead_kb"]) * 1024 / 4096;
  rules.readdir = static_cast<ReaddirReadahead>(values["readdir"]);
  rules.readdir_enabled = values["readahead_ratio"] < 50;
  rules.inode_window = values["filesystem"] == 1;
  rules.getdents_bytes = static_cast<std::uint64_t>(values["getdents_bytes"]);
  return rules;
}

class TreeReaders final : public Workload {
 public:
  struct Chosen {
    bool find;
    bool grep;
    bool copy;
  };
  TreeReaders(const WorkloadValues& values, Chosen chosen) : values_(values), chosen_(chosen) {}

  void start(Tasks& tasks) override {
    build(tasks.device().capacity);
    mounted_.emplace(image_, mount_rules(values_));
    if (chosen_.find) {
      programs_.find_directory_cpu = std::chrono::microseconds(values_["find_cpu_us"]);
      programs_.find_stats_all = values_["stat"] == 1;
      tasks.spawn("find", {}, [this](TaskContext& self) { return run_find(self, *mounted_, find_tree_, programs_, find_); });
    }
    if (chosen_.grep) {
      programs_.grep_file_cpu = std::chrono::microseconds(values_["grep_cpu_us"]);
      tasks.spawn("grep", {}, [this](TaskContext& self) { return run_grep(self, *mounted_, grep_tree_, programs_, grep_); });
    }
    if (chosen_.copy) {
      programs_.copy_page_cpu = Nanoseconds(values_["copy_cpu_ns"]);
      copy_rules_ = mounted_->rules().readahead;
      copy_rules_.max_pages = static_cast<Page>(values_["copy_read_ahead_kb"]) * 1024 / 4096;
      tasks.spawn("cp", {},
                  [this](TaskContext& self) { return run_copy(self, *mounted_, copied_, copy_rules_, programs_, copy_); });
    }
  }

  std::vector<NamedValue> figures() const override {
    std::vector<NamedValue> all;
    const auto add = [&all](const std::string& name, const ProgramFigures& figures) {
      all.push_back({name + "_elapsed_ns", figures.elapsed.count()});
      all.push_back({name + "_waits", static_cast<std::int64_t>(figures.counts.waits)});
      all.push_back({name + "_reads", static_cast<std::int64_t>(figures.counts.bios)});
    };
    if (chosen_.find) add("find", find_);
    if (chosen_.grep) add("grep", grep_);
    if (chosen_.copy) add("cp", copy_);
    return all;
  }

 private:
  void build(Sector capacity) {
    const auto seed = static_cast<std::uint64_t>(values_["seed"]);
    FileSystemShape shape;
    shape.block_bytes = smallest_block << values_["block_bytes"];
    shape.blocks = capacity / (shape.block_bytes / 512);
    shape.indirect_blocks = values_["filesystem"] == 0;
    shape.inode_bytes = values_["filesystem"] == 0 ? 128 : 256;
    shape.dir_index = values_["dir_index"] == 1;
    shape.used_permille = static_cast<std::uint32_t>(values_["used_permille"]);
    const Page group_blocks = shape.group_blocks();
    shape.inodes_per_group = static_cast<std::uint32_t>(group_blocks * shape.block_bytes / 8192);
    // Somewhere in the first twentieth of the disk.
    shape.first_group = group_blocks == 0 ? 0 : SplitMix64(seed).below(shape.blocks / group_blocks / 20 + 1);
    ImageBuilder builder(shape, seed);
    if (chosen_.copy) {
      copied_ = builder.make_file(ImageBuilder::root, directory_name_length,
                                  static_cast<std::uint64_t>(values_["copy_kib"]) * 1024);
    }
    if (chosen_.find) find_tree_ = build_tree(builder);
    if (chosen_.grep) grep_tree_ = build_tree(builder);
    image_ = builder.finish();
  }

  InodeIndex build_tree(ImageBuilder& builder) {
    const InodeIndex tree = builder.make_directory(ImageBuilder::root, 1);
    const auto name_length = static_cast<std::size_t>(values_["name_length"]);
    const auto files = values_["files"];
    const auto file_bytes = static_cast<std::uint64_t>(values_["file_bytes"]);
    for (std::int64_t i = values_["directories"]; i > 0; --i) {
      const InodeIndex directory = builder.make_directory(tree, directory_name_length);
      for (std::int64_t j = 0; j < files; ++j) builder.make_file(directory, name_length, file_bytes);
    }
    return tree;
  }

  WorkloadValues values_;
  Chosen chosen_;
  Image image_;
  std::optional<Mounted> mounted_;
  InodeIndex find_tree_ = 0;
  InodeIndex grep_tree_ = 0;
  InodeIndex copied_ = 0;
  TreePrograms programs_;
  ReadaheadRules copy_rules_;
  ProgramFigures find_;
  ProgramFigures grep_;
  ProgramFigures copy_;
};

template <bool find, bool grep, bool copy>
std::unique_ptr<Workload> make(const WorkloadValues& values, const BlockSettings&) {
  return std::make_unique<TreeReaders>(values, TreeReaders::Chosen{find, grep, copy});
}

std::vector<WorkloadParameter> with(std::vector<WorkloadParameter> parameters,
                                    std::initializer_list<WorkloadParameter> more) {
  parameters.insert(parameters.end(), more);
  return parameters;
}

}  // namespace

WorkloadInfo find_tree_workload() {
  return {"find", "find over a tree of directories, with a cold cache", with(tree_parameters(), {find_stat, find_cpu}),
          make<true, false, false>};
}

WorkloadInfo grep_tree_workload() {
  return {"grep-r", "grep -r over a tree of directories, with a cold cache", with(tree_parameters(), {grep_cpu}),
          make<false, true, false>};
}

WorkloadInfo copy_file_workload() {
  return {"cp", "cp of a large file to /dev/null, with a cold cache",
          with(file_system_parameters(), {copy_size, copy_limit, copy_cpu}), make<false, false, true>};
}

WorkloadInfo find_grep_copy_workload() {
  return {"find-grep-cp", "find over one tree, grep -r over another and cp of a large file at once, with a cold cache",
          with(tree_parameters(), {find_stat, find_cpu, grep_cpu, copy_size, copy_limit, copy_cpu}), make<true, true, true>};
}

}  // namespace elvcheck
