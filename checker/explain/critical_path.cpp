// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/explain/critical_path.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <optional>

namespace elvcheck {

namespace {

/// What the trace says of a request.
struct Life {
  ProcessId process = 0;
  IoPrio ioprio;
  std::optional<Nanoseconds> queued, allocated, inserted, issued, completed;
  bool slept = false;  ///< no request was free at first
  const DecisionRule* decided_by = nullptr;
};

/// The device's state from one moment to the next event that changes it.
struct DeviceState {
  Nanoseconds at{0};
  RequestId serves = 0;                ///< of the commands inside the one that was handed over first; 0: idle
  const DecisionRule* last = nullptr;  ///< the latest decision
};

class Reader {
 public:
  explicit Reader(std::span<const TraceEvent> events) {
    for (const TraceEvent& event : events) read(event);
  }

  std::vector<CriticalPath> paths() const {
    std::vector<CriticalPath> paths;
    for (const auto& [id, life] : lives_) {
      if (life.completed && life.issued && life.queued) paths.push_back(path_of(id, life));
    }
    return paths;
  }

 private:
  void read(const TraceEvent& event) {
    switch (event.kind) {
      case EventKind::queue:
        bio_queued_[event.bio] = event.at;
        break;
      case EventKind::sleep_request:
        bio_slept_[event.bio] = true;
        break;
      case EventKind::get_request: {
        Life& life = lives_[event.request];
        life.process = event.process;
        life.ioprio = event.ioprio;
        life.allocated = event.at;
        life.queued = bio_queued_.contains(event.bio) ? bio_queued_.at(event.bio) : event.at;
        life.slept = bio_slept_.contains(event.bio);
        break;
      }
      case EventKind::insert:
        if (!lives_[event.request].inserted) lives_[event.request].inserted = event.at;
        break;
      case EventKind::issue: {
        Life& life = lives_[event.request];
        if (!life.inserted) life.inserted = event.at;
        life.issued = event.at;
        if (life.decided_by == nullptr) life.decided_by = latest_;
        inside_.push_back(event.request);
        changed(event.at);
        break;
      }
      case EventKind::requeue:
      case EventKind::complete:
        if (event.kind == EventKind::complete) lives_[event.request].completed = event.at;
        std::erase(inside_, event.request);
        changed(event.at);
        break;
      case EventKind::note:
      case EventKind::timer:
        latest_ = event.rule;
        if (event.request != 0 && event.kind == EventKind::note && !lives_[event.request].issued) {
          lives_[event.request].decided_by = event.rule;
        }
        changed(event.at);
        break;
      default:
        break;
    }
  }

  void changed(Nanoseconds at) { device_.push_back({at, inside_.empty() ? 0 : inside_.front(), latest_}); }

  CriticalPath path_of(RequestId id, const Life& life) const {
    CriticalPath path{id, life.process, life.ioprio, *life.queued, *life.completed, {}};
    add(path, *life.queued, *life.allocated, 0, nullptr,
        life.slept ? "no request was free" : "before a request was allocated");
    add(path, *life.allocated, *life.inserted, 0, nullptr, "held in a plug");
    add_device_states(path, *life.inserted, *life.issued, 0);
    add_device_states(path, *life.issued, *life.completed, id);
    return path;
  }

  /// Cuts [from, to) by what the device did. @param own the request itself if it is in the device, else 0
  void add_device_states(CriticalPath& path, Nanoseconds from, Nanoseconds to, RequestId own) const {
    auto it = std::upper_bound(device_.begin(), device_.end(), from,
                               [](Nanoseconds at, const DeviceState& s) { return at < s.at; });
    DeviceState state = it == device_.begin() ? DeviceState{} : *(it - 1);
    while (from < to) {
      const Nanoseconds end = it == device_.end() ? to : std::min(to, it->at);
      if (own != 0) {
        const bool behind = state.serves != 0 && state.serves != own;
        add(path, from, end, behind ? state.serves : 0, nullptr,
            behind ? "in the device behind request" : "served by the device");
      } else if (state.serves != 0) {
        add(path, from, end, state.serves, lives_.at(state.serves).decided_by,
            "in the scheduler while the device serves request");
      } else {
        add(path, from, end, 0, state.last, "in the scheduler while the device is idle");
      }
      from = end;
      if (it != device_.end()) state = *it++;
    }
  }

  static void add(CriticalPath& path, Nanoseconds from, Nanoseconds to, RequestId holder, const DecisionRule* rule,
                  const char* reason) {
    if (from >= to) return;
    if (!path.waits.empty()) {
      Wait& last = path.waits.back();
      if (last.holder == holder && last.rule == rule && last.reason == reason) {
        last.to = to;
        return;
      }
    }
    path.waits.push_back({from, to, holder, rule, reason});
  }

  std::map<BioId, Nanoseconds> bio_queued_;
  std::map<BioId, bool> bio_slept_;
  std::map<RequestId, Life> lives_;
  std::vector<RequestId> inside_;  // in the order in which they were handed over
  std::vector<DeviceState> device_;
  const DecisionRule* latest_ = nullptr;
};

/// Real-time before best-effort (and none) before idle, then by level.
int rank(IoPrio ioprio) {
  const int by_class = ioprio.io_class == IoClass::rt ? 0 : ioprio.io_class == IoClass::idle ? 2 : 1;
  return by_class * 8 + (ioprio.io_class == IoClass::none ? 4 : ioprio.level);
}

}  // namespace

std::vector<CriticalPath> critical_paths(std::span<const TraceEvent> events) { return Reader(events).paths(); }

std::vector<Inversion> priority_inversions(std::span<const CriticalPath> paths) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  std::map<RequestId, std::size_t> vertex;
  for (const CriticalPath& path : paths) vertex.emplace(path.request, vertex.size());
  Graph waits_for(vertex.size());
  std::map<std::pair<RequestId, RequestId>, Nanoseconds> time;
  for (const CriticalPath& path : paths) {
    for (const Wait& wait : path.waits) {
      if (!vertex.contains(wait.holder)) continue;
      Nanoseconds& sum = time[{path.request, wait.holder}];
      if (sum.count() == 0) boost::add_edge(vertex.at(path.request), vertex.at(wait.holder), waits_for);
      sum += wait.to - wait.from;
    }
  }
  std::vector<std::size_t> component(vertex.size());
  boost::strong_components(waits_for,
                           boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, waits_for)));
  std::vector<Inversion> inversions;
  for (const auto& [pair, sum] : time) {
    const CriticalPath& waiter = paths[vertex.at(pair.first)];
    const CriticalPath& holder = paths[vertex.at(pair.second)];
    if (rank(holder.ioprio) <= rank(waiter.ioprio)) continue;
    inversions.push_back(
        {pair.first, pair.second, sum, component[vertex.at(pair.first)] == component[vertex.at(pair.second)]});
  }
  std::stable_sort(inversions.begin(), inversions.end(),
                   [](const Inversion& a, const Inversion& b) { return a.time > b.time; });
  return inversions;
}

Difference first_difference(std::span<const TraceEvent> first, std::span<const TraceEvent> second) {
  struct Cursor {
    std::span<const TraceEvent> events;
    std::size_t at = 0;
    const TraceEvent* decision = nullptr;
    const TraceEvent* next() {
      for (; at < events.size(); ++at) {
        if (events[at].kind == EventKind::note) decision = &events[at];
        if (events[at].kind == EventKind::issue) return &events[at++];
      }
      return nullptr;
    }
  };
  const auto same = [](const TraceEvent& a, const TraceEvent& b) {
    return a.at == b.at && a.op == b.op && a.sector == b.sector && a.sectors == b.sectors;
  };
  Cursor one{first};
  Cursor other{second};
  Difference difference;
  for (;; ++difference.place) {
    difference.first = one.next();
    difference.second = other.next();
    const bool both = difference.first != nullptr && difference.second != nullptr;
    if (both && same(*difference.first, *difference.second)) continue;
    if (difference.first == nullptr && difference.second == nullptr) return difference;
    difference.first_decision = one.decision;
    difference.second_decision = other.decision;
    return difference;
  }
}

}  // namespace elvcheck
