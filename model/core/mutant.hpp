// SPDX-License-Identifier: GPL-2.0-or-later
// Planted bugs: named slips in the models, to test the properties. Off unless a scenario asks for one by name.
//
// A new planted bug is one line in the table below and one `planted(Mutant::...)` where the slip would be made. The switch is a
// thread-local number, so with every bug off a decision costs one comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace elvcheck {

// X(identifier, "name", "what the slip is, in one sentence")
#define ELVCHECK_MUTANTS(X)                                                                                                    \
  X(noop_last_first, "noop.last-first", "noop inserts at the head of its list")                                               \
  X(deadline_batch_one_more, "deadline.batch-one-more", "a batch has fifo_batch + 1 requests")                                \
  X(deadline_starved_never_counted, "deadline.starved-never-counted", "passing over waiting writes is not counted")           \
  X(mq_deadline_aging_ignored, "mq-deadline.aging-ignored", "the aging pass is never entered")                                \
  X(mq_deadline_async_depth_ignored, "mq-deadline.async-depth-ignored", "limit_depth sets no limit")

/// Identifies a planted bug; `none` is the correct model.
enum class Mutant : std::uint8_t {
  none,
#define X(identifier, name, statement) identifier,
  ELVCHECK_MUTANTS(X)
#undef X
};

struct MutantInfo {
  Mutant mutant;
  const char* name;
  const char* statement;
};

/// Every planted bug, in the order of the table.
std::span<const MutantInfo> mutants();
/// The one of that name, or null.
const MutantInfo* find_mutant(std::string_view name);

namespace detail {
inline thread_local Mutant planted_mutant = Mutant::none;
}

/// Whether this bug is planted in the present thread.
inline bool planted(Mutant mutant) { return detail::planted_mutant == mutant; }

/// Plants a bug while it lives.
class PlantMutant {
 public:
  explicit PlantMutant(Mutant mutant) : before_(detail::planted_mutant) { detail::planted_mutant = mutant; }
  ~PlantMutant() { detail::planted_mutant = before_; }
  PlantMutant(const PlantMutant&) = delete;
  PlantMutant& operator=(const PlantMutant&) = delete;

 private:
  Mutant before_;
};

}  // namespace elvcheck
