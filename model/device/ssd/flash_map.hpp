// SPDX-License-Identifier: GPL-2.0-or-later
// The flash translation layer's books: which logical slot lies where, which pages are live, which block to collect. No time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace elvcheck {

/// A logical slot: 4 KiB, the unit of the mapping.
using LogicalSlot = std::uint32_t;
inline constexpr std::uint32_t slot_sectors = 8;

/// A physical slot, counted die by die, block by block, page by page.
using FlashAddress = std::uint32_t;

/// Page-level mapping. "Page" is what a die programs at once: a page of each plane, several slots; "block" what it erases at
/// once.
///
/// Memory grows with what has been written, not with the capacity: the map is kept in small chunks, since random writes
/// touch a new one each, the list of a block's owners only while the block holds something. A slot never written has no
/// address.
class FlashMap {
 public:
  struct Shape {
    std::uint32_t dies = 1;
    std::uint32_t blocks = 8;    ///< of a die
    std::uint32_t pages = 2;     ///< of a block
    std::uint32_t slots = 1;     ///< of a page
    LogicalSlot logical = 1;     ///< logical slots, below the physical ones
    std::uint32_t gc_below = 3;  ///< a die with fewer free blocks wants collection
  };
  /// Who fills a page: the host's writes and the moved pages go to blocks of their own.
  enum class Writer : std::uint8_t { host, collector };

  /// Throws std::invalid_argument if an address does not fit into 32 bits.
  explicit FlashMap(const Shape& shape);

  const Shape& shape() const { return shape_; }
  std::optional<FlashAddress> find(LogicalSlot slot) const;
  std::uint32_t die_of(FlashAddress address) const { return address / slots_of_die_; }
  FlashAddress page_of(FlashAddress address) const { return address / shape_.slots * shape_.slots; }

  /// Whether take_page() would succeed. The last free block of a die is kept for the collector.
  bool has_page(std::uint32_t die, Writer writer) const;
  /// The address of the next page that `writer` programs on this die.
  FlashAddress take_page(std::uint32_t die, Writer writer);
  /// That page, which was taken first of those not yet committed on its die, has been programmed.
  void commit_page(FlashAddress page);
  /// The slot now lies at `address`, in a committed page; its previous place is dead.
  void place(LogicalSlot slot, FlashAddress address);
  /// The slots of [first, behind) have no data any more.
  void forget(LogicalSlot first, LogicalSlot behind);

  bool wants_collection(std::uint32_t die) const { return dies_[die].free.size() < shape_.gc_below; }
  std::size_t free_blocks(std::uint32_t die) const { return dies_[die].free.size(); }
  /// The full block of this die with the fewest live slots, the first of equals; none if all their slots are live.
  std::optional<std::uint32_t> victim(std::uint32_t die) const;
  /// The first address of a page of a block.
  FlashAddress page_address(std::uint32_t die, std::uint32_t block, std::uint32_t page) const;
  /// The live slots of a page, with their addresses in ascending order.
  struct Live {
    LogicalSlot slot;
    FlashAddress address;
  };
  std::vector<Live> live(FlashAddress page) const;
  /// Erases a full block. Throws std::logic_error if one of its slots is live.
  void erase(std::uint32_t die, std::uint32_t block);

  /// Recounts everything: the map is a bijection between mapped slots and live pages, every count is right. Empty if so,
  /// otherwise one line about the first difference.
  std::string check() const;

 private:
  static constexpr std::uint32_t nothing = ~0U;
  static constexpr std::uint32_t chunk_slots = 128;
  static constexpr std::uint32_t region_chunks = 512;

  using Chunk = std::array<std::uint32_t, chunk_slots>;  // addresses
  using Region = std::array<std::unique_ptr<Chunk>, region_chunks>;
  struct Block {
    enum class State : std::uint8_t { free, open, full };
    State state = State::free;
    std::uint32_t taken = 0;      // pages handed out
    std::uint32_t committed = 0;  // pages programmed
    std::uint32_t live = 0;       // slots
    std::vector<LogicalSlot> owner;
  };
  struct Die {
    std::vector<Block> blocks;
    std::deque<std::uint32_t> free;
    std::optional<std::uint32_t> open[2];  // by Writer
  };
  Block& block_of(FlashAddress address) { return dies_[die_of(address)].blocks[address % slots_of_die_ / slots_of_block_]; }
  const Block& block_of(FlashAddress address) const { return const_cast<FlashMap*>(this)->block_of(address); }
  /// The chunk of a slot; null: none of its slots was ever written.
  Chunk* chunk_of(LogicalSlot slot) const;
  std::uint32_t& entry(LogicalSlot slot);
  void kill(FlashAddress address);

  Shape shape_;
  std::uint32_t slots_of_block_;
  std::uint32_t slots_of_die_;
  std::vector<Die> dies_;
  std::vector<std::unique_ptr<Region>> regions_;
};

}  // namespace elvcheck
