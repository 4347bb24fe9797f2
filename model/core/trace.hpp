// SPDX-License-Identifier: GPL-2.0-or-later
// The trace: a typed stream of everything that happened, from the model, from the kernel's own code, or read from a
// recording of a real machine. Properties are judged on nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/bio.hpp"
#include "model/core/units.hpp"

namespace elvcheck {

/// What happened. The letter in brackets is blktrace's.
enum class EventKind : std::uint8_t {
  queue,          ///< [Q] a bio was submitted
  get_request,    ///< [G] a request was allocated for it
  sleep_request,  ///< [S] no request was free: the submitter sleeps
  back_merge,     ///< [M] the bio was appended to a queued request
  front_merge,    ///< [F] the bio was put before a queued request
  request_merge,  ///< [m] request `other` was absorbed by `request`, which ends up with the given place and length
  insert,         ///< [I] the request entered the scheduler (or the dispatch list)
  plug,           ///< [P] the submitter (or the queue) was plugged
  unplug,         ///< [U] and unplugged
  timer_unplug,   ///< [UT] unplugged by time, or by the submitter going to sleep
  issue,          ///< [D] the request was handed to the device
  requeue,        ///< [R] the device gave it back
  complete,       ///< [C] the device has done it
  timer,          ///< a scheduler's or block layer's timer fired; rule says which
  note,           ///< a decision: `rule` fired with `numbers`
};

/// blktrace's letter, or "t" and "n" for timer and note.
std::string_view letter(EventKind kind);

/// A rule of a scheduler or block layer that can be seen to fire. Defined once, beside the code that decides.
struct DecisionRule {
  const char* name;       ///< "mq-deadline.start-batch": scheduler, point, rule
  const char* statement;  ///< one sentence
  std::array<const char*, 4> numbers{};  ///< names (with units) of TraceEvent::numbers
};

/// Identifies a request in a run, from 1; 0 is "none". A number is not used twice.
using RequestId = std::uint32_t;

struct TraceEvent {
  Nanoseconds at{0};
  EventKind kind = EventKind::note;
  Op op = Op::read;
  ReqFlags flags = 0;
  IoPrio ioprio;
  ProcessId process = 0;   ///< the submitter; for request events that of the request's first bio
  BioId bio = 0;           ///< queue, get_request, merges, sleep_request
  RequestId request = 0;   ///< all request events
  RequestId other = 0;     ///< request_merge: the absorbed request
  Sector sector = 0;       ///< of the bio (queue, get, bio merges) or of the request (the others)
  SectorCount sectors = 0;
  const DecisionRule* rule = nullptr;      ///< note and timer
  std::array<std::int64_t, 4> numbers{};   ///< note and timer
};

class TraceListener {
 public:
  virtual ~TraceListener() = default;
  virtual void on_event(const TraceEvent& event) = 0;
};

/// Hands each event to every listener, in the order in which they were added.
class Trace {
 public:
  /// The listener is not owned and must outlive the trace's use.
  void add(TraceListener& listener) { listeners_.push_back(&listener); }
  bool watched() const { return !listeners_.empty(); }
  void emit(const TraceEvent& event) {
    for (TraceListener* listener : listeners_) listener->on_event(event);
  }

 private:
  std::vector<TraceListener*> listeners_;
};

/// Keeps every event.
class TraceKeeper : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

/// A hash of every field of every event, 64 bit: equal runs have equal hashes on every machine.
class TraceHasher : public TraceListener {
 public:
  void on_event(const TraceEvent& event) override;
  std::uint64_t hash() const { return hash_; }

 private:
  void mix(std::uint64_t value);
  void mix(std::string_view text);
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

/// One line for a person: "    1.234567 ms  12  D   R 1000 + 8 (request 3)".
std::string to_line(const TraceEvent& event);

}  // namespace elvcheck
