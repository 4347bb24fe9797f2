// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/program.hpp"

int main(int argc, char** argv) { return elvcheck::run_program(argc, argv); }
