// One model's parameters while observations refine them: an iterated extended Kalman filter on
// their logarithms. Steps are therefore relative, and no value becomes negative. A parameter that
// is exactly 0 stays 0.
//
// Each piece of a piecewise parameter is a parameter of its own. Observations move it if the size
// of their messages, or of their relations (ParameterSpec::argument), lies in the piece.
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
  // Whether times that are stated rather than fitted are refined. Stated sizes always stay.
  enum class StatedTimes { kStay, kAreRefined };

  // The standard errors of `prior` are the prior covariance. A parameter that it lacks starts wide;
  // a stated one is then not refined. The model outlives this.
  RefinedModel(const model::Model& model, const domain::Profile& prior, StatedTimes stated_times);

  // Takes one step: `schedule` took exp(log_time) seconds, the mean of `weight` >= 1 timings whose
  // logarithms have this variance. False, without a change, where the price is 0 or not finite.
  // O(parameters^2), and one pricing per piece.
  bool Observe(const model::Schedule& schedule, double log_time, double weight, double variance);

  // Call it after the last step. More bytes do not take less time. If steps let the price fall from
  // one piece to the next by more than in the prior, this moves the parameters of both pieces until
  // the fall is gone. A more uncertain parameter moves farther. A fall that the calibration found
  // stays. Borders share parameters and are visited a few times only, so a small fall may remain;
  // the next batch takes it as its prior's.
  void KeepMonotone();

  // Writes what was learned into the profile, with a source that names `used_count` observations.
  void Export(int64_t used_count, domain::Profile* profile) const;

 private:
  // An index of a value that timings may change: into values_.base, then into values_.pieces.
  using Slot = size_t;
  // Where pieces end and the next ones begin.
  struct Border {
    domain::Level level;
    double bytes;
    double least_gap;  // of ln(price after it / price before it)
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
  // The price and d log(price) / d log(value). False where the price is 0 or not finite.
  bool Linearise(const model::Schedule& schedule, double* price_s, Eigen::VectorXd* row);
  // ln(price just after a border / price before it), and its slopes.
  bool GapAt(const Border& border, double* gap, Eigen::VectorXd* row);

  const model::Model& model_;
  model::ParameterValues values_;
  std::vector<Slot> free_;  // in the order of the vectors below
  std::vector<double> log_start_;
  std::vector<double> sigma_;  // at the start
  Eigen::VectorXd log_values_;
  Eigen::VectorXd used_;  // as the last call left them that used them; else the start
  Eigen::MatrixXd covariance_;
  std::vector<bool> touched_;
  std::vector<Border> borders_;  // ascending
};

}  // namespace cox::learn

#endif  // COX_LEARN_REFINE_REFINED_MODEL_H_
