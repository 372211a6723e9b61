#include "learn/prepared_cells.h"

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "domain/shape.h"

namespace cox::learn {
namespace {

bool IsUsable(const Cell& cell) {
  return std::isfinite(cell.mean_log_time) && std::isfinite(cell.variance_log_time) &&
         std::isfinite(cell.weight) && cell.weight > 0 && cell.nodes >= 1 && cell.ppn >= 1 &&
         cell.ranks >= 1 && cell.block_bytes >= 0;
}

using Box = std::array<double, 4>;

// An edge of 0 keeps all different places apart.
Box BoxOf(const Point& point, double edge) {
  const Box place = {std::log2(point.ranks), std::log2(point.nodes),
                     std::log2(point.block_bytes + 1), std::log2(point.ppn)};
  if (edge <= 0) return place;
  Box box;
  for (size_t i = 0; i < place.size(); ++i) box[i] = std::floor(place[i] / edge + 0.5);
  return box;
}

PlacedTime Merge(const std::vector<const PlacedTime*>& members) {
  const PlacedTime* heaviest = members.front();
  bool structured = true;
  for (const PlacedTime* member : members) {
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
  for (const PlacedTime* member : members) {
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
  for (double edge = 0;; edge = edge > 0 ? edge * 2 : 0.25) {
    std::map<Box, std::vector<const PlacedTime*>> boxes;
    for (const PlacedTime& place : places) boxes[BoxOf(place.point, edge)].push_back(&place);
    // One box of 64 doublings holds all possible places: the loop ends.
    if (boxes.size() > limit && edge < 64) continue;
    std::vector<PlacedTime> merged;
    merged.reserve(boxes.size());
    for (const auto& [box, members] : boxes) merged.push_back(Merge(members));
    return merged;
  }
}

}  // namespace cox::learn
