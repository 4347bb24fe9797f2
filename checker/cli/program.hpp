// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace elvcheck {

/// The whole program: parses the arguments and executes one command. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace elvcheck
