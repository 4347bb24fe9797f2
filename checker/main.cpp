// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/options.hpp"

int main(int argc, char** argv) { return elvcheck::run_program(argc, argv); }
