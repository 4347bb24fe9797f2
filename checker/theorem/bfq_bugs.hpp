// SPDX-License-Identifier: GPL-2.0-or-later
// Defects planted into Wf2qCore, to see that the theorems notice them. Each is the core itself with one answer withheld or
// forged.
#pragma once

#include "checker/z3/image.hpp"
#include "model/scheduler/bfq/wf2q_core.hpp"

namespace elvcheck {

using ImageCore = bfq::Wf2qCore<Image>;

/// Weighted fair queueing: the least finish is served, whether its flow is eligible or not.
struct EligibilityIgnored : ImageCore {
  static Bool eligible(const VirtualTime&, const VirtualTime&) { return true; }
};

/// Service is charged twice.
struct ChargedTwice : ImageCore {
  static Stamps charged(const VirtualTime& start, const Num& service, const Weight& weight) {
    return ImageCore::charged(start, service + service, weight);
  }
};

/// Service costs nothing: a flow starts anew where it started before.
struct ServiceFree : ImageCore {
  static Stamps charged(const VirtualTime& start, const Num&, const Weight&) { return {start, start}; }
};

/// A flow that comes back starts at virtual time, even if its finish lies ahead.
struct FinishForgotten : ImageCore {
  static VirtualTime activation_start(const VirtualTime& vtime, const VirtualTime&, const Bool&, const Bool&) {
    return vtime;
  }
};

/// A flow that comes back starts at its old finish, however long it was idle.
struct IdlenessSaved : ImageCore {
  static VirtualTime activation_start(const VirtualTime&, const VirtualTime& old_finish, const Bool&, const Bool&) {
    return old_finish;
  }
};

/// Virtual time does not advance with service.
struct TimeStands : ImageCore {
  static VirtualTime advance(const VirtualTime& vtime, const Num&, const Weight&) { return vtime; }
};

/// Virtual time does not jump when nobody is eligible.
struct JumpForgotten : ImageCore {
  static VirtualTime jump(const VirtualTime& vtime, const VirtualTime&) { return vtime; }
};

/// The least start is served, not the least finish.
struct LeastStartServed : ImageCore {
  static Bool precedes(const Stamps& a, const Stamps& b) { return Image::after(b.start, a.start); }
};

/// The greatest finish is served.
struct GreatestFinishServed : ImageCore {
  static Bool precedes(const Stamps& a, const Stamps& b) { return ImageCore::precedes(b, a); }
};

}  // namespace elvcheck
