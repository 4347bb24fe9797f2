// SPDX-License-Identifier: GPL-2.0-or-later
// Making a counterexample small: one incremental solver, a binary search for each number in turn.
#pragma once

#include <cstdint>

#include "checker/z3/domain.hpp"

namespace elvcheck {

/// The least value >= `least` that `n` can have in a model of `solver`, which must be satisfiable. The value is then
/// asserted, so a sequence of calls leads to the lexicographically smallest model, whatever models Z3 happens to find. Where
/// Z3 gives up, the smallest value found so far is taken. Throws std::logic_error if the solver is not satisfiable.
std::int64_t minimise(z3::solver& solver, const Symbolic::Num& n, std::int64_t least);

/// The same for a condition: false if it can be false.
bool minimise(z3::solver& solver, const Symbolic::Bool& condition);

}  // namespace elvcheck
