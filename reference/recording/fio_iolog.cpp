// SPDX-License-Identifier: GPL-2.0-or-later
// fio's I/O logs (fio's HOWTO, "Trace file format v2" and "v3"). They know submissions only: files and offsets, no device.
//
// Assumed, and said in the warnings: the files lie one after another on the device, in the order of their first mention,
// each as long as its furthest access, rounded up to 1 MiB. The unit of version 3's timestamps, which the HOWTO leaves open,
// is the microsecond (iolog.c of fio 3.31 to 3.36 writes and replays it so); `wait` of version 2 is microseconds after the
// previous wait, as the HOWTO says, and waits below 100 us are discarded. Version 2 without waits has no times: every
// submission is at 0.
#include <algorithm>

#include "reference/recording/raw_event.hpp"
#include "reference/recording/text.hpp"

namespace elvcheck::recording_detail {

namespace {

constexpr std::uint64_t max_files = 10'000;
constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 50;
constexpr std::uint64_t max_microseconds = 3'200'000'000'000'000;  // a hundred years

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, RawRecording& out) : lines_(text, name), name_(name), out_(out) {}

  void run() {
    std::string_view line;
    if (!lines_.next(line)) fail("the file is empty");
    if (line == "fio version 3 iolog")
      version_ = 3;
    else if (line == "fio version 2 iolog")
      version_ = 2;
    else
      fail("expected 'fio version 2 iolog' or 'fio version 3 iolog', found " + quoted(line) + "; older logs are not read");
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t") != std::string_view::npos) action(line);
    }
    lay_out();
    say();
  }

 private:
  struct File {
    std::uint64_t bytes = 0;  // its length as far as it is known
    bool open = false;
  };

  [[noreturn]] void fail(const std::string& message) const { fail_at(name_, lines_.number(), message); }

  std::uint64_t number(std::string_view word, const char* what) const {
    const auto value = to_number<std::uint64_t>(word);
    if (!value) fail(std::string("expected ") + what + ", found " + quoted(word));
    return *value;
  }

  void action(std::string_view line) {
    Words words(line);
    if (version_ == 3) {
      const std::uint64_t stamp = number(words.next(), "a timestamp in microseconds");
      if (stamp > max_microseconds) fail("the timestamp " + std::to_string(stamp) + " us is beyond a hundred years");
      now_us_ = stamp;
    }
    const std::string_view file_name = words.next();
    const std::string_view verb = words.next();
    if (verb.empty()) fail("expected FILE ACTION, found " + quoted(line));
    const std::string_view third = words.next();
    const std::string_view fourth = words.next();
    if (!words.rest().empty()) fail("unexpected " + quoted(words.rest()) + " at the end of the line");
    if (third.empty()) return manage(file_name, verb);
    const std::uint64_t offset = number(third, "an offset in bytes");
    // fio 3.31 and later accept a line that ends after the offset for sync and wait only.
    const std::uint64_t length =
        fourth.empty() && (verb == "wait" || is_sync(verb)) ? 0 : number(fourth, "a length in bytes");
    if (verb == "wait") return wait(offset);
    io(file_name, verb, offset, length);
  }

  static bool is_sync(std::string_view verb) {
    return verb == "sync" || verb == "datasync" || verb == "sync_file_range" || verb == "syncfs";
  }

  std::size_t file_index(std::string_view file_name, bool add) {
    const auto found = index_.find(file_name);
    if (found != index_.end()) return found->second;
    if (!add) fail("the file " + quoted(file_name) + " was not added before; the log needs a line 'FILE add'");
    if (files_.size() >= max_files) fail("more than " + std::to_string(max_files) + " files; split the log");
    files_.emplace_back();
    index_.emplace(file_name, files_.size() - 1);
    return files_.size() - 1;
  }

  void manage(std::string_view file_name, std::string_view verb) {
    if (verb == "add") {
      file_index(file_name, true);
    } else if (verb == "open") {
      files_[file_index(file_name, false)].open = true;
    } else if (verb == "close") {
      files_[file_index(file_name, false)].open = false;
    } else if (verb == "unlink") {
      ++out_.skipped["unlink actions"];
    } else {
      fail("unknown file action " + quoted(verb) + "; fio knows add, open and close");
    }
  }

  void wait(std::uint64_t microseconds) {
    if (version_ == 3) fail("'wait' is not allowed in version 3; use timestamps");
    if (microseconds < 100) return;
    // Relative to the previous wait: between two waits nothing else advances the clock of a log without timestamps.
    now_us_ += std::min(microseconds, max_microseconds + 1);
    if (now_us_ > max_microseconds) fail("the waits add up to more than a hundred years");
    waits_ = true;
  }

  void io(std::string_view file_name, std::string_view verb, std::uint64_t offset, std::uint64_t length) {
    RawEvent event;
    event.at = static_cast<std::int64_t>(now_us_ * 1000);
    event.process = 1;
    const std::size_t index = file_index(file_name, false);
    if (!files_[index].open) fail("the file " + quoted(file_name) + " is not open; the log needs a line 'FILE open' before");
    if (is_sync(verb)) {
      event.op = Op::flush;
    } else {
      if (verb == "read")
        event.op = Op::read;
      else if (verb == "write")
        event.op = Op::write;
      else if (verb == "trim")
        event.op = Op::discard;
      else
        fail("unknown action " + quoted(verb) + "; fio knows read, write, sync, datasync, trim and wait");
      if (length == 0) fail("a " + std::string(verb) + " of 0 bytes");
      if (offset > max_file_bytes || length > max_file_bytes || length / sector_bytes >= UINT32_MAX)
        fail("offset or length beyond what is read (2^50 bytes, 2^41 for one operation)");
      event.sector = offset / sector_bytes;
      event.sectors = static_cast<SectorCount>((offset + length + sector_bytes - 1) / sector_bytes - event.sector);
      if (offset % sector_bytes != 0 || length % sector_bytes != 0) ++unaligned_;
      files_[index].bytes = std::max(files_[index].bytes, offset + length);
    }
    out_.events.push_back(event);
    file_of_.push_back(static_cast<std::uint32_t>(index));
  }

  void lay_out() {
    constexpr std::uint64_t step = std::uint64_t{1} << 20;
    std::vector<Sector> start(files_.size());
    Sector next = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      start[i] = next;
      next += (files_[i].bytes + step - 1) / step * (step / sector_bytes);
    }
    for (std::size_t i = 0; i < file_of_.size(); ++i)
      if (out_.events[i].op != Op::flush) out_.events[i].sector += start[file_of_[i]];
  }

  void say() {
    if (version_ == 3)
      out_.warnings.emplace_back("fio iolog version 3: timestamps taken as microseconds");
    else
      out_.warnings.emplace_back(waits_ ? "fio iolog version 2: waits taken as microseconds after the previous wait"
                                        : "fio iolog version 2 without waits: it has no times, every submission is at 0");
    out_.warnings.emplace_back("a fio iolog names files, not a device: " + std::to_string(files_.size()) +
                               " file(s) laid out one after another from sector 0, rounded up to 1 MiB");
    if (unaligned_ != 0)
      out_.warnings.push_back(std::to_string(unaligned_) + " operation(s) widened to whole sectors of 512 bytes");
  }

  LineReader lines_;
  const std::string& name_;
  RawRecording& out_;
  int version_ = 0;
  std::uint64_t now_us_ = 0;
  std::uint64_t unaligned_ = 0;
  bool waits_ = false;
  std::vector<File> files_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::uint32_t> file_of_;
};

}  // namespace

void parse_fio_iolog(std::string_view text, const std::string& name, RawRecording& out) {
  out.format = RecordingFormat::fio_iolog;
  Parser(text, name, out).run();
}

}  // namespace elvcheck::recording_detail
