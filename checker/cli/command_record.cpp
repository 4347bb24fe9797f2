// SPDX-License-Identifier: GPL-2.0-or-later
// `elvcheck record`: what a kernel's own scheduler makes of random streams, written down so that others can hold a model to
// it.
#include <fmt/format.h>

#include "checker/cli/interrupt.hpp"
#include "checker/cli/kernel_options.hpp"
#include "properties/case_file.hpp"
#include "reference/kernel/contain.hpp"
#include "reference/kernel/record.hpp"

namespace elvcheck {
namespace {

struct RecordOptions {
  KernelOptions kernel;
  std::vector<std::string> tunables;
  std::string out;
  unsigned hz = 1000;
  std::uint64_t first = 0;
<<<<<<< HEAD
  std::size_t most_issues = 600;
  WorkOptions work{.cases = 300, .seed = 0};
=======
  WorkOptions work{.cases = 300, .seed = 0};
  std::size_t most_issues = 600;
>>>>>>> main
};

NamedValue parse_tunable(const std::string& text) {
  const auto equals = text.find('=');
  try {
    std::size_t used = 0;
    if (equals == std::string::npos || equals == 0) throw std::invalid_argument("no value");
    const NamedValue value{text.substr(0, equals), std::stoll(text.substr(equals + 1), &used)};
    if (equals + 1 + used == text.size()) return value;
  } catch (const std::exception&) {
  }
  throw InputError(fmt::format("--tunable {}: write NAME=NUMBER, for example low_latency=0", text));
}

int record(const RecordOptions& options) {
  if (options.kernel.tree.empty() || options.kernel.scheduler.empty())
    throw InputError("record: --tree and --scheduler are needed, for example --tree debian --scheduler bfq");
  if (options.kernel.scheduler == "none")
    throw InputError("record: --scheduler none has nothing to record; name mq-deadline, kyber or bfq");
  const kernel::BuildOptions build = build_options(options.kernel);
  const kernel::KernelTree tree = kernel::open_tree(options.kernel.tree, build.cache);
  Console console(ColorMode::never);
  kernel::KernelSet kernel = patched_kernel(options.kernel, options.kernel.scheduler, tree, build,
                                            [&](const std::string& text) { console.note(text); });
  kernel.build(options.hz);  // once, before there are several processes
  std::vector<NamedValue> tunables;
  for (const std::string& text : options.tunables) tunables.push_back(parse_tunable(text));
  const SchedulerInfo* model = kernel::model_for(options.kernel.scheduler, tree.version);
  OutputFile file(options.out.empty() ? "/dev/stdout" : options.out);
  std::string text;
  std::string accident;
  kernel::ContainLimits limits;
  limits.jobs = resolve_jobs(options.work.jobs);
  const auto stop = stop_after(options.work.seconds);
  try {
    kernel::run_contained(
        options.work.cases,
        [&](std::uint64_t piece) {
          StreamRecording stream = kernel::draw_stream(options.first + piece, options.work.seed, model);
          stream.version = kernel::release_of(tree.version);
          stream.hz = options.hz;
          stream.most_issues = options.most_issues;
          stream.tunables.insert(stream.tunables.end(), tunables.begin(), tunables.end());
          stream.issues = kernel::run_stream_on_kernel(kernel, stream);
          return kernel::format_stream(stream, options.kernel.scheduler);
        },
        [&](std::uint64_t, const std::string& line) { text += line; },
        [&](std::uint64_t piece, const kernel::Accident& what) {
          accident = fmt::format("stream {}: the kernel's code did not finish: {}", options.first + piece, what.text);
        },
        limits, [&] { return !accident.empty() || stop(); });
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("record: {}", error.what()));
  }
  if (!accident.empty()) {
    console.note("elvcheck: " + accident);
    return 1;
  }
  file.commit(text);
  return interrupted() ? 130 : 0;
}

}  // namespace

Command make_record_command(CLI::App& program) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* app = program.add_subcommand("record", "Write down what a kernel's own scheduler makes of random streams");
  add_kernel_options(*app, options->kernel);
  add_patch_option(*app, options->kernel);
  add_work_options(*app, options->work, "Streams");
  app->add_option("--first", options->first, "Number of the first stream")->type_name("N")->capture_default_str();
<<<<<<< HEAD
  app->add_option("--issues", options->most_issues, "Issues after which a stream is cut")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
=======
>>>>>>> main
  app->add_option("--hz", options->hz, "Ticks in a second")
      ->type_name("N")
      ->check(CLI::IsMember({100, 250, 300, 1000}))
      ->capture_default_str();
  app->add_option("--tunable", options->tunables, "Stored before each stream, in this order")->type_name("NAME=VALUE...");
  app->add_option("-o,--out", options->out, "File to write [standard output]")->type_name("FILE");
  app->footer(
      "The file is read by elvcheck conform --recording. Exit codes: 0 written, 1 the kernel's code crashed, 2 wrong usage "
      "or input, 125 the tree does not build.");
  return {app, [options] { return with_untestable([&] { return record(*options); }); }};
}

}  // namespace elvcheck
