// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/explore/state_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <deque>
#include <map>

namespace elvcheck {

namespace {

struct StepInfo {
  std::string label;
  bool serves = false;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, StepInfo>;
using Vertex = Graph::vertex_descriptor;
using Edge = Graph::edge_descriptor;

/// Keeps the edges along which the watched one goes on waiting.
struct StillWaits {
  const Graph* graph = nullptr;
  const std::vector<bool>* waits = nullptr;
  bool operator()(const Edge& edge) const {
    return (*waits)[boost::source(edge, *graph)] && (*waits)[boost::target(edge, *graph)] && !(*graph)[edge].serves;
  }
};
using WaitingGraph = boost::filtered_graph<Graph, StillWaits>;

/// Keeps the edges inside one component.
struct Inside {
  const WaitingGraph* graph = nullptr;
  const std::vector<std::size_t>* component = nullptr;
  std::size_t wanted = 0;
  bool operator()(const Edge& edge) const {
    return (*component)[boost::source(edge, *graph)] == wanted && (*component)[boost::target(edge, *graph)] == wanted;
  }
};

class ReachedBy : public boost::default_bfs_visitor {
 public:
  explicit ReachedBy(std::vector<std::optional<Edge>>& edges) : edges_(&edges) {}
  template <class AnyGraph>
  void tree_edge(Edge edge, const AnyGraph& graph) const {
    (*edges_)[boost::target(edge, graph)] = edge;
  }

 private:
  std::vector<std::optional<Edge>>* edges_;
};

/// The labels of a shortest way.
template <class AnyGraph>
std::vector<std::string> shortest_way(const AnyGraph& graph, Vertex from, Vertex to) {
  std::vector<std::optional<Edge>> reached_by(boost::num_vertices(graph));
  boost::breadth_first_search(graph, from, boost::visitor(ReachedBy(reached_by)));
  std::vector<std::string> labels;
  for (Vertex at = to; at != from; at = boost::source(*reached_by[at], graph))
    labels.push_back(graph[*reached_by[at]].label);
  std::reverse(labels.begin(), labels.end());
  return labels;
}

/// The graph while it grows. Vertices are numbered in the order in which they are reached, breadth first.
struct Builder {
  Graph graph;
  std::map<StateKey, Vertex> vertex_of;
  std::vector<bool> waits;
  std::deque<StateKey> open;

  Vertex vertex(const TransitionSystem& system, const StateKey& state) {
    const auto [it, fresh] = vertex_of.try_emplace(state, boost::num_vertices(graph));
    if (fresh) {
      boost::add_vertex(graph);
      waits.push_back(system.waits(state));
      open.push_back(state);
    }
    return it->second;
  }
};

std::optional<Lasso> find_lasso(const Graph& graph, const WaitingGraph& waiting) {
  std::vector<std::size_t> component(boost::num_vertices(graph));
  boost::strong_components(waiting,
                           boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  // The edge that closes a cycle, from the vertex that is reached soonest.
  std::optional<Edge> closing;
  for (const auto& edge : boost::make_iterator_range(boost::edges(waiting))) {
    if (component[boost::source(edge, graph)] != component[boost::target(edge, graph)]) continue;
    if (!closing || boost::source(edge, graph) < boost::source(*closing, graph)) closing = edge;
  }
  if (!closing) return std::nullopt;
  const Vertex start = boost::source(*closing, graph);
  const boost::filtered_graph<WaitingGraph, Inside> inside(waiting, Inside{&waiting, &component, component[start]});
  Lasso lasso;
  lasso.prefix = shortest_way(graph, 0, start);
  lasso.cycle.push_back(graph[*closing].label);
  for (std::string& label : shortest_way(inside, boost::target(*closing, graph), start))
    lasso.cycle.push_back(std::move(label));
  return lasso;
}

/// The longest way in a graph without cycles.
std::size_t longest_way(const Graph& graph, const WaitingGraph& waiting) {
  std::vector<Vertex> order;
  boost::topological_sort(waiting, std::back_inserter(order));
  std::vector<std::size_t> length(boost::num_vertices(graph), 0);
  std::size_t longest = 0;
  for (const Vertex vertex : order) {  // successors come first
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(vertex, waiting))) {
      length[vertex] = std::max(length[vertex], length[boost::target(edge, graph)] + 1);
    }
    longest = std::max(longest, length[vertex]);
  }
  return longest;
}

}  // namespace

Exploration explore(const TransitionSystem& system, std::size_t most) {
  Exploration result;
  Builder builder;
  builder.vertex(system, system.initial());
  while (!builder.open.empty()) {
    if (boost::num_vertices(builder.graph) > most) {
      result.complete = false;
      break;
    }
    const StateKey state = std::move(builder.open.front());
    builder.open.pop_front();
    const Vertex from = builder.vertex_of.at(state);
    for (Step& step : system.steps(state)) {
      const Vertex to = builder.vertex(system, step.next);
      boost::add_edge(from, to, StepInfo{std::move(step.label), step.serves}, builder.graph);
    }
  }
  const Graph& graph = builder.graph;
  result.states = boost::num_vertices(graph);
  result.steps = boost::num_edges(graph);
  const WaitingGraph waiting(graph, StillWaits{&graph, &builder.waits});
  result.starvation = find_lasso(graph, waiting);
  if (!result.starvation) result.longest_wait = longest_way(graph, waiting);
  return result;
}

}  // namespace elvcheck
