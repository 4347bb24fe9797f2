// SPDX-License-Identifier: GPL-2.0-or-later
// Output files that are whole or not there.
#pragma once

#include <string>
#include <string_view>

namespace elvcheck {

/// Writes `text` to `path` through a temporary file beside it and a rename, so that nobody ever sees half a file and a
/// failure leaves the old one as it was. A symbolic link is followed; a device or pipe is written directly. Throws
/// InputError
/// ("PATH: cannot write: REASON; ...") when anything fails, a full disk found by fsync or close included.
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace elvcheck
