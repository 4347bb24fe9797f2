// SPDX-License-Identifier: GPL-2.0-or-later
// find over directories with and without readahead (reference/published/find.hpp).
//
// What the mail does not say was chosen as follows. Directories are linear: 7.96 ms for each block, one revolution less 0.37
// ms, says that blocks were read in the order in which they lie on the disk; htrees, read in order of hash, are simulated
// beside it. The length of names decides how many blocks a directory has and how far apart they lie, and was fitted to
// the 15.2 to 15.6 waits for each directory. Everything with the patch is a prediction. The block layer is that of 2.6.34,
// the oldest that is modelled; its CFQ knows classes of queues that the CFQ of 2007 did not.
#include "reference/published/find.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/reproduce/experiment.hpp"
#include "checker/reproduce/real_tree.hpp"
#include "model/machine.hpp"
#include "model/workload/tree_readers.hpp"
#include "model/workload/workloads.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

namespace {

using published::find_cell;
using published::FindCell;

constexpr const char* device = "sata-7200-2007";
constexpr const char* scheduler = "cfq-2.6.34";

// Fitted.
constexpr std::int64_t name_length = 44;            // to the waits of find a
constexpr std::int64_t htree_name_length = 28;      // to the waits of find a, if its directories were htrees
constexpr std::int64_t copy_read_ahead_kb = 544;    // to the waits of cp
constexpr std::int64_t system_directories = 1190;   // to the waits of find /etch
constexpr std::int64_t system_file_bytes = 12'288;  // to its time without the patch

// Stated, or from another mail.
constexpr std::int64_t directories = 100;
constexpr std::int64_t files = 1000;
constexpr std::int64_t file_bytes = 8192;
constexpr std::int64_t system_files = 13'641;

// vm.readahead_ratio in the mail's script.
constexpr std::int64_t ratio_on = 49;
constexpr std::int64_t ratio_off = 50;

/// CPU time of find for each directory, as published: user and system time over the number of directories.
std::int64_t cpu_us(const FindCell& cell, std::int64_t count) {
  return static_cast<std::int64_t>((cell.cpu_s[0] + cell.cpu_s[1]) / 2 * 1e6 / static_cast<double>(count));
}

/// The value of a parameter that is a choice.
NamedValue choice(const char* workload, const char* name, std::string_view value) {
  for (const WorkloadParameter& parameter : find_workload(workload)->parameters) {
    if (std::string_view(parameter.name) != name) continue;
    const auto at = std::find(parameter.choices.begin(), parameter.choices.end(), value);
    if (at != parameter.choices.end()) return {name, at - parameter.choices.begin()};
  }
  throw std::logic_error(fmt::format("{} of the workload {} cannot be {}", name, workload, value));
}

/// One run of a workload: its figures by name.
std::vector<NamedValue> figures_of(WorkloadSpec workload) {
  Scenario scenario;
  scenario.scheduler = scheduler;
  scenario.device.preset = device;
  scenario.block.hz = 250;
  scenario.workload = std::move(workload);
  Machine machine(scenario);
  machine.run();
  return machine.workload()->figures();
}

double figure(const std::vector<NamedValue>& figures, const std::string& name) {
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const NamedValue& each) { return each.name == name; });
  if (at == figures.end()) throw std::logic_error("a workload has no figure " + name);
  return static_cast<double>(at->value);
}

WorkloadSpec tree_workload(const char* name, bool htrees, bool patched, std::uint64_t seed) {
  return {name,
          {{"directories", directories},
           {"files", files},
           {"file_bytes", file_bytes},
           {"name_length", htrees ? htree_name_length : name_length},
           choice(name, "dir_index", htrees ? "on" : "off"),
           choice(name, "readdir", "v2"),
           {"readahead_ratio", patched ? ratio_on : ratio_off},
           {"seed", static_cast<std::int64_t>(seed)}}};
}

WorkloadSpec find_a(bool htrees, bool patched, std::uint64_t seed) {
  WorkloadSpec spec = tree_workload("find", htrees, patched, seed);
  spec.parameters.push_back({"find_cpu_us", cpu_us(find_cell("find a", patched), directories)});
  return spec;
}

WorkloadSpec aged(std::uint64_t seed, std::int64_t used_permille, bool patched) {
  WorkloadSpec spec = find_a(false, patched, seed);
  spec.parameters.push_back({"used_permille", used_permille});
  return spec;
}

WorkloadSpec find_system(bool patched, std::uint64_t seed) {
  return {"find",
          {{"directories", system_directories},
           {"files", (system_files - system_directories) / system_directories},
           {"file_bytes", system_file_bytes},
           {"name_length", 12},
           choice("find", "dir_index", "off"),
           choice("find", "readdir", "v2"),
           {"readahead_ratio", patched ? ratio_on : ratio_off},
           {"find_cpu_us", cpu_us(find_cell("find /etch", patched), system_directories)},
           {"seed", static_cast<std::int64_t>(seed)}}};
}

WorkloadSpec all_three(bool patched, std::uint64_t seed) {
  WorkloadSpec spec = tree_workload("find-grep-cp", false, patched, seed);
  spec.parameters.push_back({"copy_read_ahead_kb", copy_read_ahead_kb});
  spec.parameters.push_back({"find_cpu_us", cpu_us(find_cell("find", patched), directories)});
  spec.parameters.push_back({"grep_cpu_us", cpu_us(find_cell("grep", patched), directories * files)});
  return spec;
}

/// A group of simulations: without and with the patch, for each seed.
struct Pair {
  std::string name;
  WorkloadSpec (*workload)(bool patched, std::uint64_t seed);
  std::vector<std::vector<NamedValue>> without{};
  std::vector<std::vector<NamedValue>> with{};
  std::vector<double> values(bool patched, const std::string& name_of_figure, double scale) const {
    std::vector<double> all;
    for (const auto& figures : patched ? with : without) all.push_back(figure(figures, name_of_figure) * scale);
    return all;
  }
  std::vector<double> ratios(const std::string& program) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < with.size(); ++i)
      all.push_back(figure(with[i], program + "_elapsed_ns") / figure(without[i], program + "_elapsed_ns"));
    return all;
  }
};

WorkloadSpec linear_pair(bool patched, std::uint64_t seed) { return find_a(false, patched, seed); }
WorkloadSpec htree_pair(bool patched, std::uint64_t seed) { return find_a(true, patched, seed); }
/// Ten layouts: five shares of blocks that were in use before, two seeds each.
WorkloadSpec layout_pair(bool patched, std::uint64_t seed) {
  static constexpr std::array<std::int64_t, 5> used = {0, 20, 50, 80, 110};
  return aged(seed, used[seed % used.size()], patched);
}

void simulate(const ReproduceContext& context, Pair& pair, std::size_t seeds) {
  pair.without.resize(seeds);
  pair.with.resize(seeds);
  context.simulate(2 * seeds, [&](std::size_t i) {
    const bool patched = i % 2 == 1;
    (patched ? pair.with : pair.without)[i / 2] = figures_of(pair.workload(patched, context.seed + i / 2));
  });
}

std::vector<double> both(const std::array<double, 2>& values) { return {values[0], values[1]}; }

Row row(std::string name, std::string metric, std::vector<double> measured, std::vector<double> simulated, double tolerance,
        std::string remark = {}) {
  Row result;
  result.name = std::move(name);
  result.metric = std::move(metric);
  result.measured = std::move(measured);
  result.simulated = std::move(simulated);
  result.tolerance = tolerance;
  result.scheduler = scheduler;
  result.device = device;
  result.remark = std::move(remark);
  return result;
}

std::vector<double> published_ratios(const char* program) {
  const FindCell& without = find_cell(program, false);
  const FindCell& with = find_cell(program, true);
  return {with.elapsed_s[0] / without.elapsed_s[0], with.elapsed_s[1] / without.elapsed_s[1]};
}

/// Times, waits and their ratio of one program, without and with the patch.
void add_rows(ExperimentOutcome& outcome, const Pair& pair, const char* published_name, const std::string& program,
              double ratio_tolerance, const std::string& remark = {}) {
  for (const bool patched : {false, true}) {
    const FindCell& cell = find_cell(published_name, patched);
    const std::string name = pair.name + (patched ? ", patched" : ", baseline");
    outcome.rows.push_back(
        row(name, "elapsed_s", both(cell.elapsed_s), pair.values(patched, program + "_elapsed_ns", 1e-9), 0));
    outcome.rows.push_back(row(name, "waits", both(cell.waits), pair.values(patched, program + "_waits", 1), 0));
  }
  outcome.rows.push_back(row(pair.name + ", patched / baseline", "ratio", published_ratios(published_name),
                             pair.ratios(program), ratio_tolerance, remark));
}

void mark_fitted(ExperimentOutcome& outcome, const std::string& name, const std::string& metric) {
  for (Row& each : outcome.rows)
    if (each.name == name && each.metric == metric) each.role = Role::fitted;
}

bool all_within(const std::vector<double>& values, double least, double most) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return least <= v && v <= most; });
}

double off(double simulated, double measured) { return std::abs(simulated / measured - 1); }

void add_parameters(ExperimentOutcome& outcome) {
  const auto add = [&](const char* name, std::string value, const char* fitted_to, const char* source) {
    outcome.parameters.push_back({name, std::move(value), fitted_to, source});
  };
  add("directories of find a", "linear", "time of find a, baseline: 7.96 ms a wait", "");
  add("name length of files", fmt::format("{} bytes", name_length), "waits of find a, baseline (1520, 1558)", "");
  add("name length, htrees", fmt::format("{} bytes", htree_name_length), "waits of find a, baseline (1520, 1558)", "");
  add("limit of readahead for cp", fmt::format("{} KiB", copy_read_ahead_kb), "waits of cp, baseline (1244, 1248)", "");
  add("directories of find /etch", fmt::format("{}", system_directories), "waits of find /etch, baseline (1578, 1578)", "");
  add("file size of find /etch", fmt::format("{} bytes", system_file_bytes), "time of find /etch, baseline (4.10 s, 4.19 s)",
      "");
  add("directories x files x bytes", "100 x 1000 x 8192", "", "the mail");
  add("files of find /etch", fmt::format("{}", system_files), "", "the mail before it");
  add("CPU times", "user + system time of each program", "", "the mail");
  add("disk", device, "", "elvcheck validate-device");
  add("size of the file for cp", "700 MiB", "", "the size of a CD");
}

void judge_claims(ExperimentOutcome& outcome, const Pair& plain, const Pair& layouts, const Pair& system,
                  const Pair& three) {
  const double measured = median(published_ratios("find a"));
  const double ratio = median(plain.ratios("find"));
  outcome.claims.push_back({"find-ratio", "Readahead shortens find over 100 x 1000 files as published, within 15 %.",
                            off(ratio, measured) <= 0.15, fmt::format("{:.3f}, published {:.3f}", ratio, measured)});
  std::string each;
  for (const double value : layouts.ratios("find")) each += fmt::format("{}{:.2f}", each.empty() ? "" : ", ", value);
  outcome.claims.push_back({"find-layouts", "On every layout find takes 0.3 to 0.6 of the time.",
                            all_within(layouts.ratios("find"), 0.3, 0.6), each});
  const double system_ratio = median(system.ratios("find"));
  const double system_measured = median(published_ratios("find /etch"));
  outcome.claims.push_back({"find-system", "On a minimal system readahead changes what was published, within 10 %.",
                            off(system_ratio, system_measured) <= 0.10,
                            fmt::format("{:.3f}, published {:.3f}", system_ratio, system_measured)});
  for (const char* program : {"find", "grep"}) {
    const std::vector<double> ratios = three.ratios(program);
    outcome.claims.push_back(
        {fmt::format("{}-direction", program),
         fmt::format("Beside the others, {} is faster with readahead for every seed.", program),
         *std::max_element(ratios.begin(), ratios.end()) < 1,
         fmt::format("{}, published {:.2f}", median_and_range(ratios), median(published_ratios(program)))});
  }
}

/// find over a tree of this machine, without and with the patch.
void add_real_tree(ExperimentOutcome& outcome, const ReproduceContext& context) {
  const RealTree tree = read_real_tree(context.tree);
  Pair pair{"find " + context.tree, nullptr};
  pair.without.resize(context.seeds);
  pair.with.resize(context.seeds);
  context.simulate(2 * std::size_t{context.seeds}, [&](std::size_t i) {
    const bool patched = i % 2 == 1;
    (patched ? pair.with : pair.without)[i / 2] = find_real_tree(tree, patched, context.seed + i / 2);
  });
  for (const bool patched : {false, true}) {
    const std::string name = pair.name + (patched ? ", patched" : ", baseline");
    outcome.rows.push_back(row(name, "elapsed_s", {}, pair.values(patched, "find_elapsed_ns", 1e-9), 0));
    outcome.rows.push_back(row(name, "waits", {}, pair.values(patched, "find_waits", 1), 0));
  }
  outcome.rows.push_back(row(pair.name + ", patched / baseline", "ratio", {}, pair.ratios("find"), 0));
  outcome.remarks.push_back(fmt::format("{}: {} directories, {} other names, {} files with several names.", context.tree,
                                        tree.directories, tree.names, tree.linked));
}

}  // namespace

ExperimentOutcome reproduce_find(const ReproduceContext& context) {
  ExperimentOutcome outcome;
  if (!context.tree.empty()) {
    outcome.parameters = {{"disk", device, "", "elvcheck validate-device"},
                          {"CPU time of find", "100 us for each directory", "", "find /etch, the mail"},
                          {"layout", "linear directories, created in order of their names", "", "as for find a"}};
    add_real_tree(outcome, context);
    return outcome;
  }
  add_parameters(outcome);
  const std::size_t seeds = context.seeds;
  Pair plain{"find a", linear_pair};
  Pair indexed{"find a, htrees", htree_pair};
  Pair layouts{"find a, ten layouts", layout_pair};
  Pair system{"find /etch", find_system};
  Pair three{"at once", all_three};
  simulate(context, plain, seeds);
  simulate(context, layouts, context.brief ? 5 : 10);
  simulate(context, system, seeds);
  simulate(context, three, context.brief ? std::min<std::size_t>(seeds, 3) : seeds);
  if (!context.brief) simulate(context, indexed, seeds);

  add_rows(outcome, plain, "find a", "find", 0.15);
  mark_fitted(outcome, "find a, baseline", "waits");
  mark_fitted(outcome, "find a, baseline", "elapsed_s");
  outcome.rows.push_back(row("find a, ten layouts, patched / baseline", "ratio", published_ratios("find a"),
                             layouts.ratios("find"), 0,
                             fmt::format("seeds {} to {}; 0, 2, 5, 8 and 11 % of the blocks were in use before",
                                         context.seed, context.seed + layouts.with.size() - 1)));
  if (!context.brief)
    add_rows(outcome, indexed, "find a", "find", 0,
             "in order of hash each block is a random step, half a revolution on average");
  add_rows(outcome, system, "find /etch", "find", 0.10);
  mark_fitted(outcome, "find /etch, baseline", "waits");
  mark_fitted(outcome, "find /etch, baseline", "elapsed_s");
  for (const auto& [program, remark] : {std::pair{"find", ""}, std::pair{"grep", ""},
                                        std::pair{"cp", "published 14 % slower; the CFQ of 2007 is not modelled"}}) {
    Pair named = three;
    named.name = std::string(program) + " at once";
    add_rows(outcome, named, program, program, 0, remark);
  }
  mark_fitted(outcome, "cp at once, baseline", "waits");
  mark_fitted(outcome, "find a, htrees, baseline", "waits");
  judge_claims(outcome, plain, layouts, system, three);
  outcome.remarks.push_back(
      "How long find a takes depends on how the distance of two directory blocks compares to a track: on aged layouts some "
      "blocks "
      "are reached without losing a revolution, and the baseline is faster.");
  outcome.remarks.push_back(
      "\"at once\": find over one tree, grep -r over another and cp of a large file, started together.");
  return outcome;
}

}  // namespace elvcheck
