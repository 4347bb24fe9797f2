// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/core/trace.hpp"

#include <cstdio>

namespace elvcheck {

std::string_view letter(EventKind kind) {
  switch (kind) {
    case EventKind::queue: return "Q";
    case EventKind::get_request: return "G";
    case EventKind::sleep_request: return "S";
    case EventKind::back_merge: return "M";
    case EventKind::front_merge: return "F";
    case EventKind::request_merge: return "m";
    case EventKind::insert: return "I";
    case EventKind::plug: return "P";
    case EventKind::unplug: return "U";
    case EventKind::timer_unplug: return "UT";
    case EventKind::issue: return "D";
    case EventKind::requeue: return "R";
    case EventKind::complete: return "C";
    case EventKind::timer: return "t";
    case EventKind::note: return "n";
  }
  return "?";
}

void TraceHasher::mix(std::uint64_t value) {
  hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15U;
  hash_ ^= hash_ >> 32U;
}

void TraceHasher::mix(std::string_view text) {
  std::uint64_t word = text.size();
  unsigned bits = 8;
  for (const char c : text) {
    word |= std::uint64_t{static_cast<unsigned char>(c)} << bits;
    bits += 8;
    if (bits < 64) continue;
    mix(word);
    word = 0;
    bits = 0;
  }
  mix(word);
}

void TraceHasher::on_event(const TraceEvent& event) {
  mix(static_cast<std::uint64_t>(event.at.count()));
  mix(static_cast<std::uint64_t>(event.kind) | static_cast<std::uint64_t>(event.op) << 8 |
      static_cast<std::uint64_t>(event.flags) << 16 | static_cast<std::uint64_t>(event.ioprio.io_class) << 32 |
      static_cast<std::uint64_t>(event.ioprio.level) << 40);
  mix(static_cast<std::uint32_t>(event.process) | static_cast<std::uint64_t>(event.bio) << 32);
  mix(event.request | static_cast<std::uint64_t>(event.other) << 32);
  mix(event.sector);
  mix(event.sectors);
  if (event.rule != nullptr) {
    mix(event.rule->name);
    for (const std::int64_t number : event.numbers) mix(static_cast<std::uint64_t>(number));
  }
}

namespace {

std::string rwbs(const TraceEvent& event) {
  std::string text;
  if ((event.flags & REQ_PREFLUSH) != 0) text += 'F';
  switch (event.op) {
    case Op::read: text += 'R'; break;
    case Op::write: text += 'W'; break;
    case Op::flush: text += "FN"; break;
    case Op::discard: text += 'D'; break;
  }
  if ((event.flags & REQ_FUA) != 0) text += 'F';
  if ((event.flags & REQ_RAHEAD) != 0) text += 'A';
  if ((event.flags & REQ_SYNC) != 0) text += 'S';
  if ((event.flags & REQ_META) != 0) text += 'M';
  return text;
}

}  // namespace

std::string to_line(const TraceEvent& event) {
  char head[64];
  std::snprintf(head, sizeof head, "%14.6f ms %6d  %-2s ", static_cast<double>(event.at.count()) / 1e6, event.process,
                std::string(letter(event.kind)).c_str());
  std::string line = head;
  if (event.rule != nullptr) {
    line += event.rule->name;
    for (std::size_t i = 0; i < event.numbers.size(); ++i) {
      if (event.rule->numbers[i] == nullptr) break;
      line += std::string(" ") + event.rule->numbers[i] + "=" + std::to_string(event.numbers[i]);
    }
    if (event.request != 0) line += " (request " + std::to_string(event.request) + ")";
    return line;
  }
  if (event.kind == EventKind::plug || event.kind == EventKind::unplug || event.kind == EventKind::timer_unplug) return line;
  line += rwbs(event) + " " + std::to_string(event.sector) + " + " + std::to_string(event.sectors);
  if (event.other != 0)
    line += " (request " + std::to_string(event.request) + " absorbs " + std::to_string(event.other) + ")";
  else if (event.request != 0)
    line += " (request " + std::to_string(event.request) + ")";
  return line;
}

}  // namespace elvcheck
