// SPDX-License-Identifier: GPL-2.0-or-later
// One line of a process's program, to and from text. The grammar:
//
//   read|write|discard SECTOR +LEN [xCOUNT] [stride N] [random SPAN seed N] [depth N] [think TIME] [FLAG...]
//   fsync   think TIME   at TIME   wait NAME   ioprio P   plug   unplug   drain   repeat N   end   exit
//
// TIME is a whole number with ns, us, ms or s. FLAG is one of: sync async wait nowait fua preflush meta prio idle rahead
// background nomerge. A write or discard is sync and waits unless it says otherwise; `async` clears sync and does not
// wait either (`async wait` does); a read waits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "properties/case_file.hpp"
#include "properties/case_time.hpp"
#include "properties/nearest_name.hpp"

namespace elvcheck {

namespace {

using Kind = ProcessOp::Kind;

struct FlagName {
  const char* name;
  ReqFlag flag;
};
constexpr std::array<FlagName, 8> flag_names{{{"fua", REQ_FUA},
                                              {"preflush", REQ_PREFLUSH},
                                              {"meta", REQ_META},
                                              {"prio", REQ_PRIO},
                                              {"idle", REQ_IDLE},
                                              {"rahead", REQ_RAHEAD},
                                              {"background", REQ_BACKGROUND},
                                              {"nomerge", REQ_NOMERGE}}};

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

// The words of a line, taken one by one.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view peek() const {
    const auto start = rest_.find_first_not_of(" \t");
    if (start == std::string_view::npos) return {};
    return rest_.substr(start, rest_.find_first_of(" \t", start) - start);
  }
  std::string_view next() {
    const std::string_view word = peek();
    if (word.empty()) {
      rest_ = {};
    } else {
      rest_.remove_prefix(static_cast<std::size_t>(word.data() - rest_.data()) + word.size());
    }
    return word;
  }
  // The next word; `wanted` says what belongs there.
  std::string_view need(const char* wanted) {
    const std::string_view word = next();
    if (word.empty()) refuse(fmt::format("the line ends where {} belongs", wanted));
    return word;
  }
  void finish(std::string_view verb) {
    if (const auto word = next(); !word.empty()) refuse(fmt::format("unexpected '{}' after '{}'; remove it", word, verb));
  }

 private:
  std::string_view rest_;
};

template <class T>
T number(std::string_view word, T min, T max, const char* wanted) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  if (!whole || value < min || value > max) {
    refuse(fmt::format("'{}' is not {}; give a whole number from {} to {}", word, wanted, min, max));
  }
  return value;
}

constexpr std::uint32_t most_count = std::numeric_limits<std::uint32_t>::max();
constexpr Sector most_sector = Sector{1} << 62;  // sums of two stay below 2^64

Nanoseconds time_word(Words& words) {
  const std::string_view word = words.need("a time such as '2ms'");
  const auto time = parse_time(word);
  if (!time) refuse(fmt::format("'{}' is not a time; write a whole number with ns, us, ms or s, such as '2ms'", word));
  return *time;
}

ProcessOp parse_io(Op op, Words words) {
  ProcessOp result;
  result.kind = Kind::io;
  result.op = op;
  result.flags = op == Op::read ? ReqFlags{0} : ReqFlags{REQ_SYNC};
  result.sector = number<Sector>(words.need("the first sector"), 0, most_sector, "a sector");
  const std::string_view length = words.need("the length, such as '+8',");
  if (length.front() != '+') refuse(fmt::format("'{}' is not a length; write it as '+8' (sectors of 512 bytes)", length));
  result.sectors = number<SectorCount>(length.substr(1), 1, SectorCount{1} << 30, "a length in sectors");
  bool async = false;
  bool wait = false;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const auto* const flag =
        std::find_if(flag_names.begin(), flag_names.end(), [&](const auto& f) { return word == f.name; });
    if (flag != flag_names.end()) {
      result.flags = static_cast<ReqFlags>(result.flags | flag->flag);
    } else if (word.front() == 'x') {
      result.count = number<std::uint32_t>(word.substr(1), 1, most_count, "a count");
    } else if (word == "stride") {
      result.stride = number<std::int64_t>(words.need("the stride in sectors"), -(std::int64_t{1} << 61),
                                           std::int64_t{1} << 61, "a stride in sectors");
    } else if (word == "random") {
      result.span =
          number<Sector>(words.need("the length of the random region"), 1, most_sector, "a region's length in sectors");
    } else if (word == "seed") {
      result.seed = number<std::uint64_t>(words.need("the seed"), 0, std::numeric_limits<std::uint64_t>::max(), "a seed");
    } else if (word == "depth") {
      result.depth = number<std::uint32_t>(words.need("the depth"), 1, most_count, "a depth");
    } else if (word == "think") {
      result.think = time_word(words);
    } else if (word == "sync") {
      result.flags = static_cast<ReqFlags>(result.flags | REQ_SYNC);
    } else if (word == "async") {
      if (op == Op::read) refuse("a read is never async to a scheduler; write 'nowait' to go on without its answer");
      async = true;
    } else if (word == "wait") {
      wait = true;
    } else if (word == "nowait") {
      result.nowait = true;
    } else {
      static const std::vector<std::string_view> known{"xCOUNT", "stride", "random",   "seed",   "depth",      "think",
                                                       "sync",   "async",  "wait",     "nowait", "fua",        "meta",
                                                       "prio",   "idle",   "preflush", "rahead", "background", "nomerge"};
      refuse(fmt::format("unknown word '{}'{}", word, suggest_name(word, known)));
    }
  }
  if (result.span != 0 && result.stride != 0) refuse("'stride' and 'random' exclude each other; keep one");
  if (result.span != 0 && result.span < result.sectors) {
    refuse(fmt::format("a random region of {} sectors is too short for a length of {}; make it longer", result.span,
                       result.sectors));
  }
  if (result.span == 0 && result.seed != 1)
    refuse("'seed' without 'random SPAN' means nothing; remove it or add the region");
  if (wait && result.nowait) refuse("'wait' and 'nowait' exclude each other; keep one");
  if (async) {
    result.flags = static_cast<ReqFlags>(result.flags & ~REQ_SYNC);
    result.nowait = !wait;
  }
  return result;
}

struct Verb {
  const char* name;
  Kind kind;
};
constexpr std::array<Verb, 12> verbs{{{"fsync", Kind::fsync},
                                      {"think", Kind::think},
                                      {"at", Kind::at},
                                      {"wait", Kind::wait},
                                      {"yield", Kind::yield},
                                      {"ioprio", Kind::ioprio},
                                      {"plug", Kind::plug},
                                      {"unplug", Kind::unplug},
                                      {"drain", Kind::drain},
                                      {"repeat", Kind::repeat},
                                      {"end", Kind::end},
                                      {"exit", Kind::exit}}};

std::uint32_t process_word(Words& words, const std::vector<std::string>& names) {
  const std::string_view word = words.need("the name of a process");
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    refuse(fmt::format("there is no process '{}'{}", word, suggest_name(word, {names.begin(), names.end()})));
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

}  // namespace

ProcessOp parse_op(std::string_view text, const std::vector<std::string>& process_names) {
  Words words(text);
  const std::string_view word = words.need("an operation");
  if (word == "read") return parse_io(Op::read, words);
  if (word == "write") return parse_io(Op::write, words);
  if (word == "discard") return parse_io(Op::discard, words);
  const auto* const verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return word == v.name; });
  if (verb == verbs.end()) {
    std::vector<std::string_view> known{"read", "write", "discard"};
    for (const Verb& v : verbs) known.emplace_back(v.name);
    refuse(fmt::format("unknown operation '{}'{}", word, suggest_name(word, known)));
  }
  ProcessOp op;
  op.kind = verb->kind;
  switch (op.kind) {
    case Kind::think:
    case Kind::at:
      op.time = time_word(words);
      break;
    case Kind::wait:
    case Kind::yield:
      op.target = process_word(words, process_names);
      break;
    case Kind::repeat:
      op.count = number<std::uint32_t>(words.need("the number of rounds"), 1, most_count, "a count");
      break;
    case Kind::ioprio: {
      const std::string_view prio = words.need("a priority");
      const auto parsed = parse_ioprio(prio);
      if (!parsed) refuse(fmt::format("'{}' is not an I/O priority; write none, idle, rt/0..7 or be/0..7", prio));
      op.ioprio = *parsed;
      break;
    }
    default:
      break;
  }
  words.finish(word);
  return op;
}

namespace {

std::string format_io(const ProcessOp& op) {
  const char* const verb = op.op == Op::read ? "read" : op.op == Op::write ? "write" : "discard";
  std::string text = fmt::format("{} {} +{}", verb, op.sector, op.sectors);
  if (op.count != 1) text += fmt::format(" x{}", op.count);
  if (op.stride != 0) text += fmt::format(" stride {}", op.stride);
  if (op.span != 0) text += fmt::format(" random {}", op.span);
  if (op.seed != 1) text += fmt::format(" seed {}", op.seed);
  if (op.depth != 1) text += fmt::format(" depth {}", op.depth);
  if (op.think.count() != 0) text += " think " + format_time(op.think);
  const bool sync = (op.flags & REQ_SYNC) != 0;
  if (op.op == Op::read) {
    if (sync) text += " sync";
    if (op.nowait) text += " nowait";
  } else if (sync) {
    if (op.nowait) text += " nowait";
  } else {
    text += op.nowait ? " async" : " async wait";
  }
  for (const FlagName& flag : flag_names) {
    if ((op.flags & flag.flag) != 0) text += fmt::format(" {}", flag.name);
  }
  return text;
}

}  // namespace

std::string format_op(const ProcessOp& op, const std::vector<ProcessSpec>& processes) {
  if (op.kind == Kind::io) return format_io(op);
  const auto* const verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return op.kind == v.kind; });
  std::string text = verb->name;
  switch (op.kind) {
    case Kind::think:
    case Kind::at:
      return text + " " + format_time(op.time);
    case Kind::wait:
    case Kind::yield:
      return text + " " + processes.at(op.target).name;
    case Kind::ioprio:
      return text + " " + to_string(op.ioprio);
    case Kind::repeat:
      return text + " " + std::to_string(op.count);
    default:
      return text;
  }
}

}  // namespace elvcheck
