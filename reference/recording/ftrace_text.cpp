// SPDX-License-Identifier: GPL-2.0-or-later
// The block events of ftrace as tracefs (trace, trace_pipe) or `trace-cmd report` print them: "COMM-PID [CPU] FLAGS TIME:
// EVENT: DETAILS", the details after include/trace/events/block.h of 4.x to 6.x. Events outside the block layer and those
// that the trace has no word for are left out and counted.
#include "reference/recording/raw_event.hpp"
#include "reference/recording/text.hpp"

namespace elvcheck::recording_detail {

namespace {

constexpr const char* layout = "use the text of tracefs or of trace-cmd report";

enum class Shape { bio, request, plug, unplug, split };

struct EventName {
  std::string_view name;
  Action action;
  Shape shape;
};

constexpr EventName event_names[] = {
    {"block_bio_queue", Action::queue, Shape::bio},
    {"block_getrq", Action::get_request, Shape::bio},
    {"block_sleeprq", Action::sleep_request, Shape::bio},
    {"block_bio_backmerge", Action::back_merge, Shape::bio},
    {"block_bio_frontmerge", Action::front_merge, Shape::bio},
    {"block_rq_merge", Action::request_merge, Shape::request},
    {"block_rq_insert", Action::insert, Shape::request},
    {"block_rq_issue", Action::issue, Shape::request},
    {"block_rq_requeue", Action::requeue, Shape::request},
    {"block_rq_complete", Action::complete, Shape::request},
    {"block_plug", Action::plug, Shape::plug},
    {"block_unplug", Action::unplug, Shape::unplug},
    {"block_split", Action::split, Shape::split},
};

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "be,4,0": class, level, hint (6.10 and later).
std::optional<IoPrio> to_ioprio(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, comma);
  const std::string_view level = text.substr(comma + 1, text.find(',', comma + 1) - comma - 1);
  const auto number = to_number<unsigned>(level);
  if (!number || *number > 7) return std::nullopt;
  IoPrio prio;
  if (name == "none") return prio;
  if (name == "rt")
    prio.io_class = IoClass::rt;
  else if (name == "be")
    prio.io_class = IoClass::be;
  else if (name == "idle")
    prio.io_class = IoClass::idle;
  else
    return std::nullopt;
  prio.level = prio.io_class == IoClass::idle ? std::uint8_t{0} : static_cast<std::uint8_t>(*number);
  return prio;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, RawRecording& out) : lines_(text, name), name_(name), out_(out) {}

  void run() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
      if (line.starts_with("cpus=") || line.starts_with("version = ")) continue;  // the head of trace-cmd report
      if (line.starts_with("CPU:") || line.starts_with("CPU ")) {                 // "CPU:0 [LOST 12 EVENTS]"
        if (line.find("LOST") != std::string_view::npos) ++out_.skipped["gaps where the tracer lost events"];
        continue;
      }
      event(line);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(name_, lines_.number(), message); }

  /// Splits "COMM-PID (TGID) [CPU] FLAGS TIME:" off; `line` is left at the event's name.
  void head(std::string_view& line, RawEvent& event) {
    // The command's name may hold blanks and brackets, so the CPU is the first bracketed number with a "-PID" before it.
    for (std::size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
      const std::size_t close = line.find(']', open);
      if (close == std::string_view::npos) break;
      const auto cpu = to_number<std::uint32_t>(line.substr(open + 1, close - open - 1));
      if (!cpu) continue;
      std::string_view task = trim(line.substr(0, open));
      if (task.ends_with(')')) {
        const std::size_t group = task.rfind('(');
        if (group == std::string_view::npos) continue;
        task = trim(task.substr(0, group));
      }
      const std::size_t dash = task.rfind('-');
      if (dash == std::string_view::npos) continue;
      const auto pid = to_number<ProcessId>(task.substr(dash + 1));
      if (!pid || *pid < 0) continue;
      event.cpu = *cpu;
      event.process = *pid;
      const std::string_view comm = task.substr(0, dash);
      if (*pid != 0 && comm != "<...>") out_.process_names.try_emplace(*pid, comm);
      line.remove_prefix(close + 1);
      return;
    }
    fail("expected COMMAND-PID [CPU], found " + quoted(line) + "; " + layout);
  }

  static std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }

  void event(std::string_view line) {
    RawEvent event;
    head(line, event);
    Words words(line);
    std::string_view time = words.next();
    if (!time.ends_with(':')) time = words.next();  // the first was the irq and preemption flags
    if (!time.ends_with(':')) fail("expected a time after the CPU, found " + quoted(line) + "; " + layout);
    time.remove_suffix(1);
    const auto at = to_nanoseconds(time);
    if (!at)
      fail(all_digits(time) ? "the time " + quoted(time) + " has no unit; record with a trace_clock that counts seconds"
                            : "expected a time SECONDS.FRACTION, found " + quoted(time) + "; " + layout);
    event.at = *at;
    std::string_view name = words.next();
    if (!name.ends_with(':')) {
      ++out_.skipped["lines that are no events"];
      return;
    }
    name.remove_suffix(1);
    for (const EventName& known : event_names)
      if (known.name == name) return details(known, event, words);
    ++out_.skipped[skip_label(name)];
  }

  /// Names come from the file, so a hostile one is not allowed to fill the table.
  std::string skip_label(std::string_view name) const {
    if (name.size() > 40 || out_.skipped.size() > 100) return "other events";
    return quoted(name) + " events";
  }

  void details(const EventName& known, RawEvent& event, Words& words) {
    event.action = known.action;
    if (known.shape == Shape::plug || known.shape == Shape::unplug) {
      if (!words.rest().starts_with('[')) fail("expected [COMMAND], found " + quoted(words.rest()) + "; " + layout);
      event.any_device = true;
      out_.events.push_back(event);
      return;
    }
    const std::string_view device = words.next();
    const auto number = to_device(device);
    if (!number) fail("expected a device number such as 8,0, found " + quoted(device) + "; " + layout);
    event.device = {number->first, number->second};
    const std::string_view rwbs = words.next();
    if (known.shape == Shape::request) payload(words);
    const std::string_view sector = words.next();
    const auto start = to_number<Sector>(sector);
    if (!start) fail("expected a sector, found " + quoted(sector) + "; " + layout);
    event.sector = *start;
    const std::string_view joint = words.next();
    if (joint != (known.shape == Shape::split ? "/" : "+")) fail("expected + COUNT, found " + quoted(joint) + "; " + layout);
    const std::string_view second = words.next();
    if (known.shape == Shape::split) {
      const auto split = to_number<Sector>(second);
      if (!split) fail("expected a sector, found " + quoted(second) + "; " + layout);
      event.split_at = *split;
    } else {
      const auto count = to_number<SectorCount>(second);
      if (!count) fail("expected a number of sectors, found " + quoted(second) + "; " + layout);
      event.sectors = *count;
    }
    std::string_view rest = words.rest();
    if (!rest.starts_with('[')) {
      const std::string_view prio = words.next();
      const auto ioprio = to_ioprio(prio);
      if (!ioprio) fail("expected [COMMAND] at the end, found " + quoted(prio) + "; the line may have been cut");
      event.ioprio = *ioprio;
      rest = words.rest();
    }
    if (!rest.starts_with('[') || !rest.ends_with(']'))
      fail("expected [COMMAND] at the end, found " + quoted(rest) + "; the line may have been cut");
    if (event.action == Action::complete && rest != "[0]") ++out_.skipped["error codes of completions"];
    if (!parse_rwbs(rwbs, event.sectors != 0, event.op, event.flags)) {
      if (rwbs.empty() || rwbs.find_first_not_of("RWDFNASMEZ") != std::string_view::npos)
        fail("unknown RWBS field " + quoted(rwbs) + "; " + layout);
      ++out_.skipped["commands that move no sectors"];
      return;
    }
    if (event.op == Op::flush) event.sector = 0, event.sectors = 0;
    out_.events.push_back(event);
  }

  /// "BYTES (COMMAND BYTES)" of request events; the number is absent at requeue and completion.
  void payload(Words& words) {
    std::string_view word = words.next();
    if (all_digits(word)) word = words.next();
    if (!word.starts_with('(')) fail("expected (COMMAND), found " + quoted(word) + "; " + layout);
    while (!word.ends_with(')')) {
      word = words.next();
      if (word.empty()) fail("a '(' without ')'; " + std::string(layout));
    }
  }

  LineReader lines_;
  const std::string& name_;
  RawRecording& out_;
};

}  // namespace

void parse_ftrace(std::string_view text, const std::string& name, RawRecording& out) {
  out.format = RecordingFormat::ftrace_text;
  Parser(text, name, out).run();
}

}  // namespace elvcheck::recording_detail
