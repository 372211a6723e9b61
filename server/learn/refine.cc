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

// The state of one model: the logarithms of its parameters, so that a step is relative and no value
// can turn negative. A parameter that is exactly 0 stays so.
class ModelState {
 public:
  ModelState(const model::Model& model, const model::Profile& prior) : model_(model) {
    const auto specs = model.parameters();
    const int size = static_cast<int>(specs.size());
    log_values_.resize(size);
    covariance_ = Eigen::MatrixXd::Zero(size, size);
    touched_.assign(size, false);
    fixed_value_.assign(size, -1);
    for (int i = 0; i < size; ++i) {
      const model::ParameterSpec& spec = specs[i];
      const model::Parameter* given = prior.Find(model.id(), spec.level, spec.name);
      double sigma = kWideSigma;
      log_values_(i) = std::log(TypicalValue(spec));
      if (given != nullptr) {
        if (given->value > 0) {
          log_values_(i) = std::log(given->value);
          sigma = given->stderr_ > 0 ? given->stderr_ / given->value : kUnstatedSigma;
        } else if (given->stderr_ > 0) {
          log_values_(i) = std::log(given->stderr_);
        } else {
          fixed_value_[i] = given->value;
        }
      } else if (!spec.required && !(spec.default_value == 0)) {
        fixed_value_[i] = spec.default_value;  // a limit that nobody has stated
      }
      sigma = std::clamp(sigma, kMinSigma, kWideSigma);
      if (fixed_value_[i] < 0) covariance_(i, i) = sigma * sigma;
    }
  }

  // One step of the extended Kalman filter, linearised anew a few times (the iterated form:
  // Jazwinski, "Stochastic Processes and Filtering Theory", 1970, section 8.3). False, and nothing
  // changed, where the schedule's price says nothing.
  bool Observe(const model::Schedule& schedule, double log_time, double weight, double variance) {
    const int size = static_cast<int>(log_values_.size());
    const Eigen::VectorXd prior_mean = log_values_;
    covariance_ /= kForgetting;
    for (int i = 0; i < size; ++i) {
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
      for (int i = 0; i < size; ++i) {
        const double step = std::clamp(gain(i) * innovation, -kMaxStep, kMaxStep);
        log_values_(i) = std::clamp(prior_mean(i) + step, kMinLog, kMaxLog);
      }
      stepped = true;
    }
    if (!stepped) return false;
    // Joseph's form keeps the covariance symmetric and positive.
    const Eigen::MatrixXd keep = Eigen::MatrixXd::Identity(size, size) - gain * row.transpose();
    covariance_ =
        keep * covariance_ * keep.transpose() + (noise / robust) * gain * gain.transpose();
    for (int i = 0; i < size; ++i) {
      if (row(i) > 1e-9) touched_[i] = true;
    }
    return true;
  }

  std::array<double, model::kMaxParameters> Values() const {
    std::array<double, model::kMaxParameters> values{};
    for (int i = 0; i < log_values_.size(); ++i) {
      values[i] = fixed_value_[i] >= 0 ? fixed_value_[i] : std::exp(log_values_(i));
    }
    return values;
  }

  double PriceSeconds(const model::Schedule& schedule) const {
    const auto values = Values();
    return model_.Price(ValueSpan(values), schedule).TotalSeconds();
  }

  // What was learned, into the profile.
  void Export(int64_t used_count, model::Profile* profile) const {
    const auto values = Values();
    const auto specs = model_.parameters();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (!touched_[i] || fixed_value_[i] >= 0) continue;
      model::Parameter parameter;
      parameter.model = std::string(model_.id());
      parameter.level = specs[i].level;
      parameter.name = std::string(specs[i].name);
      parameter.value = values[i];
      const int index = static_cast<int>(i);
      parameter.stderr_ = values[i] * std::sqrt(std::max(0.0, covariance_(index, index)));
      parameter.source = absl::StrCat("refined: ", used_count, " observations");
      profile->Set(std::move(parameter));
    }
  }

 private:
  absl::Span<const double> ValueSpan(
      const std::array<double, model::kMaxParameters>& values) const {
    return absl::MakeConstSpan(values.data(), static_cast<size_t>(log_values_.size()));
  }

  // The price and d log(price) / d log(parameter). False where the price says nothing.
  bool Linearise(const model::Schedule& schedule, double* price_s, Eigen::VectorXd* row) const {
    const auto values = Values();
    std::array<double, model::kMaxParameters> slopes{};
    *price_s = model_.Price(ValueSpan(values), schedule).TotalSeconds();
    if (!(*price_s > 0) || !std::isfinite(*price_s)) return false;
    model_.Coefficients(ValueSpan(values), schedule,
                        absl::MakeSpan(slopes.data(), static_cast<size_t>(row->size())));
    for (int i = 0; i < row->size(); ++i) {
      (*row)(i) = fixed_value_[i] >= 0 ? 0 : slopes[i] * values[i] / *price_s;
      if (!std::isfinite((*row)(i))) return false;
    }
    return true;
  }

  const model::Model& model_;
  Eigen::VectorXd log_values_;
  Eigen::MatrixXd covariance_;
  std::vector<bool> touched_;
  std::vector<double> fixed_value_;  // -1: free
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
  std::vector<PreparedCell> cells = PrepareCells(observations);
  DropContradictedDefaults(&cells);
  auto schedule = std::make_unique<model::Schedule>();

  std::vector<ModelState> states;
  for (const model::Model* model : model::Models()) states.emplace_back(*model, prior);

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
