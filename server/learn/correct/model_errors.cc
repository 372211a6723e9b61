#include "learn/correct/model_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "domain/profile.h"
#include "learn/fallback_parameters.h"

namespace cox::learn {
namespace {

// Enough cells for a median; more would only cost time.
constexpr size_t kMaxCells = 2000;

// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014): the same in every run, so that the same cells select the same model.
uint64_t MixedBits(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

uint64_t HashOfKey(const Cell& cell) {
  uint64_t hash = 0;
  const auto add = [&hash](uint64_t part) { hash = MixedBits(hash ^ part); };
  for (const std::string* name : {&cell.library, &cell.collective, &cell.algorithm}) {
    add(name->size());
    for (const char c : *name) add(static_cast<unsigned char>(c));
  }
  for (const int64_t number :
       {cell.nodes, cell.ppn, cell.ranks, cell.block_bytes, cell.type_bytes}) {
    add(static_cast<uint64_t>(number));
  }
  add(static_cast<uint64_t>(cell.kind));
  return hash;
}

// The indices of the cells to price, ascending. Cells come in an order, in which those of
// benchmarks and of jobs may alternate: every n-th of them would be of one kind alone. So of many
// cells those with the least hashes are taken.
std::vector<size_t> CellsToPrice(absl::Span<const PreparedCell> cells) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].strategy != nullptr) indices.push_back(i);
  }
  if (indices.size() <= kMaxCells) return indices;
  std::vector<std::pair<uint64_t, size_t>> hashed;
  hashed.reserve(indices.size());
  for (const size_t i : indices) hashed.emplace_back(HashOfKey(*cells[i].cell), i);
  std::nth_element(hashed.begin(), hashed.begin() + kMaxCells, hashed.end());
  indices.clear();
  for (size_t i = 0; i < kMaxCells; ++i) indices.push_back(hashed[i].second);
  std::sort(indices.begin(), indices.end());
  return indices;
}

double ErrorOfPrice(double price_s, double log_time) {
  if (!(price_s > 0) || !std::isfinite(price_s)) return HUGE_VAL;
  return std::expm1(std::abs(std::log(price_s) - log_time));
}

}  // namespace

StructureSize StructureSizeOf(const model::Schedule& schedule) {
  double messages = 1;
  double bytes = 1;
  for (const model::Phase& phase : schedule) {
    const model::RankTraffic& any = phase.traffic.any;
    messages = std::max({messages, any.sends_count, any.receives_count});
    bytes = std::max(bytes, any.max_message_bytes);
  }
  return {std::log2(messages), std::log2(bytes)};
}

ModelErrors MeasureErrors(const domain::Profile& profile, absl::Span<const PreparedCell> cells) {
  ModelErrors measured;
  for (const model::Model* model : model::Models()) {
    auto values = model::ValuesFor(*model, profile);
    if (!values.ok()) continue;
    const bool assumes_a_level = std::any_of(profile.parameters.begin(), profile.parameters.end(),
                                             [model](const domain::Parameter& one) {
                                               return one.model == model->id() && IsCopied(one);
                                             });
    measured.models.push_back({model, *std::move(values), assumes_a_level});
  }
  measured.cells = CellsToPrice(cells);
  auto schedule = std::make_unique<model::Schedule>();
  for (const size_t i : measured.cells) {
    const PreparedCell& cell = cells[i];
    strategy::Build(*cell.strategy, *cell.scenario, schedule.get());
    measured.sizes.push_back(StructureSizeOf(*schedule));
    for (const PricedModel& priced : measured.models) {
      measured.errors.push_back(ErrorOfPrice(
          priced.model->Price(priced.values, *schedule).TotalSeconds(), cell.cell->mean_log_time));
    }
  }
  return measured;
}

}  // namespace cox::learn
