// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/diff.hpp"

#include <cstdio>
#include <string_view>

#include "properties/case_file.hpp"

namespace elvcheck::kernel {

namespace {

[[noreturn]] void fail(const std::string& name, std::size_t line, const std::string& text) {
  throw InputError(name + ":" + std::to_string(line) + ": " + text);
}

/// "a/block/bfq-iosched.c" out of "a/block/bfq-iosched.c\t2024-01-01 ..."; empty for /dev/null.
std::string path_of(std::string_view text) {
  const std::string path(text.substr(0, text.find('\t')));
  return path == "/dev/null" ? "" : path;
}

class DiffFinder {
 public:
  DiffFinder(const std::vector<NumberedLine>& lines, const std::string& name) : lines_(lines), name_(name) {}

  std::vector<FileDiff> find() {
    while (at_ < lines_.size()) {
      if (begins("diff --git "))
        take_git_diff();
      else if (begins("--- ") && at_ + 1 < lines_.size() && lines_[at_ + 1].text.starts_with("+++ "))
        take_diff(FileDiff{});
      else
        ++at_;
    }
    return std::move(diffs_);
  }

 private:
  bool begins(std::string_view what) const { return at_ < lines_.size() && lines_[at_].text.starts_with(what); }

  /// What git says before the hunks; there may be none.
  void take_git_diff() {
    FileDiff diff;
    const std::string& head = lines_[at_].text;
    if (const auto second = head.rfind(" b/"); second != std::string::npos)
      diff.old_path = diff.new_path = head.substr(second + 1);
    diff.line = lines_[at_++].number;
    bool matters = false;
    for (; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_].text;
      if (line.starts_with("rename from ") || line.starts_with("copy from ")) {
        diff.moved = matters = true;
        diff.copied = line[0] == 'c';
        diff.old_path = "a/" + line.substr(line.find(" from ") + 6);
      } else if (line.starts_with("rename to ") || line.starts_with("copy to ")) {
        diff.new_path = "b/" + line.substr(line.find(" to ") + 4);
      } else if (line.starts_with("GIT binary patch") || line.starts_with("Binary files ")) {
        diff.binary = matters = true;
      } else if (line.starts_with("--- ") && at_ + 1 < lines_.size() && lines_[at_ + 1].text.starts_with("+++ ")) {
        take_diff(std::move(diff));
        return;
      } else if (!is_extended_header(line)) {
        break;
      }
    }
    if (matters) diffs_.push_back(std::move(diff));  // else a change of mode, or an empty file
  }

  static bool is_extended_header(std::string_view line) {
    for (const std::string_view start : {"index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ",
                                         "similarity index ", "dissimilarity index "}) {
      if (line.starts_with(start)) return true;
    }
    return false;
  }

  void take_diff(FileDiff diff) {
    if (diff.line == 0) diff.line = lines_[at_].number;
    if (!diff.moved) {
      diff.old_path = path_of(std::string_view(lines_[at_].text).substr(4));
      diff.new_path = path_of(std::string_view(lines_[at_ + 1].text).substr(4));
    }
    at_ += 2;
    while (begins("@@ -")) take_hunk(diff);
    if (diff.hunk_lines.empty())
      fail(name_, diff.line, "a diff without hunks; a line that begins with @@ -N,N +N,N @@ is missing");
    diffs_.push_back(std::move(diff));
  }

  void take_hunk(FileDiff& diff) {
    const NumberedLine& head = lines_[at_++];
    unsigned long old_lines = 1;
    unsigned long new_lines = 1;
    unsigned long place = 0;
    int used = 0;
    const char* text = head.text.c_str();
    const bool good = (std::sscanf(text, "@@ -%lu,%lu%n", &place, &old_lines, &used) == 2 ||
                       std::sscanf(text, "@@ -%lu%n", &place, &used) == 1) &&
                      (std::sscanf(text + used, " +%lu,%lu @@", &place, &new_lines) == 2 ||
                       std::sscanf(text + used, " +%lu @@", &place) == 1);
    if (!good) fail(name_, head.number, "a hunk must begin with @@ -N,N +N,N @@");
    diff.hunk_lines.push_back(head.number);
    diff.hunks += head.text + "\n";
    while (old_lines > 0 || new_lines > 0 || begins("\\")) {
      const bool there = at_ < lines_.size();
      const char kind = !there                     ? '!'
                        : lines_[at_].text.empty() ? ' '
                                                   : lines_[at_].text[0];  // mailers take away a blank at the end
      const bool of_old = kind == ' ' || kind == '-';
      const bool of_new = kind == ' ' || kind == '+';
      if ((kind != '\\' && !of_old && !of_new) || (of_old && old_lines == 0) || (of_new && new_lines == 0)) {
        fail(name_, there ? lines_[at_].number : head.number,
             "the hunk of line " + std::to_string(head.number) +
                 " does not have as many lines as it says: was it cut, edited, or wrapped by a mail program? Take the patch "
                 "from the archive (b4 am)");
      }
      old_lines -= of_old;
      new_lines -= of_new;
      diff.hunks += (lines_[at_].text.empty() ? " " : lines_[at_].text) + "\n";
      ++at_;
    }
  }

  const std::vector<NumberedLine>& lines_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::vector<FileDiff> diffs_;
};

}  // namespace

std::vector<FileDiff> find_diffs(const std::vector<NumberedLine>& lines, const std::string& name) {
  return DiffFinder(lines, name).find();
}

}  // namespace elvcheck::kernel
