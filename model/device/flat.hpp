// SPDX-License-Identifier: GPL-2.0-or-later
// The ideal device: every command takes the same time.
//
// It mirrors nothing that exists. It is there so that what a scheduler does can be worked out on paper: with one server the
// n-th command of a busy period completes n x service_ns after its start, whatever its place, length or direction. With
// `parallel` every command completes service_ns after its issue, as on a device that is never busy. Left out: everything
// else.
#pragma once

#include <vector>

#include "model/device/field.hpp"
#include "model/device/fifo_device.hpp"

namespace elvcheck {

struct FlatConfig {
  std::int64_t service_ns = 1'000'000;
  std::int64_t parallel = 0;
  std::int64_t queue_depth = 1;
  std::int64_t capacity_sectors = 2'097'152;
  std::int64_t rotational = 1;
  std::int64_t volatile_cache = 0;
  std::int64_t flush_ns = 1'000'000;
  std::int64_t fua = 0;
  static const std::vector<Field<FlatConfig>>& fields();
};

class FlatDevice final : public FifoDevice {
 public:
  FlatDevice(std::string name, const FlatConfig& config);
  void issue(const DeviceCommand& command) override;
  Nanoseconds least_time(const DeviceCommand& command) const override;

 private:
  struct Flight {
    DeviceCommand command;
    std::uint64_t order;  // next_order() at issue: what a flush has to cover
    bool used;
  };
  Nanoseconds serve(const DeviceCommand& command, Nanoseconds now) override;
  void on_event(std::uint64_t what) override;

  FlatConfig config_;
  std::vector<Flight> flights_;  // parallel only; the index is the event's number
};

}  // namespace elvcheck
