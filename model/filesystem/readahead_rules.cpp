// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/filesystem/readahead_rules.hpp"

#include <array>

namespace elvcheck::readahead {

const DecisionRule read_rule{
    "readahead.read", "Pages that were absent were asked of the device.", {"file", "first page", "pages"}};
const DecisionRule use_rule{"readahead.use",
                            "A task came to pages of a file and needs them.",
                            {"file", "first page", "pages", "limit in pages, times 8; + 4: a fault; + version"}};
const DecisionRule used_rule{
    "readahead.used", "The pages that a task came to are up to date.", {"file", "first page", "pages"}};
const DecisionRule window_rule{
    "readahead.window", "Readahead chose a window.", {"file", "first page", "pages", "pages behind the mark"}};
const DecisionRule call_rule{"readdir.call",
                             "A call of readdir began.",
                             {"directory", "number of the call", "sectors of the directory",
                              "bytes of a block if read ahead at twice the speed, else 0"}};
const DecisionRule directory_rule{
    "readdir.ahead",
    "Readahead of a directory asked for a block.",
    {"directory", "block of the device", "block of the directory, -1: none of it", "was absent"}};
const DecisionRule leaf_rule{"readdir.block",
                             "Readdir needs a block of the directory.",
                             {"directory", "block of the device", "block of the directory", "was absent"}};

const DecisionRule inode_rule{"inode.window",
                              "An inode was read with a window of its table.",
                              {"wanted block", "first block", "last block", "last block of the table in use"}};

std::span<const DecisionRule* const> all_rules() {
  static constexpr std::array<const DecisionRule*, 8> table{&read_rule,  &use_rule,  &used_rule,      &window_rule,
                                                            &inode_rule, &call_rule, &directory_rule, &leaf_rule};
  return table;
}

namespace {
TraceEvent note_of(const TaskContext& self, const DecisionRule& rule, const std::array<std::int64_t, 4>& numbers) {
  TraceEvent event;
  event.at = self.now();
  event.kind = EventKind::note;
  event.process = self.pid();
  event.rule = &rule;
  event.numbers = numbers;
  return event;
}
}  // namespace

void note(TaskContext& self, const DecisionRule& rule, const std::array<std::int64_t, 4>& numbers) {
  Trace& trace = self.tasks().trace();
  if (trace.watched()) trace.emit(note_of(self, rule, numbers));
}

void note_read(TaskContext& self, const NotedRead& read) {
  Trace& trace = self.tasks().trace();
  if (!trace.watched()) return;
  TraceEvent event = note_of(
      self, read_rule,
      {static_cast<std::int64_t>(read.file), static_cast<std::int64_t>(read.first), static_cast<std::int64_t>(read.pages)});
  event.flags = read.flags;
  event.sector = read.sector;
  event.sectors = read.sectors;
  trace.emit(event);
}

}  // namespace elvcheck::readahead
