// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck doctor`: what this machine can do, what each thing is good for, and which Debian package brings what is missing.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "checker/cli/data_files.hpp"
#include "checker/cli/options.hpp"
#include "checker/z3/prover.hpp"
#include "reference/kernel/build.hpp"
#include "reference/kernel/sanitizer.hpp"
#include "reference/kernel/tree.hpp"

namespace elvcheck {
namespace {

namespace fs = std::filesystem;

/// Full path of a program on $PATH, or empty.
std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (fs::path(folder.empty() ? "." : folder) / name).string();
    std::error_code error;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file;
  }
  return {};
}

/// The runtime of gcc's AddressSanitizer, or empty.
std::string find_sanitizer() {
  try {
    return kernel::sanitizer_library("gcc");
  } catch (const kernel::BuildError&) {
    return {};
  }
}

struct Check {
  std::string name;
  std::string found;  ///< empty: missing
  std::string purpose;
  std::string package;  ///< Debian's; empty: nothing to install
};

std::vector<Check> checks() {
  const auto program = [](const char* name, const char* purpose, const char* package) {
    return Check{name, find_program(name), purpose, package};
  };
  const std::size_t cases = shipped_files("cases").size();
  const std::size_t recordings = shipped_files("recordings").size();
  const auto counted = [](std::size_t count) { return count == 0 ? std::string() : fmt::format("{} files", count); };
  return {
      {"cores", std::to_string(resolve_jobs(0)), "run and prove work on all of them (--jobs)", ""},
      {"terminal", isatty(STDERR_FILENO) == 1 ? "standard error" : "", "progress is drawn when standard error is one", ""},
      {"z3", z3_version(), "prove: the solver, linked into the program", "libz3-dev"},
      {"cases", counted(cases), "run: the case files that must keep their verdict (ELVCHECK_DATA names another folder)", ""},
      {"recordings", counted(recordings), "run: recordings of a real kernel, compared with the models", ""},
      program("cvc5", "prove --cross-check: a second opinion on each theorem", "cvc5"),
      program("blktrace", "records a disk; trace reads what it writes", "blktrace"),
      program("blkparse", "shows such a recording as text, which trace reads too", "blktrace"),
      program("trace-cmd", "records ftrace block events; trace reads its report", "trace-cmd"),
      program("fio", "runs on a real disk the job files that run --job simulates", "fio"),
      program("gnuplot", "draws what reproduce --plots asks for", "gnuplot-nox"),
      program("gdb", "steps through a replay", "gdb"),
      program("gcc", "builds elvcheck; kernel and conform compile a tree with it", "build-essential"),
      program("clang", "the same with --compiler clang and with the preset clang", "clang"),
      {"libasan", find_sanitizer(), "kernel --sanitize: finds use after free in a patched scheduler", "gcc"},
      program("nm", "kernel: finds out what a tree needs from outside", "binutils"),
      program("bc", "kernel: computes a tree's time constants", "bc"),
      program("patch", "kernel --patch: applies it to a copy of the tree", "patch"),
      program("tar", "kernel: unpacks a source archive", "tar"),
      program("xz", "kernel: unpacks a .tar.xz", "xz-utils"),
      {"linux-source-6.1", kernel::debian_source("6.1").string(), "kernel --tree debian-6.1: the source of Debian's kernel",
       "linux-source-6.1"},
      {"linux-source-6.12", kernel::debian_source("6.12").string(),
       "kernel --tree debian-6.12, from bookworm-security or -backports", "linux-source-6.12"},
  };
}

int doctor(const OutputOptions& output) {
  Reporter reporter(output);
  Report report;
  report.command = "doctor";
  std::vector<std::vector<std::string>> rows;
  std::size_t missing = 0;
  for (const Check& check : checks()) {
    const bool ok = !check.found.empty();
    missing += !ok;
    const std::string cure = ok || check.package.empty() ? "" : " (apt-get install " + check.package + ")";
    if (!ok || !reporter.quiet()) {
      rows.push_back({ok ? "ok" : "missing", check.name, ok ? check.found : "-", check.purpose + cure});
    }
    Result result;
    result.kind = "check";
    result.name = check.name;
    result.outcome = ok ? Outcome::held : Outcome::skipped;
    result.detail = check.purpose;
    result.extra = {{"found", check.found}, {"package", check.package}};
    report.results.push_back(std::move(result));
  }
  reporter.print(format_table(rows));
  report.summary = {{"ok", report.results.size() - missing}, {"missing", missing}};
  return reporter.finish(report);
}

}  // namespace

Command make_doctor_command(CLI::App& program) {
  auto options = std::make_shared<OutputOptions>();
  CLI::App* app = program.add_subcommand("doctor", "What this machine can do, and what to install for the rest");
  add_output_options(*app, *options, false);
  return {app, [options] { return doctor(*options); }};
}

}  // namespace elvcheck
