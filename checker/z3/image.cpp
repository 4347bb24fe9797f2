// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/image.hpp"

#include <algorithm>
#include <stdexcept>

namespace elvcheck {

namespace {

using Num = SymbolicReal::Num;
using Bool = SymbolicBool;

thread_local ImageSpace* current_space = nullptr;

bool same(const Num& a, const Num& b) {
  if (a.constant() || b.constant()) return a.constant() && b.constant() && *a.constant() == *b.constant();
  return z3::eq(a.term(), b.term());
}

Bool implies(const Bool& a, const Bool& b) { return !a || b; }

}  // namespace

ImageSpace::ImageSpace(std::size_t flows) : flows_(flows), outer_(current_space) { current_space = this; }

ImageSpace::~ImageSpace() { current_space = outer_; }

ImageSpace& ImageSpace::current() {
  if (current_space == nullptr) throw std::logic_error("a point of virtual time needs an ImageSpace around it");
  return *current_space;
}

ImagePoint ImageSpace::fresh(const std::string& name) const {
  std::vector<Num> coordinates{SymbolicReal::variable(name)};
  for (std::size_t flow = 0; flow < flows_; ++flow) {
    coordinates.push_back(SymbolicReal::variable(name + ".image" + std::to_string(flow)));
  }
  return ImagePoint(std::move(coordinates));
}

ImagePoint ImageSpace::point(const std::string& name) {
  points_.push_back(fresh(name));
  return points_.back();
}

ImageWeight ImageSpace::one(std::size_t flow) const {
  ImageWeight weight{std::vector<Bool>(flows_, Bool(false))};
  weight.counted.at(flow) = true;
  return weight;
}

ImageWeight ImageSpace::all() const { return {std::vector<Bool>(flows_, Bool(true))}; }

ImagePoint ImageSpace::moved(const ImagePoint& from, const Num& service, const ImageWeight& weight) {
  const ImagePoint length = length_of(service, weight);
  std::vector<Num> coordinates;
  for (std::size_t i = 0; i <= flows_; ++i) coordinates.push_back(from.coordinates()[i] + length.coordinates()[i]);
  points_.emplace_back(std::move(coordinates));
  return points_.back();
}

ImagePoint ImageSpace::length_of(const Num& service, const ImageWeight& weight) {
  const auto counts = std::count_if(weight.counted.begin(), weight.counted.end(),
                                    [](const Bool& counted) { return counted.constant() == true; });
  const bool fixed = std::all_of(weight.counted.begin(), weight.counted.end(),
                                 [](const Bool& counted) { return counted.constant().has_value(); });
  Shift shift{Share::some, 0, service, {}};
  if (fixed && counts == 1) {
    shift.share = Share::one;
    while (weight.counted[shift.flow].constant() != true) ++shift.flow;
  } else if (fixed && static_cast<std::size_t>(counts) == flows_) {
    shift.share = Share::all;
  }
  // The same service of the same flows is the same shift.
  for (const Shift& other : shifts_) {
    if (shift.share != Share::some && other.share == shift.share && other.flow == shift.flow &&
        same(other.service, service)) {
      return other.length;
    }
  }
  shift.length = fresh("shift" + std::to_string(shifts_.size()));
  describe(shift, weight);
  for (const Shift& other : shifts_) compare(shift, other);
  shifts_.push_back(shift);
  return shift.length;
}

/// Its images sum to the service over the flows that count, and it has the sign of the service.
void ImageSpace::describe(const Shift& shift, const ImageWeight& weight) {
  Num sum(0);
  for (std::size_t flow = 0; flow < flows_; ++flow) {
    sum = sum + SymbolicReal::select(weight.counted[flow], shift.length.image(flow), Num(0));
  }
  known_.push_back(sum == shift.service);
  for (const Num& coordinate : shift.length.coordinates()) {
    known_.push_back((Num(0) <= shift.service) == (Num(0) <= coordinate));
    known_.push_back((shift.service <= Num(0)) == (coordinate <= Num(0)));
  }
}

/// Less service is a shorter shift, if it is divided by the same weights; by more weights, if it is not negative.
void ImageSpace::compare(const Shift& a, const Shift& b) {
  const bool by_the_same = a.share != Share::some && a.share == b.share && a.flow == b.flow;
  const auto less = [](const Shift& x, const Shift& y) { return Num(0) <= x.service && x.service <= y.service; };
  for (std::size_t i = 0; i <= flows_; ++i) {
    const Num& of_a = a.length.coordinates()[i];
    const Num& of_b = b.length.coordinates()[i];
    if (by_the_same) known_.push_back((a.service <= b.service) == (of_a <= of_b));
    if (a.share == Share::all && b.share == Share::one) known_.push_back(implies(less(a, b), of_a <= of_b));
    if (a.share == Share::one && b.share == Share::all) known_.push_back(implies(less(b, a), of_b <= of_a));
  }
}

std::vector<Bool> ImageSpace::axioms() const {
  std::vector<Bool> axioms = known_;
  for (std::size_t a = 0; a < points_.size(); ++a) {
    for (std::size_t b = a + 1; b < points_.size(); ++b) {
      const ImagePoint& x = points_[a];
      const ImagePoint& y = points_[b];
      for (std::size_t flow = 0; flow < flows_; ++flow) {
        axioms.push_back((x.value() <= y.value()) == (x.image(flow) <= y.image(flow)));
        axioms.push_back((y.value() <= x.value()) == (y.image(flow) <= x.image(flow)));
      }
    }
  }
  return axioms;
}

ImagePoint Image::select(const Bool& condition, const ImagePoint& yes, const ImagePoint& no) {
  std::vector<Num> coordinates;
  for (std::size_t i = 0; i < yes.coordinates().size(); ++i) {
    coordinates.push_back(SymbolicReal::select(condition, yes.coordinates()[i], no.coordinates()[i]));
  }
  return ImagePoint(std::move(coordinates));
}

}  // namespace elvcheck
