// SPDX-License-Identifier: GPL-2.0-or-later
// Commands a second of processor time that each device preset simulates, in a closed loop of random 4 KiB reads (and, for
// the devices with a write path of their own, writes) directly on the device, at depth 1 and 32.
#include <benchmark/benchmark.h>

#include <string>

#include "model/core/random.hpp"
#include "model/device/preset.hpp"

namespace {

using namespace elvcheck;

class Loop : public DeviceListener {
 public:
  Loop(const DeviceSpec& spec, Op op) : device_(make_device(spec)), op_(op), places_(device_->info().capacity / 8) {
    device_->attach(events_, *this);
    for (std::uint32_t tag = 0; tag < device_->info().queue_depth; ++tag) issue(tag);
  }
  void run(std::uint64_t commands) {
    for (const std::uint64_t end = done_ + commands; done_ < end;) events_.step();
  }
  void command_done(std::uint32_t tag) override {
    ++done_;
    issue(tag);
  }

 private:
  void issue(std::uint32_t tag) {
    device_->issue({.tag = tag, .op = op_, .sector = random_.below(places_) * 8, .sectors = 8});
  }

  std::unique_ptr<Device> device_;
  Op op_;
  Sector places_;
  EventQueue events_;
  SplitMix64 random_{1};
  std::uint64_t done_ = 0;
};

void closed_loop(benchmark::State& state, const DeviceSpec& spec, Op op) {
  constexpr std::uint64_t batch = 1000;
  Loop loop(spec, op);
  for (auto _ : state) loop.run(batch);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}

const int registered = [] {
  for (const DevicePreset& preset : device_presets()) {
    for (const Op op : {Op::read, Op::write}) {
      for (const int depth : {1, 32}) {
        const DeviceSpec spec{preset.name, {{"queue_depth", depth}}};
        const std::string name = std::string(preset.name) + (op == Op::read ? "/read/" : "/write/") + std::to_string(depth);
        benchmark::RegisterBenchmark(name.c_str(), closed_loop, spec, op);
      }
    }
  }
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
