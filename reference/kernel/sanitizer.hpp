// SPDX-License-Identifier: GPL-2.0-or-later
// AddressSanitizer in a shared object needs its runtime in the program first.
#pragma once

#include <string>

namespace elvcheck::kernel {

/// The file of a compiler's runtime. Throws BuildError if it has none.
std::string sanitizer_library(const std::string& compiler);

/// Starts this program again, with the same arguments and the sanitizer's runtime loaded before everything else, unless that
/// has been done. Returns when it is there. Throws BuildError if the compiler has none.
void require_sanitizer(const std::string& compiler);

/// From now on AddressSanitizer, if it is in this process, hands its report to `handler`, which does not return, instead of
/// printing it.
void on_sanitizer_finding(void (*handler)(const char* report));

/// One line out of such a report: what was done, in which function of which file and line, and who had freed or allocated
/// it.
std::string summarize_finding(const std::string& report);

}  // namespace elvcheck::kernel
