// SPDX-License-Identifier: GPL-2.0-or-later
// The Seagate Cheetah 9LP (ST39102LW).
#pragma once

#include "model/device/rotational/config.hpp"

namespace elvcheck {

/// Zones, skews and seek times as extracted from the drive and shipped, validated against it, with DiskSim 4.0
/// (J. S. Bucy, J. Schindler, S. W. Schlosser, G. R. Ganger, Reference Manual, CMU-PDL-08-101, 2008). The places of its
/// 1,100 reassigned sectors are left out: a zone's spare sectors all lie at its end here.
extern const DriveFacts cheetah_9lp;

}  // namespace elvcheck
