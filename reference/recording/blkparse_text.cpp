// SPDX-License-Identifier: GPL-2.0-or-later
// The default output of blkparse(1): "%D %2c %8s %5T.%9t %5p %2a %3d" and then what the action needs (section "DEFAULT
// OUTPUT" of the manual). Left out: driver payloads and messages (counted), and the summary at the end.
#include "reference/recording/raw_event.hpp"
#include "reference/recording/text.hpp"

namespace elvcheck::recording_detail {

namespace {

constexpr const char* layout = "use blkparse's default output format (no -f, -F or -O)";

/// The trace's action for a letter; nothing for one that is left out.
std::optional<Action> action_of(std::string_view letter) {
  struct Row {
    std::string_view letter;
    Action action;
  };
  static constexpr Row rows[] = {
      {"Q", Action::queue},         {"G", Action::get_request},  {"S", Action::sleep_request}, {"M", Action::back_merge},
      {"F", Action::front_merge},   {"I", Action::insert},       {"P", Action::plug},          {"U", Action::unplug},
      {"UT", Action::timer_unplug}, {"T", Action::timer_unplug}, {"D", Action::issue},         {"R", Action::requeue},
      {"C", Action::complete},      {"X", Action::split},
  };
  for (const Row& row : rows)
    if (row.letter == letter) return row.action;
  return std::nullopt;
}

bool known_but_unused(std::string_view letter) {
  return letter == "A" || letter == "B" || letter == "m" || letter == "a" || letter == "N" || letter == "d";
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, RawRecording& out) : lines_(text, name), name_(name), out_(out) {}

  void run() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
      if (line.starts_with("Input file ") || line.starts_with("blktrace: ")) continue;
      if (starts_summary(line)) return check_summary();
      event(line);
    }
  }

 private:
  static bool starts_summary(std::string_view line) {
    return (line.starts_with("CPU") || line.starts_with("Total (")) && line.ends_with("):");
  }
  /// The summary is not used, but a cut in it still shows that the file is not whole.
  void check_summary() {
    std::string_view line;
    while (lines_.next(line)) {
    }
  }
  [[noreturn]] void fail(const std::string& message) const { fail_at(name_, lines_.number(), message); }

  void event(std::string_view line) {
    Words words(line);
    RawEvent event;
    const std::string_view device = words.next();
    const auto number = to_device(device);
    if (!number) fail("expected a device number such as 8,0, found " + quoted(device) + "; " + layout);
    event.device = {number->first, number->second};
    event.cpu = field<std::uint32_t>(words.next(), "a CPU number");
    event.sequence = field<std::uint32_t>(words.next(), "a sequence number");
    const std::string_view time = words.next();
    const auto at = to_nanoseconds(time);
    if (!at) fail("expected a time SECONDS.NANOSECONDS, found " + quoted(time) + "; " + layout);
    event.at = *at;
    event.process = field<ProcessId>(words.next(), "a process id");
    const std::string_view letter = words.next();
    const auto action = action_of(letter);
    if (!action) {
      if (!known_but_unused(letter)) fail("unknown action " + quoted(letter) + "; " + layout);
      ++out_.skipped["action " + std::string(letter)];
      return;
    }
    event.action = *action;
    const std::string_view rwbs = words.next();
    if (rwbs.empty()) fail("the line ends before its RWBS field; " + std::string(layout));
    if (*action == Action::plug || *action == Action::unplug || *action == Action::timer_unplug) {
      if (!words.rest().starts_with('[')) fail("expected [COMMAND] at the end; " + std::string(layout));
      out_.events.push_back(event);
      return;
    }
    std::string_view rest = words.rest();
    const bool has_place = !rest.starts_with('[') && !rest.starts_with('(');
    if (has_place) place(event, words);
    if (!parse_rwbs(rwbs, event.sectors != 0, event.op, event.flags)) {
      if (rwbs.find_first_not_of("RWDFNASMEZ") != std::string_view::npos)
        fail("unknown RWBS field " + quoted(rwbs) + "; " + layout);
      ++out_.skipped["commands that move no sectors"];
      return;
    }
    if (!has_place && event.op != Op::flush) {
      if (!rest.starts_with('(')) fail("expected SECTOR + COUNT, found " + quoted(rest) + "; " + layout);
      ++out_.skipped["driver commands with a payload"];
      return;
    }
    finish(event, words);
  }

  void place(RawEvent& event, Words& words) {
    event.sector = field<Sector>(words.next(), "a sector");
    std::string_view rest = words.rest();
    if (event.action == Action::split) {
      if (words.next() != "/") fail("expected SECTOR / SECTOR for a split, found " + quoted(rest) + "; " + layout);
      event.split_at = field<Sector>(words.next(), "a sector");
    } else if (rest.starts_with('+')) {
      words.next();
      event.sectors = field<SectorCount>(words.next(), "a number of sectors");
    } else if (!rest.starts_with('[')) {
      fail("expected + COUNT, found " + quoted(rest) + "; " + layout);
    }
  }

  /// The optional elapsed time of -t, then the command or the error.
  void finish(RawEvent& event, Words& words) {
    std::string_view rest = words.rest();
    if (rest.starts_with('(')) {
      const std::size_t close = rest.find(')');
      if (close == std::string_view::npos) fail("a '(' without ')'; " + std::string(layout));
      rest.remove_prefix(close + 1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    if (!rest.starts_with('[') || !rest.ends_with(']'))
      fail("expected [COMMAND] at the end, found " + quoted(rest) + "; the line may have been cut");
    const std::string_view inside = rest.substr(1, rest.size() - 2);
    if (event.action == Action::complete) {
      if (inside != "0") ++out_.skipped["error codes of completions"];
    } else if (event.process != 0) {
      out_.process_names.try_emplace(event.process, inside);
    }
    out_.events.push_back(event);
  }

  template <class T>
  T field(std::string_view word, const char* what) const {
    const auto value = to_number<T>(word);
    if (!value) fail(std::string("expected ") + what + ", found " + quoted(word) + "; " + layout);
    return *value;
  }

  LineReader lines_;
  const std::string& name_;
  RawRecording& out_;
};

}  // namespace

bool parse_rwbs(std::string_view letters, bool has_data, Op& op, ReqFlags& flags) {
  // [F] one of R W D DE F N, then in any number F A S M (blk_fill_rwbs, kernel/trace/blktrace.c of 6.1).
  flags = 0;
  bool preflush = false;
  if (letters.size() > 1 && letters.front() == 'F' && std::string_view("RWDNF").find(letters[1]) != std::string_view::npos) {
    // "FF" alone is a flush; "FF" before more letters cannot be told from it and is one too.
    preflush = true;
    letters.remove_prefix(1);
  }
  if (letters.empty()) return false;
  bool none = false;
  switch (letters.front()) {
    case 'R':
      op = Op::read;
      break;
    case 'W':
      op = Op::write;
      break;
    case 'D':
      op = Op::discard;
      break;
    case 'F':
      op = Op::flush;
      break;
    case 'N':
      none = true;
      break;
    default:
      return false;
  }
  letters.remove_prefix(1);
  for (const char letter : letters) switch (letter) {
      case 'F':
        flags |= REQ_FUA;
        break;
      case 'A':
        flags |= REQ_RAHEAD;
        break;
      case 'S':
        flags |= REQ_SYNC;
        break;
      case 'M':
        flags |= REQ_META;
        break;
      case 'E':
        break;  // a secure erase is a discard here
      default:
        return false;
    }
  if (none) {
    if (!preflush) return false;
    op = Op::flush;
  }
  if (preflush && !has_data && op != Op::discard) op = Op::flush;  // an empty write with PREFLUSH: blkdev_issue_flush()
  if (preflush && op != Op::flush) flags |= REQ_PREFLUSH;
  return true;
}

void parse_blkparse(std::string_view text, const std::string& name, RawRecording& out) {
  out.format = RecordingFormat::blkparse_text;
  Parser(text, name, out).run();
}

}  // namespace elvcheck::recording_detail
