#include "learn/calibrate/parameter_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "domain/level.h"
#include "learn/calibrate/nnls.h"
#include "learn/fallback_parameters.h"
#include "learn/median.h"

namespace cox::learn {
namespace {

constexpr int kMaxIterations = 40;
constexpr double kHuberLimit = 1.345;
// A fixed scale, so that the losses of different starts compare.
constexpr double kLossScale = 0.1;
// A start far above the others must reduce the loss to this share.
constexpr double kMuchBetter = 0.9;
constexpr double kMinResidualScale = 1e-9;
// Columns whose angle has a cosine above this are proportional.
constexpr double kProportional = 1 - 1e-10;

// The parameters of the level as unknowns, and the timings' residuals as functions of them.
class Fit {
 public:
  Fit(const model::Model& model, domain::Level level, absl::Span<const double> times_s,
      absl::FunctionRef<const Evidence&(size_t)> evidence_of, absl::Span<const Setting> settings,
      absl::Span<const int> also)
      : model_(model), times_s_(times_s), evidence_of_(evidence_of) {
    const auto specs = model.parameters();
    for (size_t i = 0; i < specs.size(); ++i) {
      values_.push_back(specs[i].stated ? specs[i].default_value : TypicalValue(specs[i]));
      const auto index = static_cast<int>(i);
      const bool is_asked = std::find(also.begin(), also.end(), index) != also.end();
      if (is_asked || (specs[i].level == level && !specs[i].stated)) index_.push_back(index);
    }
    for (const Setting& setting : settings) {
      values_[setting.index] = setting.value;
      index_.erase(std::remove(index_.begin(), index_.end(), setting.index), index_.end());
    }
  }

  size_t size() const { return index_.size(); }
  size_t timings() const { return times_s_.size(); }
  int index(size_t j) const { return index_[j]; }
  const model::ParameterSpec& spec(size_t j) const { return model_.parameters()[index_[j]]; }

  // Whether the starts of kLimits differ.
  bool has_limits() const {
    return std::any_of(index_.begin(), index_.end(),
                       [&](int i) { return !model_.parameters()[i].required; });
  }

  // Whether every start leads to the same optimum.
  bool has_one_optimum() const { return model_.linear() || size() == 1; }

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
      const Evidence& evidence = evidence_of_(static_cast<size_t>(i));
      (*residuals)(i) = PriceOf(evidence) / times_s_[i] - 1;
      if (slopes == nullptr) continue;
      SlopesOf(evidence, &gradient);
      for (size_t j = 0; j < size(); ++j) {
        const double slope = gradient[index_[j]] / times_s_[i];
        (*slopes)(i, static_cast<Eigen::Index>(j)) = std::isfinite(slope) ? slope : 0;
      }
    }
  }

 private:
  double PriceOf(const Evidence& evidence) const {
    if (evidence.schedule != nullptr) {
      return model_.Price(values_, *evidence.schedule).TotalSeconds();
    }
    double price_s = 0;
    for (const Evidence::Share& share : evidence.shares) {
      price_s += share.coefficient * values_[share.index];
    }
    return price_s;
  }

  void SlopesOf(const Evidence& evidence, std::vector<double>* gradient) const {
    if (evidence.schedule != nullptr) {
      model_.Coefficients(values_, *evidence.schedule, absl::MakeSpan(*gradient));
      return;
    }
    std::fill(gradient->begin(), gradient->end(), 0.0);
    for (const Evidence::Share& share : evidence.shares) {
      (*gradient)[share.index] += share.coefficient;
    }
  }

  const model::Model& model_;
  absl::Span<const double> times_s_;
  absl::FunctionRef<const Evidence&(size_t)> evidence_of_;
  std::vector<int> index_;
  std::vector<double> values_;
};

double ScaleOf(const Eigen::VectorXd& residuals) {
  std::vector<double> sizes(residuals.data(), residuals.data() + residuals.size());
  for (double& size : sizes) size = std::abs(size);
  return std::max(1.4826 * MedianOf(std::move(sizes)), kMinResidualScale);
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

// Whether `challenger` is clearly better than `best`, which comes from an earlier start with fewer
// limits and so assumes less. A limit that binds everywhere hides the parameter that it replaces;
// without that parameter the model cannot be priced.
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
    // An unknown that no timing depends on here keeps its value.
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
  solution.loss = HuberLoss(residuals, kLossScale);
  solution.unknowns = std::move(unknowns);
  return solution;
}

// Typical sizes of unknowns.
struct Scales {
  double shortest_s = 0;      // of all timings
  double per_byte_s = 1e-10;  // of the largest message at its fastest
};

// The bytes that the busiest rank moves or, without messages, works on.
double BytesOf(const Evidence& evidence) {
  if (evidence.schedule == nullptr) return 0;
  const model::Phase& phase = (*evidence.schedule)[0];
  const model::RankTraffic& rank = phase.traffic.any;
  const double moved = std::max(rank.out_bytes, rank.in_bytes);
  return moved > 0 ? moved : phase.work.copied_bytes + phase.work.reduced_bytes;
}

Scales ScalesOf(absl::Span<const double> times_s,
                absl::FunctionRef<const Evidence&(size_t)> evidence_of) {
  Scales scales;
  scales.shortest_s = *std::min_element(times_s.begin(), times_s.end());
  double largest_bytes = 0;
  for (size_t i = 0; i < times_s.size(); ++i) {
    const double bytes = BytesOf(evidence_of(i));
    if (!(bytes > 0) || bytes < largest_bytes) continue;
    const double per_byte_s = times_s[i] / bytes;
    scales.per_byte_s =
        bytes > largest_bytes ? per_byte_s : std::min(per_byte_s, scales.per_byte_s);
    largest_bytes = bytes;
  }
  return scales;
}

// The starts of the search. First: start-ups near the shortest time, costs per byte near the
// largest message's. Optional parameters (limits) are absent, then at each of these fractions: a
// limit that does not bind at the start has no slope. Then, with few unknowns, each of them in turn
// far above the others, so that nothing hides it.
constexpr double kLimits[] = {0, 1, 0.3, 0.1, 0.03};
constexpr size_t kFewUnknowns = 6;
constexpr double kFarAbove = 30;

Solution FitFromStarts(Fit& fit, const Scales& scales) {
  const auto start_at = [&](double limit) {
    Eigen::VectorXd start(static_cast<Eigen::Index>(fit.size()));
    for (size_t j = 0; j < fit.size(); ++j) {
      const double typical = fit.spec(j).unit == "s" ? 0.5 * scales.shortest_s : scales.per_byte_s;
      start(static_cast<Eigen::Index>(j)) = fit.spec(j).required ? typical : limit * typical;
    }
    return start;
  };
  Solution best;
  for (double limit : kLimits) {
    if (limit > 0 && (fit.has_one_optimum() || !fit.has_limits())) break;
    Solution solution = Descend(fit, start_at(limit));
    if (best.unknowns.size() == 0 || IsClearlyBetter(solution, best, fit.timings())) {
      best = std::move(solution);
    }
  }
  if (fit.has_one_optimum() || fit.size() > kFewUnknowns) return best;
  for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(fit.size()); ++j) {
    Eigen::VectorXd start = start_at(1);
    start(j) *= kFarAbove;
    Solution solution = Descend(fit, std::move(start));
    if (solution.hidden_count <= best.hidden_count && solution.loss < kMuchBetter * best.loss) {
      best = std::move(solution);
    }
  }
  return best;
}

// The largest value of an unidentified unknown before the fit becomes worse.
double BoundOf(Fit& fit, const Solution& best, Eigen::Index j, double start) {
  constexpr int kDoublings = 80;
  constexpr int kHalvings = 20;
  Eigen::VectorXd residuals;
  const auto loss_at = [&](double value) {
    Eigen::VectorXd unknowns = best.unknowns;
    unknowns(j) = value;
    fit.Linearise(unknowns, &residuals, nullptr);
    return HuberLoss(residuals, kLossScale);
  };
  const double allowed = best.loss * 1.001 + 1e-9;
  double low = 0;
  double high = start;
  int doublings = 0;
  while (loss_at(high) <= allowed) {
    if (++doublings > kDoublings) return HUGE_VAL;
    low = high;
    high *= 2;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (loss_at(middle) <= allowed ? low : high) = middle;
  }
  return low;
}

// Standard errors of the unknowns at the end of a fit, from what it leaves over.
class StandardErrors {
 public:
  StandardErrors(const GroupedStep& step, const Eigen::MatrixXd& slopes,
                 const Eigen::VectorXd& residuals)
      : step_(step), position_(static_cast<size_t>(slopes.cols()), -1) {
    const Eigen::VectorXd weights = HuberWeights(residuals, ScaleOf(residuals));
    const Eigen::MatrixXd gram = step.Gram(slopes, weights);
    std::vector<Eigen::Index> leaders;
    for (Eigen::Index j = 0; j < slopes.cols(); ++j) {
      if (step.group()[j] != j) continue;
      position_[j] = static_cast<Eigen::Index>(leaders.size());
      leaders.push_back(j);
    }
    const auto count = static_cast<Eigen::Index>(leaders.size());
    diagonal_.resize(count);
    for (Eigen::Index a = 0; a < count; ++a) diagonal_(a) = gram(leaders[a], leaders[a]);
    // Inverted in scaled unknowns, whose sizes compare.
    Eigen::MatrixXd scaled(count, count);
    for (Eigen::Index a = 0; a < count; ++a) {
      for (Eigen::Index b = 0; b < count; ++b) {
        scaled(a, b) = gram(leaders[a], leaders[b]) / std::sqrt(diagonal_(a) * diagonal_(b));
      }
    }
    // Stays empty if the timings identify nothing.
    if (count > 0) inverse_ = scaled.completeOrthogonalDecomposition().pseudoInverse();
    freedom_ = static_cast<double>(residuals.size() - count);
    variance_ = freedom_ > 0 ? residuals.cwiseAbs2().dot(weights) / freedom_ : 0;
  }

  // Of unknown j, which the timings identify. +inf if there are too few timings to tell.
  double Of(Eigen::Index j) const {
    if (!(freedom_ > 0)) return HUGE_VAL;
    const Eigen::Index at = position_[step_.group()[j]];
    return std::sqrt(variance_ * std::max(0.0, inverse_(at, at)) / diagonal_(at)) * step_.share(j);
  }

 private:
  const GroupedStep& step_;
  std::vector<Eigen::Index> position_;  // of a group's leader among the leaders
  Eigen::VectorXd diagonal_;
  Eigen::MatrixXd inverse_;
  double freedom_ = 0;
  double variance_ = 0;
};

std::vector<int> TiedTo(const Fit& fit, const std::vector<int>& group, size_t j) {
  std::vector<int> tied;
  for (size_t k = 0; k < fit.size(); ++k) {
    if (k != j && group[k] == group[j]) tied.push_back(fit.index(k));
  }
  return tied;
}

std::vector<FittedParameter> Describe(Fit& fit, const Solution& best, const GroupedStep& step,
                                      const StandardErrors& errors, const Scales& scales) {
  std::vector<FittedParameter> parameters(fit.size());
  for (size_t j = 0; j < fit.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    FittedParameter& parameter = parameters[j];
    parameter.index = fit.index(j);
    parameter.value = std::max(0.0, best.unknowns(column));
    parameter.identified = step.group()[j] >= 0;
    if (parameter.identified) {
      const double error = errors.Of(column);
      parameter.stderr_ = std::isfinite(error) ? error : parameter.value;
      parameter.tied_to = TiedTo(fit, step.group(), j);
    } else {
      const bool is_time = fit.spec(j).unit == "s";
      parameter.bound =
          BoundOf(fit, best, column, 1e-6 * (is_time ? scales.shortest_s : scales.per_byte_s));
    }
  }
  return parameters;
}

// |P - t| / min(P, t), from P / t - 1.
std::vector<double> RelativeErrors(const Eigen::VectorXd& residuals) {
  std::vector<double> errors(residuals.data(), residuals.data() + residuals.size());
  for (double& error : errors) error = std::abs(error) / std::min(1.0, std::max(1e-9, 1 + error));
  return errors;
}

}  // namespace

ParameterFit FitParameters(const model::Model& model, domain::Level level,
                           absl::Span<const double> times_s,
                           absl::FunctionRef<const Evidence&(size_t)> evidence_of,
                           absl::Span<const Setting> settings, absl::Span<const int> also) {
  ParameterFit result;
  Fit fit(model, level, times_s, evidence_of, settings, also);
  if (fit.size() == 0 || times_s.empty()) return result;
  const Scales scales = ScalesOf(times_s, evidence_of);
  const Solution best = FitFromStarts(fit, scales);

  Eigen::VectorXd residuals;
  Eigen::MatrixXd slopes;
  fit.Linearise(best.unknowns, &residuals, &slopes);
  const GroupedStep step(slopes);
  const StandardErrors errors(step, slopes, residuals);
  result.parameters = Describe(fit, best, step, errors, scales);
  result.relative_errors = RelativeErrors(residuals);
  result.median_relative_error = MedianOf(result.relative_errors);
  result.loss = best.loss / static_cast<double>(times_s.size());
  return result;
}

}  // namespace cox::learn
