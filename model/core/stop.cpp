// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/stop.hpp"

namespace elvcheck {

namespace {

thread_local bool (*stop_asked)() = nullptr;

}  // namespace

StopWhen::StopWhen(bool (*asked)()) : before_(stop_asked) { stop_asked = asked; }
StopWhen::~StopWhen() { stop_asked = before_; }

void StopPoint::ask() {
  if (stop_asked != nullptr && stop_asked()) throw RunStopped();
}

}  // namespace elvcheck
