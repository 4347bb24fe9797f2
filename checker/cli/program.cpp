// SPDX-License-Identifier: GPL-2.0-or-later
// The program: declares the commands, parses the arguments, executes one command, and turns every error into one line and an
// exit code.
#include "checker/cli/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/options.hpp"
#include "properties/case_file.hpp"
#include "properties/nearest_name.hpp"

namespace elvcheck {
namespace {

constexpr int usage_error = 2;
constexpr int closed_pipe = 128 + 13;  // as the shell shows a program that SIGPIPE has ended

constexpr const char* footer = R"(Examples:
  elvcheck run                              every scheduler on every device, the shipped cases and recordings, the theorems
  elvcheck run 'deadline.*' --cases 500     more streams, judged by some properties only
  elvcheck run --job slow.fio --device sata-7200-2014
  elvcheck replay elvcheck-out/*.toml       does each case keep its verdict?
  elvcheck fuzz --cases 1000000 --out night --shard 1/4
  elvcheck merge night-1 night-2 --out failures
  elvcheck minimize failure.toml -o small.toml
  elvcheck trace sda.blktrace.0 --scheduler mq-deadline --device seek:capacity_sectors=2097152
  elvcheck prove 'deadline.*' --smt2 /tmp/smt2
  elvcheck kernel --tree debian --scheduler bfq --patch fix.mbox
  elvcheck conform --tree debian --scheduler mq-deadline --cases 10000
  elvcheck mutants 'deadline.*'             is each planted bug noticed by a property?
  elvcheck validate-device --data ../disk   the simulated disks beside measured ones
  elvcheck list tunables

Exit codes: 0 held, 1 violated, 2 wrong usage or input, 3 inconclusive, 4 all skipped, 125 a kernel tree
that cannot be tested, 130 interrupted with nothing violated.)";

int complain(std::string text) {
  // One line, whatever the text: a path may hold line ends.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  Console(ColorMode::never).note("elvcheck: " + text);
  return usage_error;
}

/// The commands' names.
std::vector<std::string_view> command_names(const CLI::App& program) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : program.get_subcommands({})) names.emplace_back(command->get_name());
  return names;
}

/// The long options of a command.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// CLI11 knows that something was not expected; this says what, and what was meant.
std::string unexpected_argument(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  const CLI::App& app = chosen.empty() ? program : *chosen.front();
  auto extras = app.remaining();
  if (extras.empty()) extras = program.remaining();
  const std::string word = extras.empty() ? "" : extras.front();
  const std::string where = chosen.empty() ? "" : app.get_name() + ": ";
  if (word.size() > 1 && word.front() == '-') {
    const auto names = option_names(app);
    return fmt::format("{}unknown option '{}'{}", where, word,
                       suggest_name(word.substr(0, word.find('=')), {names.begin(), names.end()}));
  }
  if (!chosen.empty()) return fmt::format("{}unexpected argument '{}'; see elvcheck {} --help", where, word, app.get_name());
  return fmt::format("no command '{}'{}", word, suggest_name(word, command_names(program)));
}

int parse_and_execute(int argc, char** argv) {
  CLI::App program("Properties, models and proofs for Linux I/O schedulers: checks them off line, on simulated disks.",
                   "elvcheck");
  program.set_version_flag("--version", "elvcheck " + std::string(version()));
  program.set_help_flag("-h,--help", "Print this text");
  program.get_formatter()->column_width(30);
  program.footer(footer);
  program.require_subcommand(0, 1);  // behind a command, another one's name is an argument: elvcheck list mutants
  const std::vector<Command> commands = {
      make_run_command(program),     make_replay_command(program),          make_fuzz_command(program),
      make_merge_command(program),   make_minimize_command(program),        make_db_command(program),
      make_trace_command(program),   make_prove_command(program),           make_list_command(program),
      make_doctor_command(program),  make_kernel_command(program),          make_conform_command(program),
      make_record_command(program),  make_mutants_command(program),         make_explore_command(program),
      make_explain_command(program), make_validate_device_command(program), make_reproduce_command(program)};
  const auto where = [&] {
    const auto chosen = program.get_subcommands();
    return chosen.empty() ? std::string() : chosen.front()->get_name() + ": ";
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = program.get_subcommands();
    Console(ColorMode::never).print(chosen.empty() ? program.help() : chosen.front()->help("elvcheck"));
    return 0;
  } catch (const CLI::CallForVersion& call) {
    Console(ColorMode::never).print(std::string(call.what()) + "\n");
    return 0;
  } catch (const CLI::ExtrasError&) {
    return complain(unexpected_argument(program));
  } catch (const CLI::ParseError& error) {
    return complain(where() + error.what());
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.execute();
  }
  return complain(
      fmt::format("a command is missing: one of {}; see elvcheck --help", fmt::join(command_names(program), ", ")));
}

}  // namespace

int run_program(int argc, char** argv) {
  install_signal_handlers();
  try {
    return parse_and_execute(argc, argv);
  } catch (const OutputClosed&) {
    return closed_pipe;
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try fewer --jobs or a smaller device");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace elvcheck
