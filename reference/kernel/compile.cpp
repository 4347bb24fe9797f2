// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/compile.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "properties/case_file.hpp"

namespace elvcheck::kernel {

namespace fs = std::filesystem;

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The definitions that kernel/bounds.c leaves in its assembly as strings "->NAME $VALUE comment".
std::string bounds_from_assembly(const std::string& assembly) {
  std::string header;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    const auto arrow = line.find("->");
    if (arrow == std::string::npos) continue;
    std::istringstream words(line.substr(arrow + 2));
    std::string name;
    std::string value;
    if (!(words >> name >> value)) continue;
    value.erase(0, value.find_first_not_of("$#"));
    while (!value.empty() && (value.back() == '"' || value.back() == '\\')) value.pop_back();
    header += "#define " + name + " " + value + "\n";
  }
  return header;
}

}  // namespace

std::string first_error(const std::string& messages, const fs::path& root) {
  std::istringstream lines(messages);
  std::string fallback;
  for (std::string line; std::getline(lines, line);) {
    if (fallback.empty()) fallback = line;
    if (line.find("error: ") == std::string::npos && line.find("undefined reference") == std::string::npos) continue;
    const std::string prefix = root.string() + "/";
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
    return line;
  }
  return fallback;
}

void write_file(const fs::path& path, const std::string& text) {
  const fs::path scratch = path.string() + ".tmp";
  {
    std::ofstream file(scratch, std::ios::binary);
    file << text;
    if (!file.flush()) throw InputError(path.string() + ": cannot be written; is the disk full?");
  }
  fs::rename(scratch, path);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TreeCompiler::TreeCompiler(const KernelTree& tree, Flavour flavour, const BuildOptions& options, fs::path folder)
    : tree_(tree), flavour_(flavour), options_(options), folder_(std::move(folder)), sources_(harness_sources()) {
  // Only the compiler's own headers (stdarg.h) are let in beside the kernel's.
  const CommandResult gcc_way = run_command(Command{{options.compiler, "-print-file-name=include"}, "", {}});
  if (!gcc_way.ok())
    throw BuildError("the C compiler '" + options.compiler + "' cannot be run (" + trimmed(gcc_way.errors) +
                     "); install gcc or clang");
  compiler_headers_ = trimmed(gcc_way.output);
  if (!fs::exists(fs::path(compiler_headers_) / "stdarg.h")) {
    const CommandResult clang_way = run_command(Command{{options.compiler, "-print-resource-dir"}, "", {}});
    compiler_headers_ = trimmed(clang_way.output) + "/include";
  }
}

std::vector<std::string> TreeCompiler::tree_flags() const {
  const std::string root = tree_.root.string();
  std::vector<std::string> flags{"-std=gnu11", "-nostdinc", "-isystem", compiler_headers_};
  if (flavour_ == Flavour::single_queue) flags.push_back("-I" + (sources_ / "shim/single").string());
  for (const fs::path& include :
       {folder_ / "gen", sources_ / "shim", folder_ / "generic", folder_ / "generic-uapi", tree_.root / "include",
        tree_.root / "include/uapi", tree_.root / "block", sources_ / "glue"}) {
    flags.push_back("-I" + include.string());
  }
  if (!fs::exists(tree_.root / "include/linux/kconfig.h"))
    flags.insert(flags.end(), {"-include", (folder_ / "gen/generated/autoconf.h").string()});
  for (const char* header : {"compiler-version.h", "kconfig.h", "compiler_types.h"}) {
    const fs::path path = tree_.root / "include/linux" / header;
    if (fs::exists(path)) flags.insert(flags.end(), {"-include", path.string()});
  }
  flags.insert(flags.end(),
               {"-D__KERNEL__", "-O2", "-g1", "-fPIC", "-fno-strict-aliasing", "-fwrapv", "-fno-common",
                "-ffunction-sections", "-fdata-sections", "-fno-delete-null-pointer-checks",
                "-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Werror=int-conversion",
                // Messages name files as the tree does, wherever it lies.
                "-ffile-prefix-map=" + root + "/="});
  if (options_.sanitize) flags.insert(flags.end(), {"-fsanitize=address", "-fno-omit-frame-pointer"});
  return flags;
}

Command TreeCompiler::tree_object(const fs::path& source, const fs::path& object,
                                  const std::vector<std::string>& extra) const {
  const std::string name = object.stem().string();
  Command command;
  command.arguments = {options_.compiler};
  // A patched copy's own headers come before the core's.
  const bool of_scheduler = source.parent_path().filename() == "block";
  if (of_scheduler) command.arguments.push_back("-I" + source.parent_path().string());
  const std::vector<std::string> flags = tree_flags();
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  if (of_scheduler) command.arguments.push_back("-ffile-prefix-map=" + source.parent_path().parent_path().string() + "/=");
  command.arguments.insert(command.arguments.end(),
                           {"-include", (folder_ / "probes.h").string(), "-DKBUILD_MODNAME=\"" + name + "\"",
                            "-DKBUILD_BASENAME=\"" + name + "\"", "-DKBUILD_MODFILE=\"" + name + "\""});
  command.arguments.insert(command.arguments.end(), extra.begin(), extra.end());
  command.arguments.insert(command.arguments.end(), {"-c", source.string(), "-o", object.string()});
  return command;
}

Command TreeCompiler::runtime_object(const fs::path& source, const fs::path& object) const {
  Command command{{options_.compiler, "-std=gnu11", "-O2", "-g", "-fPIC", "-fno-builtin", "-w", "-ffunction-sections",
                   "-fdata-sections", "-I" + (sources_ / "glue").string()},
                  "",
                  {}};
  if (options_.sanitize)
    command.arguments.insert(command.arguments.end(), {"-fsanitize=address", "-fno-omit-frame-pointer"});
  command.arguments.insert(command.arguments.end(), {"-c", source.string(), "-o", object.string()});
  return command;
}

Command TreeCompiler::link(const std::vector<fs::path>& objects, const fs::path& output) const {
  const fs::path exports = output.string() + ".map";
  write_file(exports, "{ global: elvk_*; local: *; };\n");
  Command command{{options_.compiler, "-shared"}, "", {}};
  if (options_.sanitize) command.arguments.insert(command.arguments.end(), {"-fsanitize=address"});
  command.arguments.insert(command.arguments.end(),
                           {"-Wl,--gc-sections,-Bsymbolic,--version-script=" + exports.string() + ",--wrap=elv_register"});
  if (flavour_ == Flavour::single_queue)
    command.arguments.push_back("-Wl,--wrap=elv_merge_requests,--wrap=elv_merged_request,--wrap=elv_set_request");
  for (const fs::path& object : objects) command.arguments.push_back(object.string());
  command.arguments.insert(command.arguments.end(), {"-o", output.string()});
  return command;
}

void TreeCompiler::run(const std::vector<Command>& commands, unsigned jobs) const {
  for (const CommandResult& result : run_commands(commands, jobs)) {
    if (result.ok()) continue;
    std::string error = first_error(result.errors, tree_.root);
    if (error.starts_with(sources_.string() + "/"))
      error =
          "the tree's interfaces are not those that elvcheck's harness knows: " + error.substr(sources_.string().size() + 1);
    throw BuildError(error.empty() ? options_.compiler + " was stopped (status " + std::to_string(result.status) + ")"
                                   : error);
  }
}

Command TreeCompiler::probe(const std::string& fragment, const fs::path& file) const {
  write_file(file,
             "#include <linux/blkdev.h>\n#include <linux/timer.h>\n#include <linux/wait.h>\n#include <linux/bio.h>\n"
             "#include <linux/sched.h>\n#include <linux/blktrace_api.h>\n#include \"blk.h\"\n" +
                 std::string(flavour_ == Flavour::multi_queue
                                 ? "#include <linux/blk-mq.h>\n#include \"blk-mq.h\"\n#include \"blk-mq-sched.h\"\n"
                                 : "#include <linux/elevator.h>\n#include <linux/backing-dev.h>\n") +
                 fragment + "\n");
  Command command;
  command.arguments = {options_.compiler};
  const std::vector<std::string> flags = tree_flags();
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  command.arguments.insert(command.arguments.end(), {"-DKBUILD_MODNAME=\"probe\"", "-fsyntax-only", file.string()});
  return command;
}

void TreeCompiler::generate_headers() const {
  const fs::path generated = folder_ / "gen/generated";
  fs::create_directories(generated);
  fs::create_directories(folder_ / "generic");
  fs::create_directories(folder_ / "generic-uapi");
  fs::create_directory_symlink(tree_.root / "include/asm-generic", folder_ / "generic/asm");
  if (fs::exists(tree_.root / "include/uapi/asm-generic"))
    fs::create_directory_symlink(tree_.root / "include/uapi/asm-generic", folder_ / "generic-uapi/asm");

  const std::string hz = std::to_string(options_.hz);
  const bool clang = options_.compiler.find("clang") != std::string::npos;
  std::string config = read_file(sources_ / "shim/config.h");
  if (flavour_ == Flavour::single_queue) config += read_file(sources_ / "shim/single/config.h");
  config += "#define CONFIG_HZ " + hz + "\n#define CONFIG_HZ_" + hz + " 1\n";
  config += clang ? "#define CONFIG_CC_IS_CLANG 1\n#define CONFIG_CLANG_VERSION 140000\n"
                  : "#define CONFIG_CC_IS_GCC 1\n#define CONFIG_GCC_VERSION 120200\n";
  write_file(generated / "autoconf.h", config);
  write_file(generated / "utsrelease.h", "");
  write_file(generated / "bounds.h", "");
  write_file(folder_ / "probes.h", "");
  // Trees before 4.2 want a header for each major version of gcc, and know them up to 4 or 5.
  if (fs::exists(tree_.root / "include/linux/compiler-gcc4.h")) {
    constexpr int newest = 30;
    fs::create_directories(folder_ / "gen/linux");
    for (int major = 5; major <= newest; ++major) {
      const std::string name = "compiler-gcc" + std::to_string(major) + ".h";
      if (!fs::exists(tree_.root / "include/linux" / name))
        write_file(folder_ / "gen/linux" / name, "#include <linux/compiler-gcc4.h>\n");
    }
  }

  // The constants of the time conversions come from the tree's own program for bc(1). Trees before 3.9 have none; there
  // glue/single/convert.c converts.
  if (const fs::path program = tree_.root / "kernel/time/timeconst.bc"; fs::exists(program)) {
    const CommandResult constants = run_command(Command{{"bc", "-q", program.string()}, hz + "\n", {}});
    if (!constants.ok() || constants.output.empty())
      throw BuildError("kernel/time/timeconst.bc: bc(1) cannot run it (" + trimmed(constants.errors) + "); install bc");
    write_file(generated / "timeconst.h", constants.output);
  }

  const fs::path assembly = folder_ / "bounds.s";
  Command bounds = tree_object(tree_.root / "kernel/bounds.c", assembly);
  *(bounds.arguments.end() - 4) = "-S";  // in place of -c
  bounds.arguments.emplace_back("-w");
  std::erase(bounds.arguments, "-g1");
  run({bounds}, 1);
  write_file(generated / "bounds.h", bounds_from_assembly(read_file(assembly)));

  const fs::path probes = folder_ / "probe";
  fs::create_directories(probes);
  run({probe("int base;", probes / "base.c")}, 1);
  std::vector<std::string> names;
  std::vector<Command> commands;
  std::string questions = read_file(sources_ / "glue/probes.txt");
  if (flavour_ == Flavour::single_queue) questions += read_file(sources_ / "glue/single/probes.txt");
  std::istringstream table(questions);
  for (std::string line; std::getline(table, line);) {
    const auto bar = line.find('|');
    if (line.starts_with("#") || bar == std::string::npos) continue;
    names.push_back(trimmed(line.substr(0, bar)));
    commands.push_back(probe(line.substr(bar + 1), probes / (names.back() + ".c")));
  }
  const std::vector<CommandResult> results = run_commands(commands, options_.jobs);
  std::string defines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (results[i].ok()) defines += "#define " + names[i] + " 1\n";
  }
  write_file(folder_ / "probes.h", defines);
}

}  // namespace elvcheck::kernel
