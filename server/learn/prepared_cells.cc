#include "learn/prepared_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "domain/shape.h"

namespace cox::learn {
namespace {

bool IsUsable(const Cell& cell) {
  return std::isfinite(cell.mean_log_time) && std::isfinite(cell.variance_log_time) &&
         std::isfinite(cell.weight) && cell.weight > 0 && cell.nodes >= 1 && cell.ppn >= 1 &&
         cell.ranks >= 1 && cell.block_bytes >= 0;
}

// log2 of ranks, nodes, bytes and ppn.
using Coordinates = std::array<double, 4>;
// Times follow the bytes more smoothly than the other three.
constexpr Coordinates kStep = {1, 1, 0.5, 1};

struct Located {
  Coordinates at;
  const PlacedTime* place;
};

Coordinates CoordinatesOf(const Point& point) {
  return {std::log2(point.ranks), std::log2(point.nodes), std::log2(point.block_bytes + 1),
          std::log2(point.ppn)};
}

// Neighbours, and the widest direction in which they lie apart.
struct Group {
  explicit Group(absl::Span<Located> all) : members(all) {
    for (size_t i = 0; i < kStep.size(); ++i) {
      const auto [least, most] =
          std::minmax_element(members.begin(), members.end(),
                              [i](const auto& a, const auto& b) { return a.at[i] < b.at[i]; });
      const double apart = (most->at[i] - least->at[i]) * kStep[i];
      if (apart <= width) continue;
      width = apart;
      direction = i;
      middle = std::midpoint(least->at[i], most->at[i]);
    }
  }
  // Both parts have members, as long as the width is above 0.
  std::pair<Group, Group> Halves() const {
    const auto upper =
        std::stable_partition(members.begin(), members.end(),
                              [this](const Located& one) { return one.at[direction] <= middle; });
    const auto count = static_cast<size_t>(upper - members.begin());
    return {Group(members.first(count)), Group(members.subspan(count))};
  }
  bool operator<(const Group& other) const { return width < other.width; }

  absl::Span<Located> members;  // at least one
  double width = 0;
  size_t direction = 0;
  double middle = 0;
};

PlacedTime Merge(absl::Span<const Located> members) {
  const PlacedTime* heaviest = members.front().place;
  bool structured = true;
  for (const auto& [at, member] : members) {
    if (member->weight > heaviest->weight) heaviest = member;
    structured = structured && member->structural_time_s > 0;
  }
  PlacedTime merged;
  merged.point = heaviest->point;
  merged.structural_time_s = heaviest->structural_time_s;
  double sum = 0;
  double sum_of_squares = 0;
  double within = 0;
  double common = 0;
  for (const auto& [at, member] : members) {
    double log_time = member->log_time;
    if (structured) log_time += std::log(heaviest->structural_time_s / member->structural_time_s);
    merged.weight += member->weight;
    sum += member->weight * log_time;
    sum_of_squares += member->weight * log_time * log_time;
    within += member->weight * member->weight * member->variance;
    common += member->weight * std::sqrt(member->common_variance);
  }
  merged.log_time = sum / merged.weight;
  const double between =
      std::max(0.0, sum_of_squares / merged.weight - merged.log_time * merged.log_time);
  merged.variance =
      within / (merged.weight * merged.weight) + between / static_cast<double>(members.size());
  merged.common_variance = common * common / (merged.weight * merged.weight);
  return merged;
}

}  // namespace

std::vector<PreparedCell> PrepareCells(absl::Span<const Cell> cells, const domain::Shape& shape) {
  std::vector<PreparedCell> prepared;
  prepared.reserve(cells.size());
  for (const Cell& cell : cells) {
    if (!IsUsable(cell)) continue;
    PreparedCell entry;
    entry.cell = &cell;
    entry.algorithm = cell.algorithm;
    entry.point = {static_cast<double>(cell.nodes), static_cast<double>(cell.ppn),
                   static_cast<double>(cell.ranks), static_cast<double>(cell.block_bytes)};
    entry.scenario = ScenarioOf(cell);
    if (entry.scenario) {
      entry.scenario->shape = &shape;
      const Structure structure =
          Resolve(cell.library, cell.algorithm, *entry.scenario, library::kUsualCalls);
      if (structure.effective != nullptr) {
        const bool is_default = cell.algorithm == kDefaultAlgorithm;
        (is_default ? entry.default_code : entry.algorithm) = structure.effective->native_name;
      }
      entry.strategy = structure.strategy;
    }
    prepared.push_back(entry);
  }
  return prepared;
}

std::vector<PlacedTime> MergePlaces(const std::vector<PlacedTime>& places, size_t limit) {
  if (places.empty()) return {};
  std::vector<Located> all;
  all.reserve(places.size());
  for (const PlacedTime& place : places) all.push_back({CoordinatesOf(place.point), &place});
  const auto in_order = [](const Located& a, const Located& b) { return a.at < b.at; };
  std::stable_sort(all.begin(), all.end(), in_order);
  std::priority_queue<Group> widest;
  widest.emplace(absl::MakeSpan(all));
  while (widest.size() < limit && widest.top().width > 0) {
    const auto [lower, upper] = widest.top().Halves();
    widest.pop();
    widest.push(lower);
    widest.push(upper);
  }
  std::vector<absl::Span<Located>> groups;
  for (; !widest.empty(); widest.pop()) groups.push_back(widest.top().members);
  std::sort(groups.begin(), groups.end(),
            [&](const auto& a, const auto& b) { return in_order(a.front(), b.front()); });
  std::vector<PlacedTime> merged;
  merged.reserve(groups.size());
  for (const absl::Span<const Located> group : groups) merged.push_back(Merge(group));
  return merged;
}

}  // namespace cox::learn
