// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/ioprio.hpp"

namespace elvcheck {

std::string to_string(IoPrio prio) {
  switch (prio.io_class) {
    case IoClass::none:
      return "none";
    case IoClass::rt:
      return "rt/" + std::to_string(prio.level);
    case IoClass::be:
      return "be/" + std::to_string(prio.level);
    case IoClass::idle:
      return "idle";
  }
  return "none";
}

std::optional<IoPrio> parse_ioprio(std::string_view text) {
  if (text == "none") return IoPrio{};
  if (text == "idle") return IoPrio{IoClass::idle, 7};
  if (text.size() != 4 || text[2] != '/' || text[3] < '0' || text[3] > '7') return std::nullopt;
  const auto level = static_cast<std::uint8_t>(text[3] - '0');
  if (text.substr(0, 2) == "rt") return IoPrio{IoClass::rt, level};
  if (text.substr(0, 2) == "be") return IoPrio{IoClass::be, level};
  return std::nullopt;
}

}  // namespace elvcheck
