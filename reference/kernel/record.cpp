// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/record.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "model/core/random.hpp"

namespace elvcheck::kernel {

namespace {

constexpr std::uint64_t base_state = 0x5EED0000;  // of the generator, plus the stream's number
constexpr std::size_t most_issues = 600;          // of one stream

class Draws {
 public:
  explicit Draws(std::uint64_t state) : random_(state) {}
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::uint64_t next() { return random_.next(); }
  template <typename T, std::size_t n>
  T pick(const std::array<T, n>& values) {
    return values[below(n)];
  }

 private:
  SplitMix64 random_;
};

/// CFQ's tunables. The draws happen for every scheduler; the others do without the values.
std::vector<NamedValue> draw_cfq_tunables(Draws& draws, bool has_target_latency) {
  static const std::vector<std::pair<const char*, std::vector<std::int64_t>>> lists{{"slice_idle", {0, 1, 4, 8, 16, 30}},
                                                                                    {"slice_sync", {20, 50, 100, 200}},
                                                                                    {"slice_async", {10, 40, 100}},
                                                                                    {"slice_async_rq", {1, 2, 4}},
                                                                                    {"quantum", {1, 4, 8, 16}},
                                                                                    {"fifo_expire_sync", {30, 125, 500}},
                                                                                    {"fifo_expire_async", {60, 250, 1000}},
                                                                                    {"back_seek_max", {0, 256, 16384}},
                                                                                    {"back_seek_penalty", {1, 2, 4}},
                                                                                    {"low_latency", {0, 1}},
                                                                                    {"target_latency", {100, 300, 600}}};
  std::vector<NamedValue> tunables;
  if (draws.below(2) != 0) return tunables;
  for (const auto& [name, values] : lists) {
    const bool wanted = draws.below(2) != 0;
    const std::int64_t value = values[draws.below(values.size())];
    if (wanted && (has_target_latency || std::string_view(name) != "target_latency")) tunables.push_back({name, value});
  }
  return tunables;
}

StreamProcess draw_process(Draws& draws, ProcessId pid, const StreamProcess* before) {
  StreamProcess process;
  process.pid = pid;
  const auto io_class = draws.pick(std::array<unsigned, 10>{0, 0, 0, 0, 1, 2, 2, 2, 2, 3});
  process.ioprio = IoPrio{static_cast<IoClass>(io_class), static_cast<std::uint8_t>(draws.below(8))};
  process.kind = draws.pick(std::array{StreamProcess::Kind::sequential, StreamProcess::Kind::sequential,
                                       StreamProcess::Kind::random, StreamProcess::Kind::local});
  process.op = draws.pick(std::array<unsigned, 6>{0, 0, 0, 1, 2, 3});
  process.sectors = draws.pick(std::array<SectorCount, 6>{8, 8, 16, 64, 128, 256});
  process.depth = process.op == 3 ? draws.pick(std::array<unsigned, 4>{1, 4, 8, 16})
                                  : draws.pick(std::array<unsigned, 6>{1, 1, 1, 2, 4, 8});
  process.batch = process.depth > 1 && draws.below(3) == 0;
  process.meta = process.op == 0 && draws.below(10) == 0;
  process.think = draws.pick(std::array<Nanoseconds, 9>{0ns, 10us, 100us, 1ms, 3ms, 7ms, 9ms, 12ms, 30ms});
  process.random_think = draws.below(3) == 2;
  process.start = draws.pick(std::array<Nanoseconds, 5>{0ns, 0ns, 1ms, 50ms, 200ms});
  process.start += Nanoseconds(static_cast<std::int64_t>(draws.below(1'000'000)));
  process.base = 8 * draws.below(12'500'000);
  process.stride = draws.pick(std::array<unsigned, 4>{1, 1, 2, 3});
  const bool near = draws.below(3) == 0;
  if (near && before != nullptr) process.base = before->base + before->sectors;
  process.limit = draws.below(5) == 0 ? 5 + draws.below(56) : 0;
  process.seed = draws.next();
  return process;
}

}  // namespace

StreamRecording draw_stream(std::uint64_t id, std::uint64_t seed, const SchedulerInfo* model) {
  const bool single_queue = model != nullptr && !is_multi_queue(model->flavour);
  const bool cfq = model != nullptr && std::string_view(model->sysfs_name) == "cfq";
  Draws draws((base_state + id) ^ seed << 32);
  StreamRecording stream;
  stream.id = static_cast<std::int64_t>(id);
  stream.depth = draws.pick(std::array<unsigned, 4>{1, 1, 4, 31});
  stream.rotational = draws.below(8) != 0;
  stream.device_kind = static_cast<unsigned>(draws.below(3));
  stream.service = draws.pick(std::array<Nanoseconds, 4>{200us, 500us, 1ms, 3ms});
  stream.duration = 300ms + 100ms * static_cast<std::int64_t>(draws.below(13));
  std::vector<NamedValue> tunables = draw_cfq_tunables(draws, cfq && TunableValues(model->tunables).has("target_latency"));
  if (cfq) stream.tunables = std::move(tunables);
  const std::uint64_t count = 1 + draws.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const StreamProcess* before = stream.processes.empty() ? nullptr : &stream.processes.back();
    stream.processes.push_back(draw_process(draws, static_cast<ProcessId>(101 + i), before));
  }
  if (draws.below(10) == 0) {
    StreamRecording::PrioChange change{};
    change.process = draws.below(count);
    change.at = Nanoseconds(static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(stream.duration.count()))));
    change.ioprio.io_class = static_cast<IoClass>(draws.pick(std::array<unsigned, 4>{1, 2, 2, 3}));
    change.ioprio.level = static_cast<std::uint8_t>(draws.below(8));
    stream.prio_change = change;
  }
  if (!single_queue) stream.nr_requests = 64;
  stream.most_issues = most_issues;
  return stream;
}

std::vector<StreamIssue> run_stream_on_kernel(KernelSet& kernel, const StreamRecording& stream, TraceListener* watcher) {
  const SchedulerInfo* model = model_for(kernel.scheduler(), kernel.source().version);
  return run_stream(
      stream,
      [&](const BlockSettings& given, EventQueue& events, Trace& trace, Device& device, BlockLayerHost& host) {
        BlockSettings settings = given;
        if (model != nullptr) settings.max_sectors = stream_max_sectors(model->flavour, given);
        return std::make_unique<KernelLayer>(kernel.module(settings.hz), settings, stream.tunables, events, trace, device,
                                             host);
      },
      watcher);
}

std::string format_stream(const StreamRecording& stream, const std::string& scheduler) {
  using json = nlohmann::ordered_json;
  json line{{"id", stream.id},
            {"sched", scheduler},
            {"ver", stream.version},
            {"hz", stream.hz},
            {"depth", stream.depth},
            {"nr", stream.nr_requests},
            {"rot", stream.rotational ? 1 : 0},
            {"dev", stream.device_kind},
            {"svc", stream.service.count()},
            {"dur", stream.duration.count()},
            {"tun", json::object()},
            {"procs", json::array()}};
  for (const NamedValue& tunable : stream.tunables) line["tun"][tunable.name] = tunable.value;
  for (const StreamProcess& process : stream.processes) {
    line["procs"].push_back({{"pid", process.pid},
                             {"cls", static_cast<int>(process.ioprio.io_class)},
                             {"lvl", process.ioprio.level},
                             {"kind", static_cast<int>(process.kind)},
                             {"op", process.op},
                             {"n", process.sectors},
                             {"qd", process.depth},
                             {"batch", process.batch ? 1 : 0},
                             {"meta", process.meta ? 1 : 0},
                             {"think", process.think.count()},
                             {"tm", process.random_think ? 2 : 0},
                             {"start", process.start.count()},
                             {"base", process.base},
                             {"stride", process.stride},
                             {"lim", process.limit},
                             {"seed", fmt::format("{:016x}", process.seed)}});
  }
  if (const auto& change = stream.prio_change)
    line["chg"] = {change->process, change->at.count(), static_cast<int>(change->ioprio.io_class), change->ioprio.level};
  else
    line["chg"] = nullptr;
  line["cut"] = stream.issues.size() >= stream.most_issues ? 1 : 0;
  line["ev"] = json::array();
  for (const StreamIssue& issue : stream.issues)
    line["ev"].push_back(
        {issue.at.count(), issue.process, issue.sector, issue.sectors, issue.write ? 1 : 0, issue.sync ? 1 : 0});
  return line.dump() + "\n";
}

}  // namespace elvcheck::kernel
