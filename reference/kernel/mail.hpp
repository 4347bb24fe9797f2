// SPDX-License-Identifier: GPL-2.0-or-later
// Mails out of an mbox, as `b4 am`, `git format-patch --stdout` and the archives of mailing lists make them; or a file that
// is no mail at all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace elvcheck::kernel {

/// A line of text, and where it stands in the file.
struct NumberedLine {
  std::size_t number = 0;  ///< from 1; of encoded text the line where it begins
  std::string text;        ///< without its end
};

struct Mail {
  std::string subject;             ///< on one line, encoded words decoded (UTF-8 is kept); empty for a file that is no mail
  std::vector<NumberedLine> body;  ///< quoted-printable and base64 decoded, parts of a multipart one after the other
};

/// Splits a file's content. Text that is no mail is one mail with everything in its body.
std::vector<Mail> split_mails(const std::string& content);

}  // namespace elvcheck::kernel
