// SPDX-License-Identifier: GPL-2.0-or-later
// Ctrl-C and SIGTERM: the first asks the command to end with what it has found, the second ends it at once.
#pragma once

namespace elvcheck {

/// Installs the handlers; SIGPIPE is ignored, so that a closed pipe is seen as a failed write.
void install_signal_handlers();

/// Whether a signal has asked the command to end.
bool interrupted();

}  // namespace elvcheck
