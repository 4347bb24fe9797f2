// SPDX-License-Identifier: GPL-2.0-or-later
// What a process submits: one contiguous operation, the kernel's `struct bio`.
#pragma once

#include <cstdint>

#include "model/core/ioprio.hpp"
#include "model/core/units.hpp"

namespace elvcheck {

/// REQ_OP_* (include/linux/blk_types.h).
enum class Op : std::uint8_t { read, write, flush, discard };

inline bool is_write(Op op) { return op != Op::read; }

/// Modifiers of an operation, a bit set; names are the kernel's REQ_* (blk_types.h of 6.1 unless noted).
enum ReqFlag : std::uint16_t {
  REQ_SYNC = 1 << 0,      ///< somebody waits for it; reads count as sync without it
  REQ_META = 1 << 1,      ///< file-system metadata
  REQ_PRIO = 1 << 2,      ///< boost over other requests (cfq from 3.2)
  REQ_IDLE = 1 << 3,      ///< more of the same will follow (from 4.10; until 4.8 the inverse, REQ_NOIDLE)
  REQ_FUA = 1 << 4,       ///< on the medium before it completes
  REQ_PREFLUSH = 1 << 5,  ///< the volatile cache is flushed first
  REQ_RAHEAD = 1 << 6,    ///< readahead
  REQ_BACKGROUND = 1 << 7,///< background write-back
  REQ_NOMERGE = 1 << 8,   ///< never merged
};
using ReqFlags = std::uint16_t;

using BioId = std::uint32_t;

/// One submission. It belongs to whoever submitted it and stays at its address until BlockLayerHost::bio_done.
struct Bio {
  BioId id = 0;           ///< unique in a run, in order of submission, from 1
  ProcessId process = 0;  ///< the submitter
  Op op = Op::read;
  ReqFlags flags = 0;
  IoPrio ioprio;
  std::uint32_t group = 0;  ///< cgroup of the submitter: 0 the root, else BlockSettings::groups[group - 1]
  Sector sector = 0;
  SectorCount sectors = 0;
  Nanoseconds queued_at{0};  ///< virtual time of submission
  std::uint64_t cookie = 0;  ///< the submitter's own use
  Bio* next = nullptr;       ///< chain inside a request, in ascending order of sector
};

/// op_is_flush(): goes to the flush machinery and never into a scheduler.
inline bool op_is_flush(Op op, ReqFlags flags) { return op == Op::flush || (flags & (REQ_FUA | REQ_PREFLUSH)) != 0; }

/// op_is_sync(): a read, a flush, or anything that carries SYNC, FUA or PREFLUSH (4.10 and later).
inline bool op_is_sync(Op op, ReqFlags flags) {
  return op == Op::read || op == Op::flush || (flags & (REQ_SYNC | REQ_FUA | REQ_PREFLUSH)) != 0;
}

}  // namespace elvcheck
