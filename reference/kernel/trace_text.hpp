// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel's own code did, for a person: its events with the lines of the scheduler's log (bfq_log) between them.
#pragma once

#include <string>

#include "reference/kernel/contain.hpp"
#include "reference/kernel/kernel_set.hpp"

namespace elvcheck::kernel {

/// A line of the scheduler's own log, ready to print: time, text, without addresses, which change from run to run.
std::string log_line(Nanoseconds at, const std::string& text);

/// Runs the scenario in a child process. If the kernel's code does not come to its end, the text goes as far as it came, and
/// a last line says what happened. Throws std::invalid_argument for a scenario that cannot be built.
std::string trace_text(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits = {});

}  // namespace elvcheck::kernel
