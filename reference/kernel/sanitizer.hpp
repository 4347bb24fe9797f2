// SPDX-License-Identifier: GPL-2.0-or-later
// AddressSanitizer in a shared object needs its runtime in the program first.
#pragma once

#include <string>

namespace elvcheck::kernel {

/// Starts this program again, with the same arguments and the sanitizer's runtime loaded before everything else, unless that has
/// been done. Returns when it is there. Throws BuildError if the compiler has none.
void require_sanitizer(const std::string& compiler);

}  // namespace elvcheck::kernel
