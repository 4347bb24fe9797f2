// SPDX-License-Identifier: GPL-2.0-or-later
// The image domain assumes nothing that real weights do not fulfil: for given weights each of its axioms follows from what
// images are. And it knows enough, and not too much, of a few facts of virtual time that are plain on paper.
#include "checker/z3/image.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "checker/z3/prover.hpp"

namespace elvcheck {
namespace {

using Num = Image::Num;

Answer answer(std::function<void(Obligation&)> state) {
  return prove_here({"test.task", "A statement in words.", std::move(state), Question::always, Answer::proved}, {}).answer;
}

/// Every coordinate of the point or shift of that name is what the weights say.
template <std::size_t N>
void assume_weights(Obligation& obligation, const std::string& name, const std::array<std::int64_t, N>& weights) {
  for (std::size_t j = 0; j < N; ++j) {
    obligation.assume(SymbolicReal::variable(name + ".image" + std::to_string(j)) ==
                      Num(weights.at(j)) * SymbolicReal::variable(name));
  }
}

TEST(Image, EveryAxiomHoldsOfRealWeights) {
  for (const std::array<std::int64_t, 3> weights : {std::array<std::int64_t, 3>{1, 2, 5}, {100, 1, 1}, {7, 7, 7}}) {
    EXPECT_EQ(answer([&](Obligation& obligation) {
                ImageSpace space(weights.size());
                const ImagePoint a = space.point("a");
                const ImagePoint b = space.point("b");
                const Num s = SymbolicReal::variable("s");
                const Num t = SymbolicReal::variable("t");
                const SymbolicBool counted = SymbolicReal::condition("counted");
                space.moved(a, s, space.one(0));
                space.moved(a, t, space.one(0));
                space.moved(b, s, space.one(1));
                space.moved(b, t, space.all());
                space.moved(b, s, {{true, counted, false}});
                for (const char* name : {"a", "b", "shift0", "shift1", "shift2", "shift3", "shift4"}) {
                  assume_weights(obligation, name, weights);
                }
                // What a shift is: the service over the weights that count.
                const auto length = [](const char* name) { return SymbolicReal::variable(name); };
                const Num all(weights[0] + weights[1] + weights[2]);
                const Num some = SymbolicReal::select(counted, Num(weights[0] + weights[1]), Num(weights[0]));
                obligation.assume(length("shift0") * Num(weights[0]) == s);
                obligation.assume(length("shift1") * Num(weights[0]) == t);
                obligation.assume(length("shift2") * Num(weights[1]) == s);
                obligation.assume(length("shift3") * all == t);
                obligation.assume(length("shift4") * some == s);
                for (const SymbolicBool& axiom : space.axioms()) obligation.conclude(axiom);
              }),
              Answer::proved);
  }
}

/// Two points, one moved by service of flow 0 alone, the other by the same service of all flows.
template <class Goal>
Answer about_shifts(Goal goal) {
  return answer([&](Obligation& obligation) {
    ImageSpace space(3);
    const ImagePoint from = space.point("from");
    const Num service = SymbolicReal::variable("service");
    obligation.assume(Num(0) < service);
    const ImagePoint alone = space.moved(from, service, space.one(0));
    const ImagePoint together = space.moved(from, service, space.all());
    obligation.conclude(goal(from, alone, together, service));
    for (const SymbolicBool& axiom : space.axioms()) obligation.assume(axiom);
  });
}

TEST(Image, KnowsThatServiceOfOneMovesFurtherThanServiceOfAll) {
  EXPECT_EQ(about_shifts([](const auto& from, const auto& alone, const auto& together, const auto&) {
              return Image::after(together, from) && !Image::after(together, alone);
            }),
            Answer::proved);
  EXPECT_EQ(about_shifts([](const auto& from, const auto& alone, const auto&, const auto& service) {
              return alone.image(0) - from.image(0) == service;
            }),
            Answer::proved);
}

TEST(Image, DoesNotKnowTheWeights) {
  EXPECT_EQ(about_shifts([](const auto& from, const auto& alone, const auto&, const auto& service) {
              return alone.image(1) - from.image(1) <= service;  // only if flow 1 is no heavier
            }),
            Answer::refuted);
}

}  // namespace
}  // namespace elvcheck
