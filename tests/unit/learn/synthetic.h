// Timings made from known parameters, which the tests of this folder must recover.
#ifndef COX_TESTS_UNIT_LEARN_SYNTHETIC_H_
#define COX_TESTS_UNIT_LEARN_SYNTHETIC_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/correct/envelope_time.h"
#include "learn/samples.h"
#include "learn/structure.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

// Multiplies by a factor whose logarithm is normal with this deviation; every `outlier_every`th
// time also by ten.
class Noise {
 public:
  Noise(uint32_t seed, double sigma, int outlier_every = 0)
      : random_(seed), normal_(0, sigma), outlier_every_(outlier_every) {}

  double operator()(double time_s) {
    ++count_;
    const bool is_outlier = outlier_every_ > 0 && count_ % outlier_every_ == 0;
    return time_s * std::exp(normal_(random_)) * (is_outlier ? 10 : 1);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  int outlier_every_;
  int count_ = 0;
};

inline domain::Parameter MakeParameter(const std::string& model, domain::Level level,
                                       const std::string& name, double value,
                                       double standard_error = 0) {
  domain::Parameter parameter;
  parameter.model = model;
  parameter.level = level;
  parameter.name = name;
  parameter.value = value;
  parameter.stderr_ = standard_error;
  parameter.source = "made up";
  return parameter;
}

// Hockney's parameters alone; `relative_error` of each as its standard error.
inline domain::Profile HockneyProfile(double node_alpha_s, double node_beta_s,
                                      double network_alpha_s, double network_beta_s,
                                      double relative_error = 0) {
  domain::Profile profile;
  for (const auto& [level, name, value] :
       {std::tuple(domain::Level::kNode, "alpha", node_alpha_s),
        std::tuple(domain::Level::kNode, "beta", node_beta_s),
        std::tuple(domain::Level::kNetwork, "alpha", network_alpha_s),
        std::tuple(domain::Level::kNetwork, "beta", network_beta_s)}) {
    profile.Set(MakeParameter("hockney", level, name, value, relative_error * value));
  }
  return profile;
}

inline Cell MakeCell(const std::string& collective, const std::string& algorithm, int64_t nodes,
                     int64_t ppn, int64_t block_bytes, double time_s) {
  Cell cell;
  cell.library = "openmpi-4.1";
  cell.collective = collective;
  cell.algorithm = algorithm;
  cell.nodes = nodes;
  cell.ppn = ppn;
  cell.ranks = nodes * ppn;
  cell.block_bytes = block_bytes;
  cell.mean_log_time = std::log(time_s);
  return cell;
}

// The price of the cell under a model; 0 where it has none.
inline double PriceOf(const Cell& cell, const domain::Profile& profile,
                      const std::string& model_id = "hockney") {
  const auto scenario = ScenarioOf(cell);
  const auto model = model::FindModel(model_id);
  if (!scenario || !model.ok()) return 0;
  const auto values = model::ValuesFor(**model, profile);
  if (!values.ok()) return 0;
  const Structure structure =
      Resolve(cell.library, cell.algorithm, *scenario, library::kUsualCalls);
  auto schedule = std::make_unique<model::Schedule>();
  return StructuralTime(structure.strategy, *scenario, **model, *values, schedule.get());
}

inline Estimate PredictAt(const Correction& correction, double price_s, const Point& point) {
  AskedPoint asked(point);
  return correction.Predict(price_s, &asked);
}

// What is learned of an algorithm whose structure is not known.
inline Estimate UnstructuredAt(const Corrections& corrections, absl::string_view library,
                               absl::string_view collective, absl::string_view algorithm,
                               const Point& point) {
  AskedPoint asked(point);
  const Place place = PlaceAt(corrections, library, collective, nullptr, &asked);
  auto schedule = std::make_unique<model::Schedule>();
  return EstimateOf(algorithm, nullptr, place, {}, schedule.get());
}

// Cells of some algorithms over shapes and sizes, timed by `profile` under a model.
inline std::vector<Cell> PricedCells(const domain::Profile& profile, Noise& noise,
                                     const std::string& model_id = "hockney") {
  std::vector<Cell> cells;
  for (const auto& [collective, algorithm] :
       {std::pair("alltoall", "pairwise"), std::pair("alltoall", "modified_bruck"),
        std::pair("allgather", "ring"), std::pair("allreduce", "recursive_doubling"),
        std::pair("bcast", "binomial")}) {
    for (int64_t nodes : {1, 2, 8, 16}) {
      for (int64_t ppn : {1, 4}) {
        if (nodes * ppn < 2) continue;
        for (int64_t block_bytes : {8, 512, 16384, 524288}) {
          Cell cell = MakeCell(collective, algorithm, nodes, ppn, block_bytes, 1);
          cell.mean_log_time = std::log(noise(PriceOf(cell, profile, model_id)));
          cells.push_back(std::move(cell));
        }
      }
    }
  }
  return cells;
}

}  // namespace cox::learn

#endif  // COX_TESTS_UNIT_LEARN_SYNTHETIC_H_
