// SPDX-License-Identifier: GPL-2.0-or-later
// Which class is served: real-time as long as it has a busy queue, then best-effort, idle last.
//
// Mirrors the first choice of choose_service_tree() (choose_wl_class_and_type() in 4.x) of block/cfq-iosched.c. There is no
// promise to the lower classes: theorem cfq.rt-starves-be.
#pragma once

#include "model/domain/domain.hpp"

namespace elvcheck::cfq {

template <Domain D>
struct ClassCore {
  using Num = typename D::Num;
  using Bool = typename D::Bool;

  /// The class as the kernel numbers its workloads: 0 best-effort, 1 real-time, 2 idle.
  static Num served(const Bool& real_time_busy, const Bool& best_effort_busy) {
    return D::select(real_time_busy, Num(1), D::select(best_effort_busy, Num(0), Num(2)));
  }
};

}  // namespace elvcheck::cfq
