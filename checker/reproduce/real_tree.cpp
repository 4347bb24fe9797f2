// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/reproduce/real_tree.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "model/filesystem/image_builder.hpp"
#include "model/machine.hpp"
#include "model/workload/tree_readers.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_names = 1'000'000;

class Reader {
 public:
  explicit Reader(dev_t device) : device_(device) {}

  /// The number of the directory in `contents`.
  std::int64_t read(const fs::path& folder) {
    const std::size_t number = tree.contents.size();
    tree.contents.emplace_back();
    ++tree.directories;
    std::error_code error;
    std::vector<fs::path> names;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      names.push_back(at->path());
    if (error && number == 0) throw InputError("--tree: '" + folder.string() + "' cannot be read: " + error.message());
    std::sort(names.begin(), names.end());
    for (const fs::path& name : names) add(number, name);
    return static_cast<std::int64_t>(number);
  }

  RealTree tree;

 private:
  void add(std::size_t directory, const fs::path& path) {
    struct stat about {};
    if (lstat(path.c_str(), &about) != 0 || about.st_dev != device_) return;
    if (tree.names + tree.directories >= most_names)
      throw InputError("--tree: there are more than " + std::to_string(most_names) + " names; take a part of the tree");
    RealTree::Entry entry;
    entry.name_length = path.filename().native().size();
    if (S_ISDIR(about.st_mode)) {
      entry.directory = read(path);
    } else {
      ++tree.names;
      if (S_ISREG(about.st_mode)) entry.bytes = static_cast<std::uint64_t>(about.st_size);
      if (about.st_nlink > 1) {
        const auto [known, first] = files_.try_emplace(about.st_ino, next_file_);
        if (!first) {
          entry.linked_to = known->second;
          ++tree.linked;
        }
      }
      if (entry.linked_to < 0) ++next_file_;
    }
    tree.contents[directory].push_back(entry);
  }

  dev_t device_;
  std::map<ino_t, std::int64_t> files_;
  std::int64_t next_file_ = 0;
};

/// The tree's files, created in the order in which a copy would have created them.
class Copy {
 public:
  Copy(const RealTree& tree, ImageBuilder& builder) : tree_(tree), builder_(builder) {}
  void copy(std::size_t directory, InodeIndex to) {
    for (const RealTree::Entry& entry : tree_.contents[directory]) {
      const std::size_t length = std::clamp<std::size_t>(entry.name_length, 1, 255);
      if (entry.directory >= 0) {
        copy(static_cast<std::size_t>(entry.directory), builder_.make_directory(to, length));
      } else if (entry.linked_to >= 0) {
        builder_.link(to, length, files_.at(static_cast<std::size_t>(entry.linked_to)));
      } else {
        files_.push_back(builder_.make_file(to, length, entry.bytes));
      }
    }
  }

 private:
  const RealTree& tree_;
  ImageBuilder& builder_;
  std::vector<InodeIndex> files_;
};

class FindRealTree final : public Workload {
 public:
  FindRealTree(const RealTree& tree, bool patched, std::uint64_t seed) : tree_(tree), patched_(patched), seed_(seed) {}

  void start(Tasks& tasks) override {
    FileSystemShape shape;
    shape.blocks = tasks.device().capacity / 8;
    shape.dir_index = false;
    shape.first_group = SplitMix64(seed_).below(shape.blocks / shape.group_blocks() / 20 + 1);
    ImageBuilder builder(shape, seed_);
    const InodeIndex top = builder.make_directory(ImageBuilder::root, 1);
    Copy(tree_, builder).copy(0, top);
    image_ = builder.finish();
    MountRules rules;
    rules.readahead.version = MemoryVersion::v2_6_20;
    rules.readdir = ReaddirReadahead::v2;
    rules.readdir_enabled = patched_;
    mounted_.emplace(image_, rules);
    programs_.find_directory_cpu = std::chrono::microseconds(100);
    tasks.spawn("find", {}, [this, top](TaskContext& self) { return run_find(self, *mounted_, top, programs_, figures_); });
  }

  std::vector<NamedValue> figures() const override {
    return {{"find_elapsed_ns", figures_.elapsed.count()}, {"find_waits", static_cast<std::int64_t>(figures_.counts.waits)}};
  }

 private:
  const RealTree& tree_;
  bool patched_;
  std::uint64_t seed_;
  Image image_;
  std::optional<Mounted> mounted_;
  TreePrograms programs_;
  ProgramFigures figures_;
};

}  // namespace

RealTree read_real_tree(const std::string& folder) {
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    throw InputError("--tree: '" + folder + "' is no folder");
  Reader reader(about.st_dev);
  reader.read(folder);
  if (reader.tree.contents.front().empty()) throw InputError("--tree: '" + folder + "' has nothing in it");
  return std::move(reader.tree);
}

std::vector<NamedValue> find_real_tree(const RealTree& tree, bool patched, std::uint64_t seed) {
  Scenario scenario;
  scenario.scheduler = "cfq-2.6.34";
  scenario.device.preset = "sata-7200-2007";
  Machine machine(scenario, std::make_unique<FindRealTree>(tree, patched, seed));
  machine.run();
  return machine.workload()->figures();
}

}  // namespace elvcheck
