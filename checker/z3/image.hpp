// SPDX-License-Identifier: GPL-2.0-or-later
// The image domain: virtual time without weights, for proofs that hold for all weights.
//
// Virtual time advances by service divided by weight. With symbolic weights that is non-linear arithmetic, in which Z3 gives
// up at three flows. Here a point x of virtual time is the vector (x, m_1 .. m_n) of fresh reals, where m_j stands for
// weight_j * x, its image under flow j. Moving a point by the service a of flow j adds a vector whose j-th image is a;
// moving it by service of all flows together adds one whose images sum to a. What is known of the vectors are consequences
// of "weight_j > 0": for every pair of points, x <= y exactly if m_j(x) <= m_j(y); a shift has the sign of its service and
// grows with it; the shift of all flows is no longer than that of one. Everything is linear, and no weight is left.
//
// It is an over-approximation: a proof is a proof for all positive weights, but a counterexample need not exist for any
// weights. Stamps are exact here; the kernel truncates its divisions to multiples of 2^-22 sectors for a unit of weight.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checker/z3/domain.hpp"

namespace elvcheck {

/// A point (or shift) of virtual time: its own coordinate, then its image under each flow.
class ImagePoint {
 public:
  ImagePoint() = default;
  explicit ImagePoint(std::vector<SymbolicReal::Num> coordinates) : coordinates_(std::move(coordinates)) {}

  const SymbolicReal::Num& value() const { return coordinates_.front(); }
  /// weight * point of that flow, in sectors.
  const SymbolicReal::Num& image(std::size_t flow) const { return coordinates_.at(flow + 1); }
  const std::vector<SymbolicReal::Num>& coordinates() const { return coordinates_; }

 private:
  std::vector<SymbolicReal::Num> coordinates_;
};

/// What a shift divides the service by: the sum of the weights of some flows.
struct ImageWeight {
  std::vector<SymbolicBool> counted;  ///< for each flow whether its weight is in the sum
};

/// All points of one condition, and what is known of them. The current one of this thread until it is destroyed. It belongs
/// to the SymbolicScope it was made in.
class ImageSpace {
 public:
  explicit ImageSpace(std::size_t flows);
  ~ImageSpace();
  ImageSpace(const ImageSpace&) = delete;
  ImageSpace& operator=(const ImageSpace&) = delete;
  static ImageSpace& current();

  std::size_t flows() const { return flows_; }
  /// A point of which nothing is known.
  ImagePoint point(const std::string& name);
  /// The weight of one flow, and the sum of all.
  ImageWeight one(std::size_t flow) const;
  ImageWeight all() const;
  /// The point moved by the time that the service takes at the weight.
  ImagePoint moved(const ImagePoint& from, const SymbolicReal::Num& service, const ImageWeight& weight);
  /// What is known of all points and shifts made so far. To be assumed last.
  std::vector<SymbolicBool> axioms() const;

 private:
  /// Whose weights a shift is known to divide by.
  enum class Share { one, all, some };
  struct Shift {
    Share share;
    std::size_t flow;  ///< of Share::one
    SymbolicReal::Num service;
    ImagePoint length;
  };

  ImagePoint fresh(const std::string& name) const;
  ImagePoint length_of(const SymbolicReal::Num& service, const ImageWeight& weight);
  void describe(const Shift& shift, const ImageWeight& weight);
  void compare(const Shift& a, const Shift& b);

  std::size_t flows_;
  ImageSpace* outer_;
  std::vector<ImagePoint> points_;
  std::vector<Shift> shifts_;
  std::vector<SymbolicBool> known_;
};

/// The domain that cores of virtual time are instantiated with. Needs a current ImageSpace.
struct Image {
  using Num = SymbolicReal::Num;
  using Bool = SymbolicBool;
  using VirtualTime = ImagePoint;
  using Weight = ImageWeight;

  static Num select(const Bool& condition, const Num& yes, const Num& no) {
    return SymbolicReal::select(condition, yes, no);
  }
  static Bool select(const Bool& condition, const Bool& yes, const Bool& no) {
    return SymbolicReal::select(condition, yes, no);
  }
  static VirtualTime select(const Bool& condition, const VirtualTime& yes, const VirtualTime& no);
  static Num halve(const Num& n) { return SymbolicReal::halve(n); }
  /// Whether a lies after b; virtual time does not wrap here (bfq.timestamp-order says when that is right).
  static Bool after(const VirtualTime& a, const VirtualTime& b) { return b.value() < a.value(); }
  static VirtualTime forward(const VirtualTime& from, const Num& service, const Weight& weight) {
    return ImageSpace::current().moved(from, service, weight);
  }
};

}  // namespace elvcheck
