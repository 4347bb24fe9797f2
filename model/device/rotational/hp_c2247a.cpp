// SPDX-License-Identifier: GPL-2.0-or-later
// The HP C2247A. Source of the figures: see drives.hpp.
#include "model/device/rotational/drives.hpp"

namespace elvcheck {

namespace {

// Defective tracks of each zone, which its blocks pass over.
constexpr std::uint32_t slips_0[] = {468, 526, 1204, 1861, 2447, 2680, 3098, 3683, 4880, 4919, 6952, 7095};
constexpr std::uint32_t slips_1[] = {231, 868, 1125, 1458, 1479, 1492};
constexpr std::uint32_t slips_2[] = {585, 996, 1401, 1810};
constexpr std::uint32_t slips_3[] = {582, 595, 699};
constexpr std::uint32_t slips_4[] = {569, 1098, 1518};
constexpr std::uint32_t slips_5[] = {693, 1489, 3102, 3115};
constexpr std::uint32_t slips_6[] = {1980, 1993, 3505};
constexpr std::uint32_t slips_7[] = {1512, 2506, 3320};

// First and last cylinder, sectors per track, blocks, unused blocks at the front, sectors from angle 0 to the first sector,
// track skew, cylinder skew (sectors), slips.
constexpr ZoneFacts zones[] = {
    {0, 558, 96, 664800, 1632, 0, 14, 32, slips_0},   {559, 760, 92, 229632, 0, 14, 13, 30, slips_1},
    {761, 901, 88, 155584, 0, 73, 13, 29, slips_2},   {902, 1051, 84, 157248, 0, 80, 12, 28, slips_3},
    {1052, 1193, 80, 143520, 0, 52, 12, 27, slips_4}, {1194, 1519, 72, 297648, 0, 0, 11, 24, slips_5},
    {1520, 1793, 64, 222976, 0, 32, 10, 22, slips_6}, {1794, 2050, 56, 183456, 0, 30, 9, 19, slips_7},
};

// Cylinders, nanoseconds.
constexpr SeekPoint seek_points[] = {
    {1, 2'890'000}, {2, 3'680'000}, {3, 3'810'000}, {4, 3'980'000}, {5, 4'270'000},
    {6, 4'650'000}, {7, 4'520'000}, {8, 4'650'000}, {9, 4'820'000}, {10, 4'990'000},
};

}  // namespace

const DriveFacts hp_c2247a = {
    .heads = 13,
    .slipped = DriveFacts::Slipped::tracks,
    .zones = zones,
    .seek = seek_points,
    .seek_beyond = {
        .split = 300, .root_base_ns = 3'810'000, .root_ns = 330'000, .line_base_ns = 7'750'000, .line_ns = 5'900}};

}  // namespace elvcheck
