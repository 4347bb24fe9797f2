// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/scheduler/make_block_layer.hpp"

#include <algorithm>

#include "model/block/multi_queue.hpp"
#include "model/block/single_queue.hpp"

namespace elvcheck {

unsigned resolve_nr_requests(const BlockSettings& settings, BlockFlavour flavour, bool has_scheduler, const DeviceInfo& device) {
  constexpr unsigned default_requests = 128;  // BLKDEV_MAX_RQ, BLKDEV_DEFAULT_RQ
  constexpr unsigned fewest = 4;              // BLKDEV_MIN_RQ
  if (!is_multi_queue(flavour))
    return settings.nr_requests == 0 ? default_requests : std::max(settings.nr_requests, fewest);
  if (!has_scheduler) return device.queue_depth;
  return settings.nr_requests == 0 ? 2 * std::min(device.queue_depth, default_requests) : settings.nr_requests;
}

std::unique_ptr<BlockLayer> make_block_layer(const SchedulerInfo& scheduler, const TunableValues& tunables,
                                             const BlockSettings& settings, EventQueue& events, Trace& trace, Device& device,
                                             BlockLayerHost& host) {
  if (is_multi_queue(scheduler.flavour)) {
    const bool old = scheduler.flavour == BlockFlavour::multi_queue_6_1;
    const auto generation = old ? MultiQueueLayer::Generation::v6_1 : MultiQueueLayer::Generation::v6_12;
    auto layer = std::make_unique<MultiQueueLayer>(generation, settings, events, trace, device, host);
    if (scheduler.make_multi_queue != nullptr) layer->set_elevator(scheduler.make_multi_queue(*layer, tunables));
    device.attach(events, *layer);
    return layer;
  }
  const auto plugging = scheduler.flavour == BlockFlavour::single_queue_2_6_35 ? SingleQueueLayer::Plugging::queue_2_6_35
                        : scheduler.flavour == BlockFlavour::single_queue_4_4  ? SingleQueueLayer::Plugging::task_4_4
                                                                               : SingleQueueLayer::Plugging::task_4_19;
  auto layer = std::make_unique<SingleQueueLayer>(plugging, settings, events, trace, device, host);
  layer->set_elevator(scheduler.make_single_queue(*layer, tunables));
  device.attach(events, *layer);
  return layer;
}

}  // namespace elvcheck
