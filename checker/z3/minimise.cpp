// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/minimise.hpp"

#include <stdexcept>

namespace elvcheck {

namespace {

std::int64_t value_in(const z3::model& model, const Symbolic::Num& n) {
  return model.eval(n.term(), true).get_numeral_int64();
}

}  // namespace

std::int64_t minimise(z3::solver& solver, const Symbolic::Num& n, std::int64_t least) {
  if (n.constant()) return *n.constant();
  if (solver.check() != z3::sat) throw std::logic_error("there is no counterexample to make small");
  std::int64_t possible = value_in(solver.get_model(), n);
  std::int64_t impossible = least - 1;
  while (possible - impossible > 1) {
    const std::int64_t middle = impossible + (possible - impossible) / 2;
    solver.push();
    solver.add((n <= Symbolic::Num(middle)).term());
    if (solver.check() == z3::sat) {
      possible = value_in(solver.get_model(), n);
    } else {
      impossible = middle;
    }
    solver.pop();
  }
  solver.add((n == Symbolic::Num(possible)).term());
  return possible;
}

bool minimise(z3::solver& solver, const Symbolic::Bool& condition) {
  return minimise(solver, Symbolic::select(condition, Symbolic::Num(1), Symbolic::Num(0)), 0) == 1;
}

}  // namespace elvcheck
