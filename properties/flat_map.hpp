// SPDX-License-Identifier: GPL-2.0-or-later
// Maps and sets for what is in flight: few keys, which come mostly in ascending order. They are sorted vectors, and the
// first 16 entries need no memory of their own: a campaign makes a dozen of them for each of its small cases.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>

namespace elvcheck {

template <class Key, class Value>
using FlatMap =
    boost::container::flat_map<Key, Value, std::less<Key>, boost::container::small_vector<std::pair<Key, Value>, 16>>;

template <class Key>
using FlatSet = boost::container::flat_set<Key, std::less<Key>, boost::container::small_vector<Key, 16>>;

}  // namespace elvcheck
