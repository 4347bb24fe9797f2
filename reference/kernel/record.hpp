// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded streams (reference/stream) made with a kernel: drawn, run, and written in the format that stream.hpp reads.
#pragma once

#include <cstdint>
#include <string>

#include "reference/kernel/kernel_set.hpp"
#include "reference/stream/stream.hpp"

namespace elvcheck::kernel {

/// Draws stream `id` of the generator that the recordings of the kernels' own schedulers were made with: device, processes,
/// a change of priority, CFQ's tunables. `seed` 0 gives the scenarios of those recordings.
/// @param model  of the scheduler that the stream is for; null: any of blk-mq
StreamRecording draw_stream(std::uint64_t id, std::uint64_t seed = 0, const SchedulerInfo* model = nullptr);

/// Runs a stream's scenario on a kernel.
std::vector<StreamIssue> run_stream_on_kernel(KernelSet& kernel, const StreamRecording& stream, TraceListener* watcher = nullptr);

/// One line of a recording.
std::string format_stream(const StreamRecording& stream, const std::string& scheduler);

}  // namespace elvcheck::kernel
