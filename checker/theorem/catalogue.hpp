// SPDX-License-Identifier: GPL-2.0-or-later
// The statements of all theorems: each is defined in the file of its name.
#pragma once

#include "checker/theorem/theorem.hpp"

namespace elvcheck {

Theorem deadline_invariant();         ///< deadline_invariant.cpp
Theorem deadline_expired_rank();      ///< deadline_expired_rank.cpp
Theorem deadline_read_latency();      ///< deadline_read_latency.cpp
Theorem deadline_tight();             ///< deadline_tight.cpp
Theorem deadline_write_starvation();  ///< deadline_write_starvation.cpp
Theorem deadline_one_batch();         ///< deadline_one_batch.cpp

}  // namespace elvcheck
