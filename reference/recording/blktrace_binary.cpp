// SPDX-License-Identifier: GPL-2.0-or-later
// The records that blktrace(8) writes: struct blk_io_trace of version 7, 48 bytes and a payload, in the byte order of the
// machine that recorded. Numbers and layout are those of include/uapi/linux/blktrace_api.h. Version 8 (struct blk_io_trace2)
// has other fields and is refused by name.
#include "reference/recording/raw_event.hpp"
#include "reference/recording/text.hpp"

namespace elvcheck::recording_detail {

namespace {

constexpr std::uint32_t magic = 0x656174;  // above the version byte
constexpr std::uint32_t version = 7;
constexpr std::size_t record_size = 48;
constexpr std::uint32_t cgroup_bit =
    1U << 8;  // in the low half of the action: an 8-byte cgroup id stands before the payload

// Categories, in the high half of the action.
constexpr std::uint32_t cat_write = 1U << 1, cat_flush = 1U << 2, cat_sync = 1U << 3, cat_pc = 1U << 9,
                        cat_notify = 1U << 10, cat_ahead = 1U << 11, cat_meta = 1U << 12, cat_discard = 1U << 13,
                        cat_fua = 1U << 15;

/// The trace's action for __BLK_TA_*; nothing for those that are left out.
std::optional<Action> action_of(std::uint32_t number) {
  switch (number) {
    case 1:
      return Action::queue;
    case 2:
      return Action::back_merge;
    case 3:
      return Action::front_merge;
    case 4:
      return Action::get_request;
    case 5:
      return Action::sleep_request;
    case 6:
      return Action::requeue;
    case 7:
      return Action::issue;
    case 8:
      return Action::complete;
    case 9:
      return Action::plug;
    case 10:
      return Action::unplug;
    case 11:
      return Action::timer_unplug;
    case 12:
      return Action::insert;
    case 13:
      return Action::split;
    default:
      return std::nullopt;
  }
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name, RawRecording& out) : bytes_(bytes), name_(name), out_(out) {}

  void run() {
    while (offset_ < bytes_.size()) record();
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(name_ + ": byte " + std::to_string(offset_) + ": " + message);
  }

  template <class T>
  T number(std::size_t at) const {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t place = big_endian_ ? i : sizeof(T) - 1 - i;
      value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes_[at + place]));
    }
    return value;
  }

  void check_magic() {
    big_endian_ = false;
    std::uint32_t word = number<std::uint32_t>(offset_);
    if (word >> 8 != magic) {
      big_endian_ = true;
      word = number<std::uint32_t>(offset_);
    }
    if (word >> 8 != magic)
      fail("no blktrace record starts here (its magic is missing); the file is damaged, record it again");
    const std::uint32_t found = word & 0xFF;
    if (found != version)
      fail("blktrace version " + std::to_string(found) + (found == 8 ? " (struct blk_io_trace2)" : "") +
           ", but only version 7 is read; give the text of blkparse instead");
  }

  void record() {
    if (bytes_.size() - offset_ < record_size)
      fail("the file ends in the middle of a record (" + std::to_string(bytes_.size() - offset_) + " of " +
           std::to_string(record_size) + " bytes); copy it again, or cut it at this offset");
    check_magic();
    const std::size_t payload_size = number<std::uint16_t>(offset_ + 46);
    if (bytes_.size() - offset_ - record_size < payload_size)
      fail("the file ends in the middle of a record's payload; copy it again, or cut it at this offset");
    const std::uint32_t action = number<std::uint32_t>(offset_ + 28);
    std::string_view payload = bytes_.substr(offset_ + record_size, payload_size);
    if ((action & cgroup_bit) != 0) {
      if (payload.size() < 8) fail("a record says that it holds a cgroup id, but is too short for one; the file is damaged");
      payload.remove_prefix(8);
    }
    if ((action >> 16 & cat_notify) != 0)
      notify(action & 0xFF, payload);
    else
      event(action, payload);
    offset_ += record_size + payload_size;
  }

  void notify(std::uint32_t kind, std::string_view payload) {
    if (kind != 0) {
      // 1 relates the clock to the time of day, which the trace does not need; 2 is a message of the scheduler.
      if (kind == 2) ++out_.skipped["messages"];
      return;
    }
    const auto pid = static_cast<ProcessId>(number<std::uint32_t>(offset_ + 32));
    out_.process_names.try_emplace(pid, payload.substr(0, payload.find('\0')));
  }

  void event(std::uint32_t action, std::string_view payload) {
    const std::uint32_t categories = action >> 16;
    const auto kind = action_of(action & 0xFF);
    if (!kind || (categories & cat_pc) != 0) {
      ++out_.skipped[kind ? "driver commands" : "actions " + std::to_string(action & 0xFF)];
      return;
    }
    RawEvent event;
    event.action = *kind;
    event.sequence = number<std::uint32_t>(offset_ + 4);
    const std::uint64_t time = number<std::uint64_t>(offset_ + 8);
    if (time > static_cast<std::uint64_t>(INT64_MAX))
      fail("the time of this record lies beyond 2^63 ns; the file is damaged");
    event.at = static_cast<std::int64_t>(time);
    event.sector = number<std::uint64_t>(offset_ + 16);
    const std::uint32_t bytes = number<std::uint32_t>(offset_ + 24);
    event.sectors = bytes / static_cast<std::uint32_t>(sector_bytes);
    event.process = static_cast<ProcessId>(number<std::uint32_t>(offset_ + 32));
    const std::uint32_t device = number<std::uint32_t>(offset_ + 36);
    event.device = {device >> 20, device & 0xFFFFF};
    event.cpu = number<std::uint32_t>(offset_ + 40);
    if (event.action == Action::complete && number<std::uint16_t>(offset_ + 44) != 0)
      ++out_.skipped["error codes of completions"];
    operation(categories, event);
    if (event.action == Action::split) {
      if (payload.size() < 8) fail("a split without its second sector; the file is damaged");
      for (const char c : payload.substr(0, 8))
        event.split_at = event.split_at << 8 | static_cast<unsigned char>(c);  // __be64
    }
    out_.events.push_back(event);
  }

  static void operation(std::uint32_t categories, RawEvent& event) {
    event.op = (categories & cat_discard) != 0 ? Op::discard : (categories & cat_write) != 0 ? Op::write : Op::read;
    if ((categories & cat_flush) != 0) {
      if (event.sectors == 0 && event.op != Op::discard)
        event.op = Op::flush;
      else
        event.flags |= REQ_PREFLUSH;
    }
    if (event.op == Op::flush) event.sector = 0;
    if ((categories & cat_fua) != 0) event.flags |= REQ_FUA;
    if ((categories & cat_ahead) != 0) event.flags |= REQ_RAHEAD;
    if ((categories & cat_sync) != 0) event.flags |= REQ_SYNC;
    if ((categories & cat_meta) != 0) event.flags |= REQ_META;
  }

  std::string_view bytes_;
  const std::string& name_;
  RawRecording& out_;
  std::size_t offset_ = 0;
  bool big_endian_ = false;
};

}  // namespace

void parse_blktrace(std::string_view bytes, const std::string& name, RawRecording& out) {
  out.format = RecordingFormat::blktrace_binary;
  Parser(bytes, name, out).run();
}

}  // namespace elvcheck::recording_detail
