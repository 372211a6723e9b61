// One model's parameters while observations refine them: the iterated extended Kalman filter on
// their logarithms, so that a step is relative and no value turns negative. A parameter that is
// exactly 0 stays so.
//
// Of a piecewise parameter each piece is a parameter of its own, moved by the observations whose
// messages (or relations: ParameterSpec::argument) are of its sizes.
//
// One thread at a time; never fails.
#ifndef COX_LEARN_REFINE_REFINED_MODEL_H_
#define COX_LEARN_REFINE_REFINED_MODEL_H_

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

class RefinedModel {
 public:
  // What becomes of times that are stated rather than fitted: stated sizes stay in any case.
  enum class StatedTimes { kStay, kAreRefined };

  // `prior`'s standard errors are the prior covariance; a parameter that it lacks starts wide,
  // unless it is a stated one: those are refined at most where the prior has them. The model
  // outlives this.
  RefinedModel(const model::Model& model, const domain::Profile& prior, StatedTimes stated_times);

  // One step: `schedule` took exp(log_time) seconds, the mean of `weight` >= 1 timings whose
  // logarithms have this variance. False, and nothing changed, where its price says nothing.
  // O(parameters^2), and a price for each piece.
  bool Observe(const model::Schedule& schedule, double log_time, double weight, double variance);

  // After the last step: where a step has let the price fall from one piece to the next, by more
  // than it did in the prior, moves the parameters of both, each as far as it is uncertain, towards
  // where it does not. More bytes do not take less time; that a calibration found such a fall is
  // let stand. Borders pull at each other's parameters and are gone through a few times only: a
  // small fall may be left, and the next batch takes it as its prior's.
  void KeepMonotone();

  // What was learned, into the profile, with a source that names `used_count` observations.
  void Export(int64_t used_count, domain::Profile* profile) const;

 private:
  // A value that timings may change: of values_.base up to its size, then of values_.pieces.
  using Slot = size_t;
  // Where some parameters' pieces end and their next ones begin.
  struct Border {
    domain::Level level;
    double bytes;
    double least_gap;  // of the logarithms of the prices after and before it
  };

  void AddPieces(const domain::Profile& prior);
  void AddFree(Slot slot, const model::ParameterSpec& spec, const domain::Parameter* given);
  void AddBorders();
  double& ValueAt(Slot slot);
  double ValueAt(Slot slot) const;
  size_t IndexOf(Slot slot) const;  // of the parameter
  void SetValues();
  void Forget();
  double PriceOf(const model::Schedule& schedule) const;
  // The price and d log(price) / d log(value). False where the price says nothing.
  bool Linearise(const model::Schedule& schedule, double* price_s, Eigen::VectorXd* row);
  // The logarithm of the price just after a border over that before it, and its slopes.
  bool GapAt(const Border& border, double* gap, Eigen::VectorXd* row);

  const model::Model& model_;
  model::ParameterValues values_;
  std::vector<Slot> free_;  // in the order of what follows
  std::vector<double> log_start_;
  std::vector<double> sigma_;  // at the start
  Eigen::VectorXd log_values_;
  Eigen::MatrixXd covariance_;
  std::vector<bool> touched_;
  std::vector<Border> borders_;  // ascending
};

}  // namespace cox::learn

#endif  // COX_LEARN_REFINE_REFINED_MODEL_H_
