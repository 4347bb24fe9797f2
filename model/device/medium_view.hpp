// SPDX-License-Identifier: GPL-2.0-or-later
// What a power cut would leave: the question that a test of FLUSH and FUA asks.
#pragma once

#include "model/core/units.hpp"

namespace elvcheck {

/// Implemented by every device that may hold data in volatile memory.
class MediumView {
 public:
  virtual ~MediumView() = default;

  /// True if the newest completed write of every sector of [first, first + sectors) would survive a power cut now.
  virtual bool on_medium(Sector first, SectorCount sectors) const = 0;
};

}  // namespace elvcheck
