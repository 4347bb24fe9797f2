// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/device/ssd/flash_map.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/core/mutant.hpp"

namespace elvcheck {

FlashMap::FlashMap(const Shape& shape)
    : shape_(shape),
      slots_of_block_(shape.pages * shape.slots),
      slots_of_die_(shape.blocks * slots_of_block_),
      dies_(shape.dies),
      regions_(shape.logical / (chunk_slots * region_chunks) + 1) {
  const std::uint64_t all = std::uint64_t{shape.dies} * shape.blocks * shape.pages * shape.slots;
  if (all >= nothing) throw std::invalid_argument("more than 16 TiB of flash: lower blocks_per_die or pages_per_block");
  for (Die& die : dies_) {
    die.blocks.resize(shape.blocks);
    for (std::uint32_t block = 0; block < shape.blocks; ++block) die.free.push_back(block);
  }
}

std::optional<FlashAddress> FlashMap::find(LogicalSlot slot) const {
  const Chunk* const chunk = chunk_of(slot);
  if (chunk == nullptr || (*chunk)[slot % chunk_slots] == nothing) return std::nullopt;
  return (*chunk)[slot % chunk_slots];
}

FlashMap::Chunk* FlashMap::chunk_of(LogicalSlot slot) const {
  const auto& region = regions_[slot / (chunk_slots * region_chunks)];
  return region == nullptr ? nullptr : (*region)[slot / chunk_slots % region_chunks].get();
}

std::uint32_t& FlashMap::entry(LogicalSlot slot) {
  auto& region = regions_[slot / (chunk_slots * region_chunks)];
  if (region == nullptr) region = std::make_unique<Region>();
  auto& chunk = (*region)[slot / chunk_slots % region_chunks];
  if (chunk == nullptr) {
    chunk = std::make_unique<Chunk>();
    chunk->fill(nothing);
  }
  return (*chunk)[slot % chunk_slots];
}

bool FlashMap::has_page(std::uint32_t die, Writer writer) const {
  if (dies_[die].open[static_cast<std::size_t>(writer)]) return true;
  return dies_[die].free.size() > (writer == Writer::host ? 1U : 0U);
}

FlashAddress FlashMap::take_page(std::uint32_t die, Writer writer) {
  Die& here = dies_[die];
  std::optional<std::uint32_t>& open = here.open[static_cast<std::size_t>(writer)];
  if (!open) {
    open = here.free.front();
    here.free.pop_front();
    Block& fresh = here.blocks[*open];
    fresh.state = Block::State::open;
    fresh.owner.assign(slots_of_block_, nothing);
  }
  Block& block = here.blocks[*open];
  const FlashAddress page = page_address(die, *open, block.taken++);
  if (block.taken == shape_.pages) open.reset();
  return page;
}

void FlashMap::commit_page(FlashAddress page) {
  Block& block = block_of(page);
  if (++block.committed == shape_.pages) block.state = Block::State::full;
}

void FlashMap::place(LogicalSlot slot, FlashAddress address) {
  std::uint32_t& where = entry(slot);
  if (where != nothing && !planted(Mutant::ssd_old_place_lives)) kill(where);
  where = address;
  Block& block = block_of(address);
  block.owner[address % slots_of_block_] = slot;
  ++block.live;
}

void FlashMap::forget(LogicalSlot first, LogicalSlot behind) {
  for (LogicalSlot slot = first; slot < behind; ++slot) {
    if (regions_[slot / (chunk_slots * region_chunks)] == nullptr) {
      slot |= chunk_slots * region_chunks - 1;  // the whole region was never written
      continue;
    }
    Chunk* const chunk = chunk_of(slot);
    if (chunk == nullptr) {
      slot |= chunk_slots - 1;
      continue;
    }
    std::uint32_t& where = (*chunk)[slot % chunk_slots];
    if (where != nothing) kill(where);
    where = nothing;
  }
}

void FlashMap::kill(FlashAddress address) {
  Block& block = block_of(address);
  block.owner[address % slots_of_block_] = nothing;
  --block.live;
}

std::optional<std::uint32_t> FlashMap::victim(std::uint32_t die) const {
  std::optional<std::uint32_t> best;
  std::uint32_t fewest = slots_of_block_;
  const std::vector<Block>& blocks = dies_[die].blocks;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].state != Block::State::full || blocks[i].live >= fewest) continue;
    fewest = blocks[i].live;
    best = i;
  }
  return best;
}

FlashAddress FlashMap::page_address(std::uint32_t die, std::uint32_t block, std::uint32_t page) const {
  return die * slots_of_die_ + block * slots_of_block_ + page * shape_.slots;
}

std::vector<FlashMap::Live> FlashMap::live(FlashAddress page) const {
  std::vector<Live> result;
  const Block& block = block_of(page);
  for (FlashAddress address = page; address < page + shape_.slots; ++address) {
    const LogicalSlot slot = block.owner[address % slots_of_block_];
    if (slot != nothing) result.push_back({slot, address});
  }
  return result;
}

void FlashMap::erase(std::uint32_t die, std::uint32_t block) {
  Block& gone = dies_[die].blocks[block];
  if (gone.state != Block::State::full || gone.live != 0) {
    throw std::logic_error("flash: die " + std::to_string(die) + " erases block " + std::to_string(block) + " with " +
                           std::to_string(gone.live) + " live slots");
  }
  gone = Block{};
  dies_[die].free.push_back(block);
}

std::string FlashMap::check() const {
  std::uint64_t mapped = 0;
  for (std::uint64_t first = 0; first < shape_.logical; first += chunk_slots) {
    if (regions_[first / (chunk_slots * region_chunks)] == nullptr) {
      first |= chunk_slots * (region_chunks - 1);  // to the region's last chunk
      continue;
    }
    const Chunk* const chunk = chunk_of(static_cast<LogicalSlot>(first));
    if (chunk == nullptr) continue;
    for (std::uint32_t i = 0; i < chunk_slots; ++i) {
      const std::uint32_t address = (*chunk)[i];
      if (address == nothing) continue;
      ++mapped;
      const auto slot = static_cast<LogicalSlot>(first + i);
      const Block& block = block_of(address);
      if (block.state == Block::State::free) return "slot " + std::to_string(slot) + " lies in an erased block";
      if (block.owner[address % slots_of_block_] != slot) return "slot " + std::to_string(slot) + " lies where another does";
    }
  }
  std::uint64_t live_slots = 0;
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    std::size_t free = 0;
    for (std::uint32_t i = 0; i < shape_.blocks; ++i) {
      const Block& block = dies_[die].blocks[i];
      const std::string name = "block " + std::to_string(i) + " of die " + std::to_string(die);
      const auto owned = static_cast<std::uint32_t>(
          std::count_if(block.owner.begin(), block.owner.end(), [](LogicalSlot slot) { return slot != nothing; }));
      if (owned != block.live)
        return name + " counts " + std::to_string(block.live) + " live slots, has " + std::to_string(owned);
      if (block.committed > block.taken) return name + " has more pages programmed than taken";
      if (block.state == Block::State::free && block.taken != 0) return name + " is free and written";
      free += block.state == Block::State::free ? 1 : 0;
      live_slots += owned;
    }
    if (free != dies_[die].free.size()) return "die " + std::to_string(die) + " has lost a free block";
  }
  if (live_slots != mapped) {
    return std::to_string(mapped) + " slots are mapped, but " + std::to_string(live_slots) + " places live";
  }
  return {};
}

}  // namespace elvcheck
