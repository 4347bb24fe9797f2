// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/build.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <sstream>

#include "properties/case_file.hpp"
#include "reference/kernel/compile.hpp"
#include "reference/kernel/content_hash.hpp"

namespace elvcheck::kernel {

namespace fs = std::filesystem;

namespace {

/// The block core and the library code under it. A version that has not got a file has its functions elsewhere.
constexpr std::array core_files{
    "block/elevator.c",   "block/blk-ioc.c",     "block/blk-mq-sched.c",  "block/blk-merge.c",    "block/blk-mq.c",
    "block/blk-mq-tag.c", "block/blk-core.c",    "block/bio.c",           "block/blk-settings.c", "block/blk-stat.c",
    "block/blk-flush.c",  "block/blk-timeout.c", "block/blk-mq-cpumap.c", "block/blk-sysfs.c",    "block/blk-mq-sysfs.c",
    "block/ioprio.c",     "block/blk-rq-qos.c",  "lib/sbitmap.c",         "block/blk-barrier.c",  "fs/bio.c",
    "fs/ioprio.c",        "lib/rbtree.c",        "lib/percpu-refcount.c", "lib/list_sort.c",      "lib/xarray.c",
    "lib/radix-tree.c",   "lib/find_bit.c",      "lib/bitmap.c",          "lib/hweight.c",        "lib/group_cpus.c",
    "lib/llist.c",        "lib/kref.c",          "kernel/time/time.c"};

/// Counted up with every change of how things are compiled: flags, generated headers, the list above.
constexpr std::uint64_t recipe = 2;

struct SchedulerSources {
  const char* name;
  Flavour flavour;
  std::vector<const char*> sources;  ///< the first one holds the module's init function
  std::vector<const char*> headers;
};

const std::vector<SchedulerSources>& scheduler_table() {
  static const std::vector<SchedulerSources> table{
      {"none", Flavour::multi_queue, {}, {}},
      {"mq-deadline", Flavour::multi_queue, {"mq-deadline"}, {}},
      {"kyber", Flavour::multi_queue, {"kyber-iosched"}, {}},
      {"bfq", Flavour::multi_queue, {"bfq-iosched", "bfq-wf2q", "bfq-cgroup"}, {"bfq-iosched.h"}},
      {"noop", Flavour::single_queue, {"noop-iosched"}, {}},
      {"deadline", Flavour::single_queue, {"deadline-iosched"}, {}},
      {"cfq", Flavour::single_queue, {"cfq-iosched"}, {}},
  };
  return table;
}

const SchedulerSources& find_sources(const std::string& scheduler) {
  std::string known;
  for (const SchedulerSources& entry : scheduler_table()) {
    if (scheduler == entry.name) return entry;
    known += std::string(known.empty() ? "" : ", ") + entry.name;
  }
  throw InputError("no scheduler '" + scheduler + "' can be built from a tree; there are " + known);
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The names that a shared object needs from outside and that neither the C library nor a sanitizer has.
std::vector<std::string> missing_functions(const fs::path& object) {
  const CommandResult result = run_command(Command{{"nm", "-D", "--undefined-only", object.string()}, "", {}});
  if (!result.ok()) throw BuildError("nm cannot read " + object.string() + "; install binutils");
  std::set<std::string> names;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    if (!(words >> kind >> name) || kind == "w" || kind == "v") continue;
    name = name.substr(0, name.find('@'));
    if (name.starts_with("__asan") || name.starts_with("__ubsan") || name.starts_with("__sanitizer")) continue;
    if (::dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) names.insert(name);
  }
  return {names.begin(), names.end()};
}

/// Builds in a folder of its own and moves it to its place when it is whole.
template <typename Fill>
void build_folder(const fs::path& target, Fill fill) {
  const fs::path scratch = target.string() + ".tmp" + std::to_string(::getpid());
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  try {
    fill(scratch);
  } catch (...) {
    fs::remove_all(scratch);
    throw;
  }
  std::error_code ignored;
  fs::rename(scratch, target, ignored);
  fs::remove_all(scratch);
}

std::string compiler_version(const std::string& compiler) {
  const CommandResult result = run_command(Command{{compiler, "--version"}, "", {}});
  if (!result.ok()) throw BuildError("the C compiler '" + compiler + "' cannot be run; install gcc or clang");
  return result.output.substr(0, result.output.find('\n'));
}

std::uint64_t core_key(const KernelTree& core, Flavour flavour, const BuildOptions& options) {
  ContentHash key;
  key.add(recipe);
  key.add(static_cast<std::uint64_t>(flavour));
  key.add(core.content);
  key.add(options.hz);
  key.add(options.sanitize ? 1 : 0);
  key.add(options.compiler);
  key.add(compiler_version(options.compiler));
  const fs::path sources = harness_sources();
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(sources)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".c" || extension == ".h" || extension == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) key.add_file(file);
  for (const char* file : core_files) key.add(file);
  return key.value();
}

/// The C files of glue/. A file of the single-queue flavour stands in for the one of the same name.
std::vector<fs::path> glue_files(Flavour flavour) {
  const fs::path common = harness_sources() / "glue";
  if (flavour == Flavour::multi_queue) return files_in(common, ".c");
  std::vector<fs::path> files = files_in(common / "single", ".c");
  for (const fs::path& file : files_in(common, ".c")) {
    if (!fs::exists(common / "single" / file.filename())) files.push_back(file);
  }
  return files;
}

void build_core(const KernelTree& core, Flavour flavour, const BuildOptions& options, const fs::path& folder) {
  const TreeCompiler compiler(core, flavour, options, folder);
  compiler.generate_headers();
  const fs::path sources = harness_sources();
  std::vector<Command> commands;
  for (const char* file : core_files) {
    if (!fs::exists(core.root / file)) continue;
    std::string name = file;
    std::replace(name.begin(), name.end(), '/', '-');
    std::vector<std::string> extra;
    if (std::string_view(file) == "block/blk-ioc.c") extra = {"-DMODULE", "-Dinit_module=elvk_init_blk_ioc"};
    if (flavour == Flavour::single_queue && name.ends_with("bio.c"))
      extra = {"-DMODULE", "-Dinit_module=elvk_init_bio", "-include", "linux/module.h"};
    commands.push_back(compiler.tree_object(core.root / file, folder / fs::path(name).replace_extension(".o"), extra));
  }
  for (const fs::path& file : glue_files(flavour))
    commands.push_back(compiler.tree_object(file, folder / ("glue-" + file.stem().string() + ".o")));
  for (const fs::path& file : files_in(sources / "runtime", ".c"))
    commands.push_back(compiler.runtime_object(file, folder / ("runtime-" + file.stem().string() + ".o")));
  compiler.run(commands, options.jobs);
}

std::vector<std::string> build_object(const KernelTree& core, const SchedulerSources& scheduler, const KernelTree& source,
                                      const BuildOptions& options, const fs::path& core_folder, const fs::path& folder) {
  const TreeCompiler compiler(core, scheduler.flavour, options, core_folder);
  std::vector<Command> commands;
  std::vector<fs::path> objects;
  for (const char* name : scheduler.sources) {
    const fs::path file = source.root / "block" / (std::string(name) + ".c");
    if (!fs::exists(file))
      throw BuildError("block/" + std::string(name) + ".c: the tree has no such file, so no " + scheduler.name);
    std::vector<std::string> extra;
    if (name == scheduler.sources.front())
      extra = {"-DMODULE", "-Dinit_module=elvk_init_scheduler", "-Dcleanup_module=elvk_exit_scheduler"};
    objects.push_back(folder / (std::string(name) + ".o"));
    commands.push_back(compiler.tree_object(file, objects.back(), extra));
  }
  for (const CommandResult& result : run_commands(commands, options.jobs)) {
    if (!result.ok()) throw BuildError(first_error(result.errors, source.root));
  }
  for (const fs::path& object : files_in(core_folder, ".o")) {
    if (object.filename() != "glue-none.o" || scheduler.sources.empty()) objects.push_back(object);
  }

  // The first link shows what nobody provides; those become traps in the second.
  const fs::path output = folder / "kernel.so";
  compiler.run({compiler.link(objects, output)}, 1);
  const std::vector<std::string> missing = missing_functions(output);
  std::string traps = "void elvk_trap(const char *);\n";
  for (const std::string& name : missing) traps += "void " + name + "(void) { elvk_trap(\"" + name + "\"); }\n";
  write_file(folder / "traps.c", traps);
  compiler.run({compiler.runtime_object(folder / "traps.c", folder / "traps.o")}, 1);
  objects.push_back(folder / "traps.o");
  compiler.run({compiler.link(objects, output)}, 1);
  std::string list;
  for (const std::string& name : missing) list += name + "\n";
  write_file(folder / "traps.txt", list);
  return missing;
}

}  // namespace

std::span<const char* const> buildable_schedulers() {
  static const std::array<const char*, 7> names{"none", "mq-deadline", "kyber", "bfq", "noop", "deadline", "cfq"};
  return names;
}

std::vector<std::string> scheduler_files(const std::string& scheduler) {
  std::vector<std::string> files;
  for (const SchedulerSources& entry : scheduler_table()) {
    if (scheduler != entry.name) continue;
    for (const char* source : entry.sources) files.push_back("block/" + std::string(source) + ".c");
    for (const char* header : entry.headers) files.push_back("block/" + std::string(header));
  }
  return files;
}

fs::path harness_sources() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/elvcheck/kernel";
  if (fs::exists(installed / "glue/abi.h")) return installed;
  for (fs::path above = program.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    if (fs::exists(above / "reference/kernel/glue/abi.h")) return above / "reference/kernel";
  }
  throw InputError(
      "the C sources of the kernel harness are not beside the program (share/elvcheck/kernel); install elvcheck whole");
}

KernelBuild build_scheduler(const KernelTree& core, const std::string& scheduler, const KernelTree& source,
                            const BuildOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const SchedulerSources& sources = find_sources(scheduler);
  ContentHash key;
  key.add(core_key(core, sources.flavour, options));
  const fs::path core_folder = options.cache / "core" / key.text();
  key.add(scheduler);
  for (const std::string& file : scheduler_files(scheduler)) key.add_file(source.root / file);
  const fs::path folder = options.cache / "kernel" / key.text();

  KernelBuild build;
  build.object = folder / "kernel.so";
  build.cached = fs::exists(build.object);
  if (!build.cached) {
    if (!fs::exists(core_folder))
      build_folder(core_folder, [&](const fs::path& scratch) { build_core(core, sources.flavour, options, scratch); });
    build_folder(folder,
                 [&](const fs::path& scratch) { build_object(core, sources, source, options, core_folder, scratch); });
  }
  std::istringstream traps(read_file(folder / "traps.txt"));
  for (std::string name; std::getline(traps, name);) build.traps.push_back(name);
  build.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return build;
}

}  // namespace elvcheck::kernel
