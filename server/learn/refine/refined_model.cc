#include "learn/refine/refined_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "domain/words/counted.h"
#include "learn/calibrate/sample_kinds.h"
#include "learn/fallback_parameters.h"

namespace cox::learn {
namespace {

// An unknown parameter starts at a typical value, uncertain by a factor of e^kWideSigma. One given
// without a standard error is uncertain by a third.
constexpr double kWideSigma = 3;
constexpr double kUnstatedSigma = 0.3;
constexpr double kMinSigma = 0.005;

// One observation's misfit in ln(time). Even with exact timings, a model's prices are off by about
// this much, and many timings of one call do not average it out.
constexpr double kModelSigma = 0.3;
// Huber's limit, in standard deviations.
constexpr double kOutlierLimitSigmas = 1.5;
// The factor by which each observation reduces the certainty of earlier ones.
constexpr double kForgetting = 0.9999;
constexpr int kLinearisations = 3;

// The largest step of a parameter in one observation: a factor of e^3.
constexpr double kMaxStep = 3;
// How far calls that do not use a parameter may move it, since the last one that does. Covariances
// are from earlier linearisations: over hundreds of calls they moved it by orders of magnitude.
constexpr double kMaxUnusedDrift = 1;
constexpr double kMinLog = -80;
constexpr double kMaxLog = 80;

// The relative step of a value for a price's slope. A smaller relative slope is rounding.
constexpr double kSlopeStep = 1e-6;
// Borders share parameters, so all of them are visited this many times.
constexpr int kMonotoneSweeps = 8;
constexpr double kGapTolerance = 1e-6;

// Of a call's price with respect to a parameter. Less is rounding.
bool IsUsed(double slope) { return std::abs(slope) > 1e-9; }

bool IsTime(const model::ParameterSpec& spec) { return spec.unit == "s" || spec.unit == "s/byte"; }

// Two ranks that exchange a message of `bytes` bytes, which is then every model's argument.
void BuildExchange(domain::Level level, double bytes, model::Schedule* schedule) {
  Sample sample;
  sample.kind = "h_relation";
  sample.level = level;
  sample.block_bytes = static_cast<int64_t>(bytes);
  sample.ranks = 2;
  sample.messages = 1;
  sample.senders = 2;
  FindSampleKind(sample.kind)->build(sample, {}, schedule);
}

}  // namespace

RefinedModel::RefinedModel(const model::Model& model, const domain::Profile& prior,
                           StatedTimes stated_times)
    : model_(model) {
  const auto specs = model.parameters();
  AddPieces(prior);
  values_.base.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    const model::ParameterSpec& spec = specs[i];
    const domain::Parameter* given = prior.Find(model.id(), spec.level, spec.name);
    values_.base.push_back(given != nullptr ? given->value : spec.default_value);
    const bool is_known = given != nullptr && given->value > 0;
    const bool is_refined =
        !spec.stated || (stated_times == StatedTimes::kAreRefined && is_known && IsTime(spec));
    if (!is_refined) continue;
    // A limit that nobody stated.
    if (given == nullptr && !spec.required && spec.default_value != 0) continue;
    AddFree(i, spec, given);
  }
  for (size_t k = 0; k < values_.pieces.size(); ++k) {
    const model::Piece& piece = values_.pieces[k];
    const model::ParameterSpec& spec = specs[piece.index];
    for (const domain::Parameter& given : prior.parameters) {
      if (given.above == piece.above && given.level == spec.level && given.name == spec.name &&
          given.model == model.id()) {
        AddFree(values_.base.size() + k, spec, &given);
        break;
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(free_.size());
  log_values_ = Eigen::Map<const Eigen::VectorXd>(log_start_.data(), size);
  used_ = log_values_;
  covariance_ = Eigen::Map<const Eigen::VectorXd>(sigma_.data(), size).cwiseAbs2().asDiagonal();
  touched_.assign(free_.size(), false);
  SetValues();
  AddBorders();
}

void RefinedModel::AddPieces(const domain::Profile& prior) {
  const auto specs = model_.parameters();
  for (const domain::Parameter& parameter : prior.parameters) {
    if (!(parameter.above > 0) || parameter.model != model_.id()) continue;
    for (size_t i = 0; i < specs.size(); ++i) {
      if (specs[i].level == parameter.level && specs[i].name == parameter.name &&
          !specs[i].argument.empty()) {
        values_.pieces.push_back({i, parameter.above, parameter.value});
      }
    }
  }
  std::sort(values_.pieces.begin(), values_.pieces.end(),
            [](const model::Piece& a, const model::Piece& b) {
              return std::pair(a.index, a.above) < std::pair(b.index, b.above);
            });
}

void RefinedModel::AddFree(Slot slot, const model::ParameterSpec& spec,
                           const domain::Parameter* given) {
  double start = TypicalValue(spec);
  double sigma = kWideSigma;
  if (given != nullptr && given->value > 0) {
    start = given->value;
    sigma = given->stderr_ > 0 ? given->stderr_ / given->value : kUnstatedSigma;
  } else if (given != nullptr) {
    if (!(given->stderr_ > 0)) return;
    start = given->stderr_;
  }
  free_.push_back(slot);
  log_start_.push_back(std::log(start));
  sigma_.push_back(std::clamp(sigma, kMinSigma, kWideSigma));
}

void RefinedModel::AddBorders() {
  for (const model::Piece& piece : values_.pieces) {
    const domain::Level level = model_.parameters()[piece.index].level;
    const bool is_there = std::any_of(borders_.begin(), borders_.end(), [&](const Border& border) {
      return border.level == level && border.bytes == piece.above;
    });
    // No message is larger.
    if (!is_there && piece.above < 0x1p62) borders_.push_back({level, piece.above, 0});
  }
  std::sort(borders_.begin(), borders_.end(),
            [](const Border& a, const Border& b) { return a.bytes < b.bytes; });
  Eigen::VectorXd row(log_values_.size());
  for (Border& border : borders_) {
    double gap = 0;
    if (GapAt(border, &gap, &row)) border.least_gap = std::min(0.0, gap);
  }
}

bool RefinedModel::Observe(const model::Schedule& schedule, double log_time, double weight,
                           double variance) {
  // Linearised anew a few times: the iterated form (Jazwinski, "Stochastic Processes and Filtering
  // Theory", 1970, section 8.3).
  const Eigen::Index size = log_values_.size();
  if (size == 0) return false;
  double price_s = 0;
  Eigen::VectorXd row(size);
  if (!Linearise(schedule, &price_s, &row)) return false;
  Forget();
  const Eigen::VectorXd prior_mean = log_values_;
  const double noise = kModelSigma * kModelSigma + variance / weight;

  Eigen::VectorXd spread(size);
  double spread_variance = 0;
  for (int round = 1; round <= kLinearisations; ++round) {
    // The prediction at the prior mean by this linearisation, so that rounds do not add up.
    const double innovation = log_time - std::log(price_s) - row.dot(prior_mean - log_values_);
    spread.noalias() = covariance_ * row;
    const double expected = row.dot(spread);
    const double size_in_sigmas = std::abs(innovation) / std::sqrt(expected + noise);
    const double robust =
        size_in_sigmas > kOutlierLimitSigmas ? kOutlierLimitSigmas / size_in_sigmas : 1;
    spread_variance = expected + noise / robust;
    for (Eigen::Index i = 0; i < size; ++i) {
      const double step = std::clamp(spread(i) / spread_variance * innovation, -kMaxStep, kMaxStep);
      const double far = IsUsed(row(i)) ? kMaxLog : kMaxUnusedDrift;
      log_values_(i) = std::clamp(std::clamp(prior_mean(i) + step, used_(i) - far, used_(i) + far),
                                  kMinLog, kMaxLog);
    }
    SetValues();
    Eigen::VectorXd next(size);
    if (round == kLinearisations || !Linearise(schedule, &price_s, &next)) break;
    row = next;
  }
  // With the gain k = s / (e + r), s = P h and e = h' s, Joseph's form comes to P - s s' / (e + r).
  // A product of a vector with itself is symmetric to the last bit, and the noise r is large enough
  // to keep the remainder positive.
  spread /= std::sqrt(spread_variance);
  covariance_.noalias() -= spread * spread.transpose();
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!IsUsed(row(i))) continue;
    touched_[static_cast<size_t>(i)] = true;
    used_(i) = log_values_(i);
  }
  return true;
}

void RefinedModel::Forget() {
  covariance_ /= kForgetting;
  // The variance of an unknown parameter is the limit. Covariances shrink with their variance, or
  // they would exceed what variances allow.
  for (Eigen::Index i = 0; i < covariance_.rows(); ++i) {
    const double variance = covariance_(i, i);
    if (variance <= kWideSigma * kWideSigma) continue;
    const double factor = kWideSigma / std::sqrt(variance);
    covariance_.row(i) *= factor;
    covariance_.col(i) *= factor;
  }
}

void RefinedModel::KeepMonotone() {
  Eigen::VectorXd row(log_values_.size());
  bool moved = true;
  for (int sweep = 0; sweep < kMonotoneSweeps && moved; ++sweep) {
    moved = false;
    for (const Border& border : borders_) {
      double gap = 0;
      if (!GapAt(border, &gap, &row) || gap >= border.least_gap - kGapTolerance) continue;
      // The nearest values that respect it, in units of their uncertainty (D. Simon, "Kalman
      // filtering with state constraints", IET Control Theory & Applications 4(8), 2010, section
      // 2.2).
      const Eigen::VectorXd spread = covariance_ * row;
      const double expected = row.dot(spread);
      if (!(expected > 0)) continue;
      for (Eigen::Index i = 0; i < log_values_.size(); ++i) {
        const double step = spread(i) / expected * (border.least_gap - gap);
        if (std::abs(step) > 1e-9) touched_[static_cast<size_t>(i)] = true;
        log_values_(i) =
            std::clamp(log_values_(i) + std::clamp(step, -kMaxStep, kMaxStep), kMinLog, kMaxLog);
      }
      SetValues();
      moved = true;
    }
  }
}

void RefinedModel::Export(int64_t used_count, domain::Profile* profile) const {
  for (size_t j = 0; j < free_.size(); ++j) {
    if (!touched_[j]) continue;
    const model::ParameterSpec& spec = model_.parameters()[IndexOf(free_[j])];
    const size_t constants = values_.base.size();
    const auto index = static_cast<Eigen::Index>(j);
    domain::Parameter parameter;
    parameter.model = std::string(model_.id());
    parameter.level = spec.level;
    parameter.name = std::string(spec.name);
    parameter.above = free_[j] < constants ? 0 : values_.pieces[free_[j] - constants].above;
    parameter.value = ValueAt(free_[j]);
    parameter.stderr_ = parameter.value * std::sqrt(std::max(0.0, covariance_(index, index)));
    parameter.source = absl::StrCat("refined: ", domain::Counted(used_count, "observation"));
    profile->Set(std::move(parameter));
  }
}

double& RefinedModel::ValueAt(Slot slot) {
  const size_t constants = values_.base.size();
  return slot < constants ? values_.base[slot] : values_.pieces[slot - constants].value;
}

double RefinedModel::ValueAt(Slot slot) const {
  const size_t constants = values_.base.size();
  return slot < constants ? values_.base[slot] : values_.pieces[slot - constants].value;
}

size_t RefinedModel::IndexOf(Slot slot) const {
  const size_t constants = values_.base.size();
  return slot < constants ? slot : values_.pieces[slot - constants].index;
}

void RefinedModel::SetValues() {
  for (size_t j = 0; j < free_.size(); ++j) {
    ValueAt(free_[j]) = std::exp(log_values_(static_cast<Eigen::Index>(j)));
  }
}

double RefinedModel::PriceOf(const model::Schedule& schedule) const {
  return model_.Price(values_, schedule).TotalSeconds();
}

bool RefinedModel::Linearise(const model::Schedule& schedule, double* price_s,
                             Eigen::VectorXd* row) {
  *price_s = PriceOf(schedule);
  if (!(*price_s > 0) || !std::isfinite(*price_s)) return false;
  std::array<double, model::kMaxParameters> slopes{};
  const size_t constants = values_.base.size();
  model_.Coefficients(values_, schedule, absl::MakeSpan(slopes.data(), constants));
  // A model gives the slope by all pieces of a parameter together. The slope by each further piece
  // is measured here; the remainder is the first piece's.
  std::vector<double> of_pieces;
  of_pieces.reserve(values_.pieces.size());
  std::array<bool, model::kMaxParameters> is_difference{};
  for (model::Piece& piece : values_.pieces) {
    const double kept = piece.value;
    const double scale = kept > 0 ? kept : TypicalValue(model_.parameters()[piece.index]);
    piece.value = kept + kSlopeStep * scale;
    of_pieces.push_back((PriceOf(schedule) - *price_s) / (kSlopeStep * scale));
    piece.value = kept;
    slopes[piece.index] -= of_pieces.back();
    is_difference[piece.index] = true;
  }
  for (size_t j = 0; j < free_.size(); ++j) {
    const Slot slot = free_[j];
    double relative =
        (slot < constants ? slopes[slot] : of_pieces[slot - constants]) * ValueAt(slot) / *price_s;
    if (!std::isfinite(relative)) return false;
    if (is_difference[IndexOf(slot)] && std::abs(relative) < kSlopeStep) relative = 0;
    (*row)(static_cast<Eigen::Index>(j)) = relative;
  }
  return true;
}

bool RefinedModel::GapAt(const Border& border, double* gap, Eigen::VectorXd* row) {
  model::Schedule schedule;
  double before_s = 0;
  double after_s = 0;
  Eigen::VectorXd row_before(log_values_.size());
  BuildExchange(border.level, std::floor(border.bytes), &schedule);
  if (!Linearise(schedule, &before_s, &row_before)) return false;
  BuildExchange(border.level, std::floor(border.bytes) + 1, &schedule);
  if (!Linearise(schedule, &after_s, row)) return false;
  *gap = std::log(after_s / before_s);
  *row -= row_before;
  return true;
}

}  // namespace cox::learn
