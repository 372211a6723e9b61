#include "learn/refine.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "learn/cells.h"
#include "learn/default_check.h"
#include "learn/fallback_parameters.h"
#include "learn/fitted_models.h"
#include "learn/model_choice.h"
#include "learn/structure.h"

namespace cox::learn {
namespace {

// A parameter of which nothing is known starts at an ordinary value, known to this factor e^sigma;
// one given without a standard error is believed to a third.
constexpr double kWideSigma = 3;
constexpr double kUnstatedSigma = 0.3;
constexpr double kMinSigma = 0.005;

// One observation's misfit in the logarithm. A model is not the truth: even with exact timings,
// prices lie off by about this much, and that does not average out over many timings of one thing.
constexpr double kModelSigma = 0.3;
// Huber's limit, in standard deviations.
constexpr double kOutlierLimit = 1.5;
// What an observation takes from the certainty of the earlier ones.
constexpr double kForgetting = 0.9999;
constexpr int kLinearisations = 3;

// The largest step of a parameter in one observation: a factor of e^3.
constexpr double kMaxStep = 3;
constexpr double kMinLog = -80;
constexpr double kMaxLog = 80;

// The state of one model: the logarithms of the parameters that timings may change, so that a step
// is relative and no value can turn negative. A parameter that is exactly 0 stays so.
class ModelState {
 public:
  ModelState(const model::Model& model, const model::Profile& prior) : model_(model) {
    const auto specs = model.parameters();
    std::vector<double> logs;
    std::vector<double> sigmas;
    values_.reserve(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      const model::ParameterSpec& spec = specs[i];
      const model::Parameter* given = prior.Find(model.id(), spec.level, spec.name);
      values_.push_back(given != nullptr ? given->value : spec.default_value);
      if (spec.stated) continue;
      double start = TypicalValue(spec);
      double sigma = kWideSigma;
      if (given != nullptr && given->value > 0) {
        start = given->value;
        sigma = given->stderr_ > 0 ? given->stderr_ / given->value : kUnstatedSigma;
      } else if (given != nullptr) {
        if (!(given->stderr_ > 0)) continue;
        start = given->stderr_;
      } else if (!spec.required && !(spec.default_value == 0)) {
        continue;  // a limit that nobody has stated
      }
      free_.push_back(i);
      logs.push_back(std::log(start));
      sigmas.push_back(std::clamp(sigma, kMinSigma, kWideSigma));
    }
    const auto size = static_cast<Eigen::Index>(free_.size());
    log_values_ = Eigen::Map<const Eigen::VectorXd>(logs.data(), size);
    covariance_ = Eigen::Map<const Eigen::VectorXd>(sigmas.data(), size).cwiseAbs2().asDiagonal();
    touched_.assign(free_.size(), false);
    SetValues();
  }

  // One step of the extended Kalman filter, linearised anew a few times (the iterated form:
  // Jazwinski, "Stochastic Processes and Filtering Theory", 1970, section 8.3). False, and nothing
  // changed, where the schedule's price says nothing.
  bool Observe(const model::Schedule& schedule, double log_time, double weight, double variance) {
    const Eigen::Index size = log_values_.size();
    const Eigen::VectorXd prior_mean = log_values_;
    covariance_ /= kForgetting;
    for (Eigen::Index i = 0; i < size; ++i) {
      covariance_(i, i) = std::min(covariance_(i, i), kWideSigma * kWideSigma);
    }
    const double noise = kModelSigma * kModelSigma + variance / weight;

    Eigen::VectorXd row(size);
    Eigen::VectorXd gain(size);
    double robust = 1;
    bool stepped = false;
    for (int round = 0; round < kLinearisations; ++round) {
      double price_s = 0;
      if (!Linearise(schedule, &price_s, &row)) break;
      // The prediction at the prior mean by this linearisation, so that rounds do not add up.
      const double innovation = log_time - std::log(price_s) - row.dot(prior_mean - log_values_);
      const Eigen::VectorXd spread = covariance_ * row;
      const double expected = row.dot(spread);
      const double size_in_sigmas = std::abs(innovation) / std::sqrt(expected + noise);
      robust = size_in_sigmas > kOutlierLimit ? kOutlierLimit / size_in_sigmas : 1;
      gain = spread / (expected + noise / robust);
      for (Eigen::Index i = 0; i < size; ++i) {
        const double step = std::clamp(gain(i) * innovation, -kMaxStep, kMaxStep);
        log_values_(i) = std::clamp(prior_mean(i) + step, kMinLog, kMaxLog);
      }
      SetValues();
      stepped = true;
    }
    if (!stepped) return false;
    // Joseph's form keeps the covariance symmetric and positive.
    const Eigen::MatrixXd keep = Eigen::MatrixXd::Identity(size, size) - gain * row.transpose();
    covariance_ =
        keep * covariance_ * keep.transpose() + (noise / robust) * gain * gain.transpose();
    for (Eigen::Index i = 0; i < size; ++i) {
      if (row(i) > 1e-9) touched_[static_cast<size_t>(i)] = true;
    }
    return true;
  }

  // What was learned, into the profile.
  void Export(int64_t used_count, model::Profile* profile) const {
    const auto specs = model_.parameters();
    for (size_t j = 0; j < free_.size(); ++j) {
      if (!touched_[j]) continue;
      const model::ParameterSpec& spec = specs[free_[j]];
      model::Parameter parameter;
      parameter.model = std::string(model_.id());
      parameter.level = spec.level;
      parameter.name = std::string(spec.name);
      parameter.value = values_[free_[j]];
      const auto index = static_cast<Eigen::Index>(j);
      parameter.stderr_ = parameter.value * std::sqrt(std::max(0.0, covariance_(index, index)));
      parameter.source = absl::StrCat("refined: ", used_count, " observations");
      profile->Set(std::move(parameter));
    }
  }

 private:
  void SetValues() {
    for (size_t j = 0; j < free_.size(); ++j) {
      values_[free_[j]] = std::exp(log_values_(static_cast<Eigen::Index>(j)));
    }
  }

  // The price and d log(price) / d log(parameter). False where the price says nothing.
  bool Linearise(const model::Schedule& schedule, double* price_s, Eigen::VectorXd* row) const {
    *price_s = model_.Price(values_, schedule).TotalSeconds();
    if (!(*price_s > 0) || !std::isfinite(*price_s)) return false;
    std::array<double, model::kMaxParameters> slopes{};
    model_.Coefficients(values_, schedule, absl::MakeSpan(slopes.data(), values_.size()));
    for (size_t j = 0; j < free_.size(); ++j) {
      const double slope = slopes[free_[j]] * values_[free_[j]] / *price_s;
      if (!std::isfinite(slope)) return false;
      (*row)(static_cast<Eigen::Index>(j)) = slope;
    }
    return true;
  }

  const model::Model& model_;
  std::vector<double> values_;  // of all parameters
  std::vector<size_t> free_;    // which of them may change, in the order of what follows
  Eigen::VectorXd log_values_;
  Eigen::MatrixXd covariance_;
  std::vector<bool> touched_;
};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Refinement Refine(const model::Profile& prior, absl::Span<const Cell> observations) {
  Refinement refinement;
  refinement.profile = prior;
  std::vector<PreparedCell> cells = PrepareCells(observations, prior.shape);
  DropContradictedDefaults(&cells);
  auto schedule = std::make_unique<model::Schedule>();

  std::vector<ModelState> states;
  for (const model::Model* model : FittedModels()) states.emplace_back(*model, prior);

  for (const PreparedCell& cell : cells) {
    if (cell.strategy == nullptr) continue;
    strategy::Build(*cell.strategy, *cell.scenario, schedule.get());
    bool used = false;
    for (ModelState& state : states) {
      used |= state.Observe(*schedule, cell.cell->mean_log_time, cell.cell->weight,
                            cell.cell->variance_log_time);
    }
    if (used) ++refinement.used_count;
  }
  refinement.skipped_count = static_cast<int64_t>(observations.size()) - refinement.used_count;
  if (refinement.used_count == 0) return refinement;

  for (const ModelState& state : states) state.Export(refinement.used_count, &refinement.profile);
  std::vector<std::string> warnings;  // the source of each such parameter says the same
  CopyMissingLevels(&refinement.profile, &warnings);
  AssumeStatedSizes(&refinement.profile);

  // Under the model that speaks for the machine after the step.
  const std::vector<ModelError> ranked = RankModels(refinement.profile, cells);
  if (ranked.empty()) return refinement;
  const auto before = model::ValuesFor(*ranked.front().model, prior);
  std::vector<double> changes;
  for (const PreparedCell& cell : cells) {
    if (cell.strategy == nullptr) continue;
    const double after_s = StructuralTime(cell.strategy, *cell.scenario, *ranked.front().model,
                                          ranked.front().values, schedule.get());
    const double before_s = before.ok()
                                ? StructuralTime(cell.strategy, *cell.scenario,
                                                 *ranked.front().model, *before, schedule.get())
                                : 0;
    changes.push_back(before_s > 0 ? std::abs(after_s / before_s - 1) : 1);
  }
  refinement.median_change = Median(std::move(changes));
  return refinement;
}

}  // namespace cox::learn
