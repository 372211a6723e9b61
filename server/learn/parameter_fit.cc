#include "learn/parameter_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "learn/fallback_parameters.h"
#include "learn/nnls.h"

namespace cox::learn {
namespace {

constexpr int kMaxIterations = 40;
constexpr double kHuberLimit = 1.345;
constexpr double kMinResidualScale = 1e-9;
// Columns whose angle has a cosine above this are proportional.
constexpr double kProportional = 1 - 1e-10;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The parameters of the level as unknowns, and the timings' residuals as functions of them.
class Fit {
 public:
  Fit(const model::Model& model, model::Level level, absl::Span<const double> times_s,
      absl::FunctionRef<const model::Schedule&(size_t)> schedule_of)
      : model_(model), times_s_(times_s), schedule_of_(schedule_of) {
    const auto specs = model.parameters();
    for (size_t i = 0; i < specs.size(); ++i) {
      values_.push_back(specs[i].stated ? specs[i].default_value : TypicalValue(specs[i]));
      if (specs[i].level == level && !specs[i].stated) index_.push_back(static_cast<int>(i));
    }
  }

  size_t size() const { return index_.size(); }
  int index(size_t j) const { return index_[j]; }
  const model::ParameterSpec& spec(size_t j) const { return model_.parameters()[index_[j]]; }

  // Relative residuals P / t - 1 and, unless null, the relative slopes: a row per timing.
  void Linearise(const Eigen::VectorXd& unknowns, Eigen::VectorXd* residuals,
                 Eigen::MatrixXd* slopes) {
    const auto rows = static_cast<Eigen::Index>(times_s_.size());
    residuals->resize(rows);
    if (slopes != nullptr) slopes->resize(rows, static_cast<Eigen::Index>(size()));
    for (size_t j = 0; j < size(); ++j) {
      values_[index_[j]] = std::max(0.0, unknowns(static_cast<Eigen::Index>(j)));
    }
    std::vector<double> gradient(values_.size());
    for (Eigen::Index i = 0; i < rows; ++i) {
      const model::Schedule& schedule = schedule_of_(static_cast<size_t>(i));
      (*residuals)(i) = model_.Price(values_, schedule).TotalSeconds() / times_s_[i] - 1;
      if (slopes == nullptr) continue;
      model_.Coefficients(values_, schedule, absl::MakeSpan(gradient));
      for (size_t j = 0; j < size(); ++j) {
        const double slope = gradient[index_[j]] / times_s_[i];
        (*slopes)(i, static_cast<Eigen::Index>(j)) = std::isfinite(slope) ? slope : 0;
      }
    }
  }

 private:
  const model::Model& model_;
  absl::Span<const double> times_s_;
  absl::FunctionRef<const model::Schedule&(size_t)> schedule_of_;
  std::vector<int> index_;
  std::vector<double> values_;
};

double ScaleOf(const Eigen::VectorXd& residuals) {
  std::vector<double> sizes(residuals.data(), residuals.data() + residuals.size());
  for (double& size : sizes) size = std::abs(size);
  return std::max(1.4826 * Median(std::move(sizes)), kMinResidualScale);
}

double HuberLoss(const Eigen::VectorXd& residuals, double scale) {
  double loss = 0;
  for (double residual : residuals) {
    const double size = std::abs(residual) / scale;
    loss += size <= kHuberLimit ? size * size / 2 : kHuberLimit * (size - kHuberLimit / 2);
  }
  return loss;
}

Eigen::VectorXd HuberWeights(const Eigen::VectorXd& residuals, double scale) {
  Eigen::VectorXd weights(residuals.size());
  for (Eigen::Index i = 0; i < residuals.size(); ++i) {
    const double size = std::abs(residuals(i)) / scale;
    weights(i) = size <= kHuberLimit ? 1 : kHuberLimit / size;
  }
  return weights;
}

// Groups of unknowns with proportional columns, by the first member; -1 for a zero column.
std::vector<int> GroupColumns(const Eigen::MatrixXd& slopes) {
  std::vector<int> group(slopes.cols(), -1);
  for (Eigen::Index j = 0; j < slopes.cols(); ++j) {
    const double norm = slopes.col(j).norm();
    if (!(norm > 0)) continue;
    group[j] = static_cast<int>(j);
    for (Eigen::Index k = 0; k < j; ++k) {
      if (group[k] != k) continue;
      if (slopes.col(j).dot(slopes.col(k)) > kProportional * norm * slopes.col(k).norm()) {
        group[j] = static_cast<int>(k);
        break;
      }
    }
  }
  return group;
}

// Solves for one unknown per group and shares the common cost evenly among its members.
class GroupedStep {
 public:
  explicit GroupedStep(const Eigen::MatrixXd& slopes) : group_(GroupColumns(slopes)) {
    share_ = Eigen::MatrixXd::Zero(slopes.cols(), slopes.cols());
    for (Eigen::Index j = 0; j < slopes.cols(); ++j) {
      if (group_[j] < 0) continue;
      const auto members = std::count(group_.begin(), group_.end(), group_[j]);
      share_(j, group_[j]) =
          slopes.col(group_[j]).norm() / slopes.col(j).norm() / static_cast<double>(members);
    }
  }

  const std::vector<int>& group() const { return group_; }
  // The normal matrix of the groups.
  Eigen::MatrixXd Gram(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& weights) const {
    const Eigen::MatrixXd grouped = slopes * share_;
    return grouped.transpose() * weights.asDiagonal() * grouped;
  }
  Eigen::VectorXd Solve(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& weights,
                        const Eigen::VectorXd& target) const {
    const Eigen::MatrixXd grouped = slopes * share_;
    const Eigen::VectorXd rhs = grouped.transpose() * weights.cwiseProduct(target);
    return share_ * SolveNonNegative(Gram(slopes, weights), rhs);
  }
  double share(Eigen::Index j) const { return group_[j] < 0 ? 0 : share_(j, group_[j]); }

 private:
  std::vector<int> group_;
  Eigen::MatrixXd share_;  // unknowns from group unknowns
};

struct Solution {
  Eigen::VectorXd unknowns;
  double loss = HUGE_VAL;  // sum of Huber losses in units of relative error
  int hidden_count = 0;    // required parameters that no timing depends on here
};

// Whether `challenger` is clearly better: the earlier start, with fewer limits, assumes less. A
// limit that binds everywhere hides the parameter whose place it takes, and without that one the
// model cannot be priced.
bool IsClearlyBetter(const Solution& challenger, const Solution& best, size_t timings) {
  if (challenger.hidden_count != best.hidden_count) {
    return challenger.hidden_count < best.hidden_count;
  }
  const double noise_floor = 1e-12 * static_cast<double>(timings);
  return challenger.loss < 0.99 * best.loss - noise_floor;
}

Solution Descend(Fit& fit, Eigen::VectorXd unknowns) {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd slopes;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    fit.Linearise(unknowns, &residuals, &slopes);
    const double scale = ScaleOf(residuals);
    const double loss = HuberLoss(residuals, scale);
    const GroupedStep step(slopes);
    const Eigen::VectorXd target = slopes * unknowns - residuals;
    Eigen::VectorXd next = step.Solve(slopes, HuberWeights(residuals, scale), target);
    // What no timing depends on here stays where it is.
    for (Eigen::Index j = 0; j < next.size(); ++j) {
      if (step.group()[j] < 0) next(j) = unknowns(j);
    }
    bool moved = false;
    for (double fraction = 1; fraction > 1e-3; fraction /= 2) {
      const Eigen::VectorXd trial = unknowns + fraction * (next - unknowns);
      Eigen::VectorXd trial_residuals;
      fit.Linearise(trial, &trial_residuals, nullptr);
      if (!(HuberLoss(trial_residuals, scale) < loss * (1 - 1e-9))) continue;
      unknowns = trial;
      moved = true;
      break;
    }
    if (!moved) break;
  }
  fit.Linearise(unknowns, &residuals, &slopes);
  Solution solution;
  for (size_t j = 0; j < fit.size(); ++j) {
    const bool hidden = !(slopes.col(static_cast<Eigen::Index>(j)).norm() > 0);
    if (fit.spec(j).required && hidden) ++solution.hidden_count;
  }
  // A fixed scale, so that the losses of different starts compare.
  solution.loss = HuberLoss(residuals, 0.1);
  solution.unknowns = std::move(unknowns);
  return solution;
}

// Start-ups near the shortest time, costs per byte near the largest message's; those that need not
// be there (limits) once absent and once at each of some fractions: a limit that does not bind at
// the start has no slope to be found by.
Solution FitFromStarts(Fit& fit, absl::Span<const double> times_s, double per_byte_s) {
  const double shortest_s = *std::min_element(times_s.begin(), times_s.end());
  Solution best;
  for (double limit : {0.0, 1.0, 0.3, 0.1, 0.03}) {
    Eigen::VectorXd start(static_cast<Eigen::Index>(fit.size()));
    for (size_t j = 0; j < fit.size(); ++j) {
      const double typical = fit.spec(j).unit == "s" ? 0.5 * shortest_s : per_byte_s;
      start(static_cast<Eigen::Index>(j)) = fit.spec(j).required ? typical : limit * typical;
    }
    Solution solution = Descend(fit, std::move(start));
    if (best.unknowns.size() == 0 || IsClearlyBetter(solution, best, times_s.size())) {
      best = std::move(solution);
    }
  }
  return best;
}

}  // namespace

ParameterFit FitParameters(const model::Model& model, model::Level level,
                           absl::Span<const double> times_s,
                           absl::FunctionRef<const model::Schedule&(size_t)> schedule_of) {
  ParameterFit result;
  Fit fit(model, level, times_s, schedule_of);
  if (fit.size() == 0 || times_s.empty()) return result;

  double largest_bytes = 0;
  double per_byte_s = 1e-10;
  for (size_t i = 0; i < times_s.size(); ++i) {
    const double bytes = schedule_of(i)[0].traffic.any.max_message_bytes;
    if (bytes >= largest_bytes && bytes > 0) {
      const double rate = times_s[i] / bytes;
      per_byte_s = bytes > largest_bytes ? rate : std::min(rate, per_byte_s);
      largest_bytes = bytes;
    }
  }
  const Solution best = FitFromStarts(fit, times_s, per_byte_s);

  Eigen::VectorXd residuals;
  Eigen::MatrixXd slopes;
  fit.Linearise(best.unknowns, &residuals, &slopes);
  const GroupedStep step(slopes);
  const Eigen::VectorXd weights = HuberWeights(residuals, ScaleOf(residuals));
  const Eigen::MatrixXd gram = step.Gram(slopes, weights);

  // The inverse over the groups that the timings identify, in scaled unknowns.
  std::vector<int> leaders;
  for (size_t j = 0; j < fit.size(); ++j) {
    if (step.group()[j] == static_cast<int>(j)) leaders.push_back(static_cast<int>(j));
  }
  const auto count = static_cast<Eigen::Index>(leaders.size());
  Eigen::MatrixXd scaled(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    for (Eigen::Index b = 0; b < count; ++b) {
      scaled(a, b) = gram(leaders[a], leaders[b]) /
                     std::sqrt(gram(leaders[a], leaders[a]) * gram(leaders[b], leaders[b]));
    }
  }
  const Eigen::MatrixXd inverse = scaled.completeOrthogonalDecomposition().pseudoInverse();
  const auto freedom = static_cast<double>(times_s.size()) - static_cast<double>(count);
  const double variance = freedom > 0 ? residuals.cwiseAbs2().dot(weights) / freedom : 0;

  for (size_t j = 0; j < fit.size(); ++j) {
    FittedParameter parameter;
    parameter.index = fit.index(j);
    parameter.value = std::max(0.0, best.unknowns(static_cast<Eigen::Index>(j)));
    const int group = step.group()[j];
    parameter.identified = group >= 0;
    if (parameter.identified) {
      const auto position = std::find(leaders.begin(), leaders.end(), group) - leaders.begin();
      const double error =
          std::sqrt(variance * std::max(0.0, inverse(position, position)) / gram(group, group)) *
          step.share(static_cast<Eigen::Index>(j));
      parameter.stderr_ = freedom > 0 && std::isfinite(error) ? error : parameter.value;
      for (size_t k = 0; k < fit.size(); ++k) {
        if (k != j && step.group()[k] == group) parameter.tied_to.push_back(fit.index(k));
      }
    }
    result.parameters.push_back(std::move(parameter));
  }
  std::vector<double> errors(residuals.data(), residuals.data() + residuals.size());
  for (double& error : errors) error = std::abs(error);
  result.median_relative_error = Median(std::move(errors));
  return result;
}

}  // namespace cox::learn
