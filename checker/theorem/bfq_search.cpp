// SPDX-License-Identifier: GPL-2.0-or-later
// bfq.shipped-search, bfq.repaired-search: does the search of the active tree find the eligible entity of least finish?
//
// The theorems of B-WF2Q+ need it. The tree is ordered by finish, and every node knows the least start below it; the
// decision at a node is Wf2qCore::shipped_step or repaired_step, as the simulation runs them, over a tree of a fixed shape
// whose stamps are free. Shapes: complete trees of three levels (7 nodes), where any node below the root may be missing. The
// shipped search keeps an eligible ancestor and stops once it cannot go left, though an eligible node of lesser finish may
// hang to the right of an ineligible one. Its counterexample is built with the tree of the simulation: four insertions, then
// both searches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "checker/theorem/bfq_stamps.hpp"
#include "checker/theorem/catalogue.hpp"
#include "checker/z3/minimise.hpp"
#include "model/scheduler/bfq/service_tree.hpp"

namespace elvcheck {

namespace {

using Num = Symbolic::Num;
using Bool = Symbolic::Bool;

using Stamps = StampCore;

struct Shipped : Stamps {
  static constexpr auto step = shipped_step;
};
struct Repaired : Stamps {
  static constexpr auto step = repaired_step;
};
/// Goes left without looking at who is eligible there.
struct AlwaysLeft : Stamps {
  static SearchStep step(const Num& start, const Bool& has_left, const Num&, const Num& threshold, const Bool& found) {
    return repaired_step(start, has_left, threshold, threshold, found);
  }
};
/// Never looks to the right.
struct NeverRight : Stamps {
  static SearchStep step(const Num& start, const Bool& has_left, const Num& left_least, const Num& threshold,
                         const Bool& found) {
    SearchStep step = repaired_step(start, has_left, left_least, threshold, found);
    step.ends = !step.goes_left;
    return step;
  }
};

/// The nodes of a complete tree in the order of a heap: the children of n are 2n + 1 and 2n + 2. At n the in-order
/// neighbours follow.
constexpr std::size_t nodes = 7;
constexpr std::size_t inner = 3;  ///< nodes with children
constexpr std::array<std::size_t, nodes> in_order{3, 1, 4, 0, 5, 2, 6};

template <class Search>
class Tree {
 public:
  explicit Tree(Obligation& obligation) : threshold(Symbolic::variable("threshold")) {
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::string suffix = std::to_string(n);
      there.push_back(n == 0 ? Bool(true) : Symbolic::condition("there" + suffix));
      start.push_back(Symbolic::variable("start" + suffix));
      finish.push_back(Symbolic::variable("finish" + suffix));
      obligation.assume(start[n] <= finish[n]);
      if (n > 0) obligation.assume(!there[n] || there[(n - 1) / 2], "a node hangs on another");
    }
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = a + 1; b < nodes; ++b) {
        const std::size_t before = in_order.at(a);
        const std::size_t behind = in_order.at(b);
        obligation.assume(!there[before] || !there[behind] || finish[before] <= finish[behind],
                          "the tree is ordered by finish");
      }
    }
    descend();
  }

  Num threshold;
  std::vector<Bool> there;
  std::vector<Num> start, finish;
  std::vector<Bool> found;  ///< the node is what the search returns

  bool inside(std::size_t n) const { return n < nodes; }
  Bool eligible(std::size_t n) const { return there[n] && Search::eligible(start[n], threshold); }

  /// It returns an eligible node that no eligible one precedes, or nothing if nobody is eligible.
  Bool right() const {
    Bool some_eligible(false);
    Bool some_found(false);
    Bool best(true);
    for (std::size_t n = 0; n < nodes; ++n) {
      some_eligible = some_eligible || eligible(n);
      some_found = some_found || found[n];
      best = best && (!found[n] || eligible(n));
      for (std::size_t other = 0; other < nodes; ++other) {
        best =
            best && !(found[n] && eligible(other) && Search::precedes({start[other], finish[other]}, {start[n], finish[n]}));
      }
    }
    return best && some_eligible == some_found;
  }

 private:
  Num least_start(std::size_t n) const {
    Num least = start[n];
    for (const std::size_t child : {2 * n + 1, 2 * n + 2}) {
      if (!inside(child)) continue;
      const Num below = least_start(child);
      least = Symbolic::select(there[child] && below < least, below, least);
    }
    return least;
  }

  /// ServiceTree::search() over all ways down at once: `at` holds where the search is.
  void descend() {
    found.assign(nodes, Bool(false));
    std::vector<Bool> at(nodes, Bool(false));
    at[0] = true;
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::size_t left = 2 * n + 1;
      const Bool has_left = inside(left) ? there[left] : Bool(false);
      Bool found_before(false);
      for (const Bool& other : found) found_before = found_before || other;
      const auto step =
          Search::step(start[n], has_left, inside(left) ? least_start(left) : start[n], threshold, found_before);
      for (std::size_t other = 0; other < nodes; ++other) {
        found[other] = Symbolic::select(at[n] && step.takes, Bool(other == n), found[other]);
      }
      if (n >= inner) continue;
      at[left] = at[n] && step.goes_left;
      at[left + 1] = at[n] && !step.goes_left && !step.ends && there[left + 1];
    }
  }
};

template <class Search>
std::vector<Condition> conditions() {
  return {{"least-finish",
           "The search returns an eligible node that no eligible node precedes, or nothing if nobody is eligible.",
           [](Obligation& obligation) {
             const Tree<Search> tree(obligation);
             obligation.conclude(tree.right());
           }}};
}

Theorem search_theorem(const char* name, const char* statement) {
  Theorem theorem;
  theorem.name = name;
  theorem.statement = statement;
  theorem.core = "bfq::Wf2qCore";
  theorem.abstraction =
      "The tree is ordered by finish and every node knows the least start below it; any shape, balanced or not.";
  theorem.flows = "trees of up to three levels";
  theorem.symbolic = "stamps, the threshold, which nodes there are";
  theorem.method = Method::bounded;
  return theorem;
}

/// The smallest numbers with which the shipped search fails in the shape that four insertions give: a root with two
/// children, of which the left one has a right child.
std::string shipped_search_fails() {
  SymbolicScope scope;
  Obligation obligation;
  const Tree<Shipped> tree(obligation);
  z3::solver solver(scope.context(), z3::solver::simple());
  for (const Hypothesis& hypothesis : obligation.hypotheses()) solver.add(hypothesis.condition.term());
  solver.add((!tree.right()).term());
  constexpr std::array<std::size_t, 4> shape{0, 1, 2, 4};
  for (std::size_t n = 0; n < nodes; ++n) {
    const bool wanted = std::find(shape.begin(), shape.end(), n) != shape.end();
    solver.add((tree.there[n] == Bool(wanted)).term());
  }
  // Equal finishes would be ordered by the time of insertion.
  for (const std::size_t a : shape) {
    for (const std::size_t b : shape) {
      if (a < b) solver.add((tree.finish[a] != tree.finish[b]).term());
    }
  }
  for (const std::size_t n : shape) solver.add((Num(0) <= tree.start[n]).term());
  solver.add((Num(0) <= tree.threshold).term());
  if (solver.check() != z3::sat) throw std::runtime_error("there is no counterexample with four entities");
  const std::int64_t threshold = minimise(solver, tree.threshold, 0);
  std::array<bfq::Entity, shape.size()> entities;
  for (std::size_t i = 0; i < shape.size(); ++i) entities.at(i).start = minimise(solver, tree.start[shape.at(i)], 0);
  for (std::size_t i = 0; i < shape.size(); ++i) entities.at(i).finish = minimise(solver, tree.finish[shape.at(i)], 0);

  bfq::ServiceTree running;
  for (bfq::Entity& entity : entities) running.active_insert(entity);
  const bfq::Entity* const shipped = running.eligible_shipped(threshold);
  const bfq::Entity* const repaired = running.eligible_repaired(threshold);
  if (shipped == nullptr || repaired == nullptr || shipped->finish <= repaired->finish || repaired->start > threshold) {
    throw std::runtime_error("the tree of the simulation finds the least finish");
  }
  std::string inserted;
  for (const bfq::Entity& entity : entities) {
    inserted += fmt::format("{}{}..{}", inserted.empty() ? "" : ", ", entity.start, entity.finish);
  }
  return fmt::format(
      "after insertion of start..finish {} the search at virtual time {} takes {}..{} though {}..{} is eligible", inserted,
      threshold, shipped->start, shipped->finish, repaired->start, repaired->finish);
}

}  // namespace

Theorem bfq_repaired_search() {
  Theorem theorem =
      search_theorem("bfq.repaired-search",
                     "The repaired search of the active tree returns the eligible entity of least finish, if there is one.");
  theorem.conditions = conditions<Repaired>();
  theorem.planted_bugs = {
      {"shipped", "The search that is shipped.", conditions<Shipped>()},
      {"always-left", "Goes left whoever is eligible there.", conditions<AlwaysLeft>()},
      {"never-right", "Never looks to the right.", conditions<NeverRight>()},
  };
  return theorem;
}

Theorem bfq_shipped_search() {
  Theorem theorem =
      search_theorem("bfq.shipped-search",
                     "The shipped search of the active tree returns the eligible entity of least finish, if there is one.");
  theorem.expectation = Expectation::refuted;
  theorem.conditions = conditions<Shipped>();
  theorem.planted_bugs = {{"repaired", "The repaired search. The claim then holds.", conditions<Repaired>()}};
  theorem.demonstration = shipped_search_fails;
  return theorem;
}

}  // namespace elvcheck
