// SPDX-License-Identifier: GPL-2.0-or-later
// The passes of the minimiser, one group to a file. Each walks over the best scenario and attempts simplifications; a pass
// that has nothing accepted has attempted every single simplification of its kinds.
#pragma once

#include "properties/minimize/search.hpp"

namespace elvcheck::minimize {

// processes.cpp
/// Removes processes, halves first, then smaller groups, then each one.
void remove_processes(MinimizeSearch& search);
/// Removes steps likewise; repeat goes with its end, plug with its unplug.
void remove_ops(MinimizeSearch& search);
/// In small cases: removes any two steps.
void remove_pairs(MinimizeSearch& search);
/// Joins two steps that follow each other into one with a larger count.
void join_ops(MinimizeSearch& search);

// operations.cpp
/// Lowers counts of operations and repeats: all to half, each to 1, each by bisection.
void lower_counts(MinimizeSearch& search);
/// Removes each attribute of an operation: flags, nowait, depth, think, stride, randomness; makes it a read.
void plain_operations(MinimizeSearch& search);
/// Writes the places of a few random operations out.
void write_out_draws(MinimizeSearch& search);
/// Lowers think, at and pause times: to 0, to 1 ms, to one digit, to half.
void lower_times(MinimizeSearch& search);
/// Priorities: none, then level 0, then be.
void plain_priorities(MinimizeSearch& search);

// places.cpp
/// Together: all numbers of sectors divided by a common divisor, lengths to 8 sectors or half, all gaps between used places
/// closed or made equal.
void near_places(MinimizeSearch& search);
/// One by one: each gap closed or halved, each start to 0 or half.
void lower_places(MinimizeSearch& search);

// settings.cpp
/// Tunables, block settings and limit to their defaults, or to one digit.
void default_settings(MinimizeSearch& search);
/// The device: `flat`, then with one parameter; parameters removed or to one digit.
void flat_device(MinimizeSearch& search);

// workload.cpp
/// No workload; each of its parameters to its least value, by bisection, or left out.
void small_workload(MinimizeSearch& search);

/// The largest number with one significant digit that is at most `value` >= 0: 1999 gives 1000.
std::int64_t one_digit(std::int64_t value);

}  // namespace elvcheck::minimize
