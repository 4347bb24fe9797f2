// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/fifo_device.hpp"

#include "model/core/mutant.hpp"

namespace elvcheck {

void FifoDevice::issue(const DeviceCommand& command) {
  queue_.push_back(command);
  if (queue_.size() == 1) start();
}

void FifoDevice::start() { events().schedule(serve(queue_.front(), events().now()), Rank::host, *this); }

void FifoDevice::on_event(std::uint64_t) {
  const DeviceCommand command = queue_.front();
  settle(command, next_order_);  // in order of service nothing completes during a flush
  done(command.tag);             // may issue: the finished command still holds the server
  queue_.pop_front();
  if (!queue_.empty()) start();
}

void FifoDevice::settle(const DeviceCommand& command, std::uint64_t flush_order) {
  if (!info_.volatile_cache) return;
  const Sector end = command.sector + command.sectors;
  switch (command.op) {
    case Op::read:
      break;
    case Op::write:
      if (command.fua && !planted(Mutant::fifo_fua_in_cache)) {
        dirty_.remove(command.sector, end);
      } else {
        dirty_.add(command.sector, end, next_order_++);
      }
      break;
    case Op::flush:
      if (!planted(Mutant::fifo_flush_keeps_dirty)) dirty_.remove_older(flush_order);
      break;
    case Op::discard:
      dirty_.remove(command.sector, end);
      break;
  }
}

}  // namespace elvcheck
