// SPDX-License-Identifier: GPL-2.0-or-later
// Reading of case files. The reader is strict: what it does not know, it names, with the line and the nearest known name,
// because a misspelt key that is silently ignored would change what a case says.
#include "properties/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>

// toml++ 3.3 asserts where damaged input should be an error, and with NDEBUG turns these assertions into assumptions, which
// is worse. Here they throw, in every build; this is the only file that includes it.
namespace elvcheck {
namespace {
struct TomlRefusal {};
[[noreturn]] void refuse_toml() { throw TomlRefusal{}; }
}  // namespace
}  // namespace elvcheck
#undef NDEBUG
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : ::elvcheck::refuse_toml())
#include <toml++/toml.h>

#include "model/core/mutant.hpp"
#include "model/device/preset.hpp"
#include "model/scheduler/registry.hpp"
#include "model/workload/processes.hpp"
#include "model/workload/workloads.hpp"
#include "properties/case_check.hpp"
#include "properties/case_time.hpp"
#include "properties/nearest_name.hpp"
#include "properties/property.hpp"

namespace elvcheck {

namespace {

constexpr std::int64_t case_version = 1;
constexpr std::uintmax_t largest_file = 16U << 20U;

template <class Range, class Name>
std::vector<std::string_view> names_of(const Range& range, Name name) {
  std::vector<std::string_view> names;
  for (const auto& item : range) names.emplace_back(name(item));
  return names;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : name_(name), text_(text) {}

  CaseFile read() {
    try {
      const toml::table root = toml::parse(text_, name_);
      return read_root(root);
    } catch (const TomlRefusal&) {
      fail(1, "not TOML: a key or value is cut off or misplaced; mend the syntax");
    } catch (const toml::parse_error& error) {
      fail(error.source().begin.line, fmt::format("not TOML: {}; mend the syntax", error.description()));
    }
  }

 private:
  [[noreturn]] void fail(std::uint32_t line, const std::string& what) const {
    // Quoted input may hold anything; an error is one line.
    std::string printable = what;
    std::replace_if(
        printable.begin(), printable.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    throw InputError(fmt::format("{}:{}: {}", name_, line, printable));
  }
  static std::uint32_t line_of(const toml::node& node) { return node.source().begin.line; }

  // Entries in the order in which they stand in the file (toml++ sorts them by name).
  struct Entry {
    std::string_view key;
    std::uint32_t line;
    std::uint32_t column;
    const toml::node* node;
  };
  static std::vector<Entry> entries(const toml::table& table) {
    std::vector<Entry> result;
    for (const auto& [key, node] : table) {
      result.push_back({key.str(), key.source().begin.line, key.source().begin.column, &node});
    }
    std::sort(result.begin(), result.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); });
    return result;
  }

  const std::string& string_of(const Entry& entry, const char* example) const {
    const auto* const value = entry.node->as_string();
    if (value == nullptr)
      fail(entry.line, fmt::format("'{}' must be a text; write {} = \"{}\"", entry.key, entry.key, example));
    return value->get();
  }
  std::int64_t integer_of(const Entry& entry, std::int64_t min, std::int64_t max, std::string_view unit) const {
    const auto* const value = entry.node->as_integer();
    if (value == nullptr || value->get() < min || value->get() > max) {
      fail(entry.line,
           fmt::format("'{}' must be a whole number from {} to {}{}{}", entry.key, min, max, unit.empty() ? "" : " ", unit));
    }
    return value->get();
  }
  const toml::table& table_of(const Entry& entry) const {
    const auto* const value = entry.node->as_table();
    if (value == nullptr) fail(entry.line, fmt::format("'{}' must be a table; begin it with [{}]", entry.key, entry.key));
    return *value;
  }
  [[noreturn]] void unknown_key(const Entry& entry, const char* what, const std::vector<std::string_view>& known) const {
    fail(entry.line, fmt::format("unknown {} '{}'{}", what, entry.key, suggest_name(entry.key, known)));
  }

  CaseFile read_root(const toml::table& root) {
    check_version(root);
    const std::vector<Entry> keys = entries(root);
    Entry expect{}, rule{}, tunables{}, features{}, device{}, groups{}, processes{}, workload{};
    for (const Entry& entry : keys) {
      if (entry.key == "elvcheck_case") continue;
      if (entry.key == "property")
        read_property(entry);
      else if (entry.key == "expect")
        expect = entry;
      else if (entry.key == "rule")
        rule = entry;
      else if (entry.key == "note")
        result_.note = string_of(entry, "where it comes from");
      else if (entry.key == "scheduler")
        read_scheduler(entry);
      else if (entry.key == "limit")
        read_limit(entry);
      else if (entry.key == "mutant")
        read_mutant(entry);
      else if (entry.key == "block")
        read_block(table_of(entry));
      else if (entry.key == "tunables")
        tunables = entry;
      else if (entry.key == "features")
        features = entry;
      else if (entry.key == "device")
        device = entry;
      else if (entry.key == "group")
        groups = entry;
      else if (entry.key == "process")
        processes = entry;
      else if (entry.key == "workload")
        workload = entry;
      else
        unknown_key(entry, "key",
                    {"elvcheck_case", "property", "expect", "rule", "note", "scheduler", "mutant", "limit", "tunables",
                     "features", "device", "block", "group", "process", "workload"});
    }
    if (scheduler_ == nullptr) fail(1, "no scheduler; add a line such as scheduler = \"mq-deadline-6.1\"");
    if (processes.node == nullptr && workload.node == nullptr)
      fail(1, "no process; add a [[process]] table with a name and ops, or a [workload] with a name");
    read_verdict(expect, rule);
    if (tunables.node != nullptr) read_tunables(table_of(tunables), false);
    if (features.node != nullptr) read_tunables(table_of(features), true);
    if (device.node != nullptr) read_device(table_of(device));
    if (groups.node != nullptr) read_groups(groups);
    if (processes.node != nullptr) read_processes(processes);
    if (workload.node != nullptr) read_workload(table_of(workload));
    return std::move(result_);
  }

  void check_version(const toml::table& root) const {
    const toml::node* const version = root.get("elvcheck_case");
    if (version == nullptr) fail(1, "not a case file; its first line must be elvcheck_case = 1");
    const auto* const number = version->as_integer();
    if (number == nullptr || number->get() != case_version) {
      fail(line_of(*version),
           fmt::format("case format {} is not known here; this elvcheck reads elvcheck_case = {}",
                       number == nullptr ? std::string("(not a number)") : std::to_string(number->get()), case_version));
    }
  }

  void read_property(const Entry& entry) {
    result_.property = string_of(entry, "conservation");
    if (result_.property.empty() || find_property(result_.property) != nullptr || is_kernel_property(result_.property))
      return;
    fail(entry.line,
         fmt::format("unknown property '{}'{}", result_.property,
                     suggest_name(result_.property, names_of(properties(), [](const Property& p) { return p.name; }))));
  }

  void read_verdict(const Entry& expect, const Entry& rule) {
    if (expect.node != nullptr) {
      const std::string& text = string_of(expect, "held");
      if (text != "held" && text != "violated") {
        fail(expect.line, fmt::format("expect is '{}'; write \"held\" or \"violated\"", text));
      }
      result_.expect_violated = text == "violated";
    }
    if (result_.expect_violated && result_.property.empty()) {
      fail(expect.line, "expect = \"violated\" needs a property; name the one that is violated");
    }
    if (rule.node == nullptr) return;
    result_.rule = string_of(rule, "overtaken");
    if (!result_.expect_violated)
      fail(rule.line, "a rule belongs to expect = \"violated\"; remove it or change the verdict");
  }

  void read_scheduler(const Entry& entry) {
    result_.scenario.scheduler = string_of(entry, "mq-deadline-6.1");
    scheduler_ = find_scheduler(result_.scenario.scheduler);
    if (scheduler_ != nullptr) return;
    fail(entry.line, fmt::format("unknown scheduler '{}'{}", result_.scenario.scheduler,
                                 suggest_name(result_.scenario.scheduler,
                                              names_of(schedulers(), [](const SchedulerInfo& s) { return s.name; }))));
  }

  void read_mutant(const Entry& entry) {
    result_.scenario.mutant = string_of(entry, "deadline.batch-one-more");
    if (result_.scenario.mutant.empty() || find_mutant(result_.scenario.mutant) != nullptr) return;
    std::vector<std::string_view> known;
    for (const MutantInfo& mutant : mutants()) known.emplace_back(mutant.name);
    fail(entry.line,
         fmt::format("unknown planted bug '{}'{}", result_.scenario.mutant, suggest_name(result_.scenario.mutant, known)));
  }

  void read_limit(const Entry& entry) {
    const auto limit = parse_time(string_of(entry, "3600s"));
    if (!limit || limit->count() == 0) fail(entry.line, "'limit' is not a time above 0; write one such as \"3600s\"");
    result_.scenario.limit = *limit;
  }

  void read_tunables(const toml::table& table, bool features) {
    std::vector<TunableInfo> known;
    std::copy_if(scheduler_->tunables.begin(), scheduler_->tunables.end(), std::back_inserter(known),
                 [&](const TunableInfo& t) { return t.feature == features; });
    for (const Entry& entry : entries(table)) {
      const auto found = std::find_if(known.begin(), known.end(), [&](const TunableInfo& t) { return entry.key == t.name; });
      if (found == known.end()) {
        const std::string suggestion =
            known.empty() ? fmt::format("; {} has none", scheduler_->name)
                          : suggest_name(entry.key, names_of(known, [](const TunableInfo& t) { return t.name; }));
        fail(entry.line, fmt::format("unknown {} '{}' of {}{}", features ? "feature" : "tunable", entry.key,
                                     scheduler_->name, suggestion));
      }
      const auto* const flag = features ? entry.node->as_boolean() : nullptr;
      result_.scenario.tunables.push_back(
          {found->name, flag != nullptr ? flag->get() : integer_of(entry, found->min, found->max, found->unit)});
    }
  }

  void read_device(const toml::table& table) {
    DeviceSpec& spec = result_.scenario.device;
    const std::vector<Entry> keys = entries(table);
    for (const Entry& entry : keys) {
      if (entry.key == "preset") spec.preset = string_of(entry, "flat");
    }
    const DevicePreset* const preset = find_device_preset(spec.preset);
    for (const Entry& entry : keys) {
      if (preset == nullptr) {
        fail(entry.line, fmt::format("unknown device preset '{}'{}", spec.preset,
                                     suggest_name(spec.preset, names_of(device_presets(),
                                                                        [](const DevicePreset& p) { return p.name; }))));
      }
      if (entry.key == "preset") continue;
      const auto& known = preset->parameters;
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const DeviceParameter& p) { return entry.key == p.name; });
      if (found == known.end()) {
        unknown_key(entry, "device parameter", names_of(known, [](const DeviceParameter& p) { return p.name; }));
      }
      spec.parameters.push_back({found->name, integer_of(entry, found->min, found->max, found->unit)});
    }
    try {
      make_device(spec);  // values may exclude each other
    } catch (const std::invalid_argument& error) {
      fail(line_of(table), error.what());
    }
  }

  void read_block(const toml::table& table) {
    BlockSettings& block = result_.scenario.block;
    const auto small = [&](const Entry& entry, std::int64_t min, std::int64_t max, const char* unit) {
      return static_cast<unsigned>(integer_of(entry, min, max, unit));
    };
    for (const Entry& entry : entries(table)) {
      if (entry.key == "hz") {
        block.hz = small(entry, 100, 1000, "ticks per second");
        if (block.hz != 100 && block.hz != 250 && block.hz != 300 && block.hz != 1000) {
          fail(entry.line, fmt::format("'hz' is {}; kernels run at 100, 250, 300 or 1000", block.hz));
        }
      } else if (entry.key == "nr_requests") {
        block.nr_requests = small(entry, 1, 65536, "requests");
      } else if (entry.key == "nomerges") {
        block.nomerges = small(entry, 0, 2, "");
      } else if (entry.key == "max_sectors") {
        block.max_sectors = small(entry, 8, 1 << 30, "sectors");
      } else if (entry.key == "max_segments") {
        block.max_segments = small(entry, 1, 65535, "segments");
      } else if (entry.key == "refuse_every") {
        block.refuse_every = small(entry, 2, 1 << 30, "requests");  // 1 would refuse for ever
      } else if (entry.key == "plug_each_bio") {
        const auto* const value = entry.node->as_boolean();
        if (value == nullptr) fail(entry.line, "'plug_each_bio' must be true or false");
        block.plug_each_bio = value->get();
      } else if (entry.key == "blk_cgroup") {
        const auto* const value = entry.node->as_boolean();
        if (value == nullptr) fail(entry.line, "'blk_cgroup' must be true or false");
        block.blk_cgroup = value->get();
      } else {
        unknown_key(
            entry, "key of [block]",
            {"hz", "nr_requests", "nomerges", "max_sectors", "max_segments", "plug_each_bio", "blk_cgroup", "refuse_every"});
      }
    }
  }

  void read_groups(const Entry& entry) {
    const auto* const list = entry.node->as_array();
    if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
      fail(entry.line, "'group' must be a list of tables; begin each group with [[group]]");
    }
    for (const toml::node& node : *list) {
      IoGroup group;
      for (const Entry& key : entries(*node.as_table())) {
        if (key.key == "name")
          group.name = new_name(key, "group", group_names_);
        else if (key.key == "weight")
          group.weight = static_cast<std::uint32_t>(integer_of(key, 1, 10'000, ""));
        else if (key.key == "parent")
          group.parent = group_of(key);
        else
          unknown_key(key, "key of [[group]]", {"name", "weight", "parent"});
      }
      if (group.name.empty()) fail(line_of(node), "a group without a name; add name = \"slow\"");
      group_names_.push_back(group.name);
      result_.scenario.block.groups.push_back(std::move(group));
    }
  }

  /// A group that was named before, counted from 1.
  std::uint32_t group_of(const Entry& entry) const {
    const std::string& name = string_of(entry, "slow");
    const auto found = std::find(group_names_.begin(), group_names_.end(), name);
    if (found == group_names_.end()) {
      fail(entry.line, fmt::format("there is no group '{}' before this line{}", name,
                                   group_names_.empty() ? "; add it with [[group]]"
                                                        : suggest_name(name, {group_names_.begin(), group_names_.end()})));
    }
    return static_cast<std::uint32_t>(found - group_names_.begin()) + 1;
  }

  void read_processes(const Entry& entry) {
    const auto* const list = entry.node->as_array();
    if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
      fail(entry.line, "'process' must be a list of tables; begin each process with [[process]]");
    }
    auto& processes = result_.scenario.processes;
    std::vector<std::string> names;
    for (const toml::node& node : *list) {
      ProcessSpec process;
      for (const Entry& key : entries(*node.as_table())) {
        if (key.key == "name")
          process.name = new_name(key, "process", names);
        else if (key.key == "group")
          process.group = group_of(key);
        else if (key.key == "ioprio")
          process.ioprio = priority_of(key);
        else if (key.key != "ops")
          unknown_key(key, "key of [[process]]", {"name", "group", "ioprio", "ops"});
      }
      if (process.name.empty()) fail(line_of(node), "a process without a name; add name = \"reader\"");
      names.push_back(process.name);
      processes.push_back(std::move(process));
    }
    const Sector capacity = make_device(result_.scenario.device)->info().capacity;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const toml::table& table = *list->get(i)->as_table();
      for (const Entry& key : entries(table)) {
        if (key.key == "ops") read_ops(key, names, i, capacity);
      }
    }
    try {
      check_waits(processes);
    } catch (const std::invalid_argument& error) {
      fail(line_of(*list->get(find_wait_circle(processes).front())), error.what());
    }
  }

  void read_workload(const toml::table& table) {
    WorkloadSpec& spec = result_.scenario.workload;
    const std::vector<Entry> keys = entries(table);
    for (const Entry& entry : keys) {
      if (entry.key == "name") spec.name = string_of(entry, "dump");
    }
    if (spec.name.empty()) fail(line_of(table), "a workload without a name; add name = \"dump\"");
    const WorkloadInfo* const info = find_workload(spec.name);
    for (const Entry& entry : keys) {
      if (info == nullptr) {
        fail(entry.line,
             fmt::format("unknown workload '{}'{}", spec.name,
                         suggest_name(spec.name, names_of(workloads(), [](const WorkloadInfo& w) { return w.name; }))));
      }
      if (entry.key == "name") continue;
      const auto& known = info->parameters;
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const WorkloadParameter& p) { return entry.key == p.name; });
      if (found == known.end())
        unknown_key(entry, "parameter of the workload", names_of(known, [](const WorkloadParameter& p) { return p.name; }));
      spec.parameters.push_back({found->name, found->choices.empty() ? integer_of(entry, found->min, found->max, found->unit)
                                                                     : choice_of(entry, *found)});
    }
  }

  std::int64_t choice_of(const Entry& entry, const WorkloadParameter& parameter) const {
    const std::string& text = string_of(entry, parameter.choices.front());
    const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), text);
    if (found == parameter.choices.end())
      fail(entry.line, fmt::format("'{}' is no value of '{}'{}", text, entry.key,
                                   suggest_name(text, {parameter.choices.begin(), parameter.choices.end()})));
    return found - parameter.choices.begin();
  }

  std::string new_name(const Entry& entry, const char* what, const std::vector<std::string>& taken) const {
    const std::string& name = string_of(entry, "reader");
    if (!is_process_name(name)) {
      fail(entry.line, fmt::format("'{}' is no name for a {}; use letters, digits, '_', '-' and '.'", name, what));
    }
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      fail(entry.line, fmt::format("'{}' is the name of another {} too; rename one", name, what));
    }
    return name;
  }

  IoPrio priority_of(const Entry& entry) const {
    const std::string& text = string_of(entry, "be/4");
    const auto prio = parse_ioprio(text);
    if (!prio) fail(entry.line, fmt::format("'{}' is not an I/O priority; write none, idle, rt/0..7 or be/0..7", text));
    return *prio;
  }

  void read_ops(const Entry& entry, const std::vector<std::string>& names, std::size_t process, Sector capacity) {
    const auto* const list = entry.node->as_array();
    if (list == nullptr) fail(entry.line, "'ops' must be a list of texts; write ops = [\"read 0 +8\"]");
    ProgramChecker checker(capacity, static_cast<std::uint32_t>(process));
    for (const toml::node& node : *list) {
      const auto* const text = node.as_string();
      if (text == nullptr) fail(line_of(node), "an operation must be a text; write it in quotes, such as \"read 0 +8\"");
      try {
        ProcessOp op = parse_op(text->get(), names);
        checker.add(op);
        result_.scenario.processes[process].ops.push_back(op);
      } catch (const std::invalid_argument& error) {
        fail(line_of(node), fmt::format("'{}': {}", text->get(), error.what()));
      }
    }
    try {
      checker.finish();
    } catch (const std::invalid_argument& error) {
      fail(entry.line, error.what());
    }
  }

  const std::string& name_;
  std::string_view text_;
  CaseFile result_;
  const SchedulerInfo* scheduler_ = nullptr;
  std::vector<std::string> group_names_;
};

}  // namespace

CaseFile parse_case(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

CaseFile read_case(const std::string& path) {
  const auto fail = [&](const char* reason) -> void {
    throw InputError(fmt::format("{}: cannot read: {}; give the path of a case file", path, reason));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  std::string text;
  std::vector<char> block(1U << 16U);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file) fail("it is larger than 16 MiB");
  }
  if (file.bad()) fail(std::strerror(errno));
  return parse_case(text, path);
}

}  // namespace elvcheck
