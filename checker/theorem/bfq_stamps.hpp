// SPDX-License-Identifier: GPL-2.0-or-later
// BFQ's time stamps as whole numbers that do not wrap, with the kernel's rounding: for theorems about single stamps.
#pragma once

#include "checker/z3/domain.hpp"
#include "model/scheduler/bfq/wf2q_core.hpp"

namespace elvcheck {

using StampCore = bfq::Wf2qCore<bfq::FixedPointOver<Symbolic>>;

}  // namespace elvcheck
