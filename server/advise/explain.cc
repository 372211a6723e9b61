#include "advise/explain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "advise/placement/link_time.h"
#include "advise/placement/units.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/parameter.h"
#include "model/schedule.h"

namespace cox::advise {
namespace {

// The values of one phase that a piecewise parameter may depend on.
constexpr size_t kArguments = 11;
// A schedule takes microseconds, with many phases a millisecond.
constexpr int kSchedulesPerQuestion = 64;
std::array<double, kArguments> ArgumentsOf(const model::Schedule& schedule, size_t phase) {
  const model::Traffic& traffic = schedule[phase].traffic;
  const double processors = std::max(1.0, schedule.whole().processors_count);
  const double messages = std::max({1.0, traffic.any.sends_count, traffic.any.receives_count});
  return {traffic.any.max_message_bytes,
          traffic.any.out_bytes,
          traffic.any.in_bytes,
          traffic.node.max_message_bytes,
          traffic.node.out_bytes,
          traffic.node.in_bytes,
          traffic.network.max_message_bytes,
          traffic.network.out_bytes,
          traffic.network.in_bytes,
          (traffic.node.volume_bytes + traffic.network.volume_bytes) / processors,
          std::max(traffic.any.out_bytes, traffic.any.in_bytes) / messages};
}

// Prices strategies under one model at any size.
class Curves {
 public:
  Curves(const MachineView& machine, const PricedBy& priced_by,
         const std::vector<strategy::Strategy>& strategies, const strategy::Scenario& scenario,
         const NodesInUse* nodes, const domain::IsCancelled& is_cancelled)
      : machine_(machine),
        priced_by_(priced_by),
        strategies_(strategies),
        scenario_(scenario),
        nodes_(nodes),
        watch_(is_cancelled, kSchedulesPerQuestion) {}

  // CANCELLED: the caller has gone, and what was returned since means nothing.
  absl::Status status() const { return watch_.status(); }

  const model::Schedule& ScheduleOf(size_t strategy, int64_t block_bytes) {
    scenario_.block_bytes = block_bytes;
    resolved_ = Resolved(machine_, scenario_, strategies_[strategy]);
    strategy::Build(resolved_, scenario_, &schedule_);
    return schedule_;
  }

  Prediction At(size_t strategy, int64_t block_bytes) {
    const model::Schedule& schedule = ScheduleOf(strategy, block_bytes);
    return nodes_ == nullptr
               ? Price(priced_by_, strategy::FormatStrategy(strategies_[strategy]), schedule)
               : PriceOnNodes(priced_by_, resolved_, scenario_, schedule, *nodes_);
  }

  double AmountAt(size_t strategy, int64_t block_bytes) {
    if (watch_.IsGone()) return 0;
    if (nodes_ != nullptr) return Amount(At(strategy, block_bytes).cost);
    return Amount(priced_by_.model->Price(*priced_by_.values, ScheduleOf(strategy, block_bytes)));
  }

  // Evaluations on the nodes until kMaxFollowedMessages.
  int64_t AffordedEvaluations(int64_t block_bytes) {
    double messages = 0;
    for (size_t i = 0; i < strategies_.size(); ++i) {
      messages += ListedMessages(scenario_, ScheduleOf(i, block_bytes));
    }
    return static_cast<int64_t>(kMaxFollowedMessages * static_cast<double>(strategies_.size()) /
                                std::max(1.0, messages));
  }

  // The sizes in (min, max] at which a curve may fall: where an argument of a phase exceeds a
  // border of a piecewise parameter, and where the other one of two formulas takes over. Arguments
  // grow with the size.
  std::vector<int64_t> Knees(int64_t min, int64_t max) {
    std::vector<int64_t> knees;
    for (size_t strategy = 0; strategy < strategies_.size(); ++strategy) {
      AddBorders(strategy, min, max, &knees);
    }
    const std::vector<int64_t> stops = StopsOf(min, max, knees);
    for (size_t strategy = 0; strategy < strategies_.size(); ++strategy) {
      AddTakeovers(strategy, stops, &knees);
    }
    std::sort(knees.begin(), knees.end());
    knees.erase(std::unique(knees.begin(), knees.end()), knees.end());
    return knees;
  }

 private:
  struct Border {
    size_t strategy;
    size_t phase;
    size_t argument;
    double above;
  };

  bool IsAbove(const Border& border, int64_t block_bytes) {
    if (watch_.IsGone()) return false;
    const model::Schedule& schedule = ScheduleOf(border.strategy, block_bytes);
    return border.phase < schedule.size() &&
           ArgumentsOf(schedule, border.phase)[border.argument] > border.above;
  }

  void AddBorders(size_t strategy, int64_t min, int64_t max, std::vector<int64_t>* knees) {
    if (priced_by_.values->pieces.empty()) return;
    const size_t phases = ScheduleOf(strategy, max).size();
    for (size_t phase = 0; phase < phases; ++phase) {
      for (size_t argument = 0; argument < kArguments; ++argument) {
        for (const model::Piece& piece : priced_by_.values->pieces) {
          AddKnee({strategy, phase, argument, piece.above}, min, max, knees);
        }
      }
    }
  }

  void AddKnee(const Border& border, int64_t min, int64_t max, std::vector<int64_t>* knees) {
    if (IsAbove(border, min) || !IsAbove(border, max)) return;
    knees->push_back(
        FirstWhere(min, max, [&](int64_t block_bytes) { return IsAbove(border, block_bytes); }));
  }

  // The first size in (below, above] at which `is_so`, which holds from there to `above`.
  template <typename Predicate>
  static int64_t FirstWhere(int64_t below, int64_t above, const Predicate& is_so) {
    while (above - below > 1) {
      const int64_t middle = below + (above - below) / 2;
      (is_so(middle) ? above : below) = middle;
    }
    return above;
  }

  // min, max, and what lies between them of the powers of two, the knees and the sizes before
  // these.
  static std::vector<int64_t> StopsOf(int64_t min, int64_t max, const std::vector<int64_t>& knees) {
    std::vector<int64_t> stops = knees;
    for (const int64_t knee : knees) stops.push_back(knee - 1);
    for (int64_t power = 1; power < max; power *= 2) stops.push_back(power);
    std::erase_if(stops, [&](int64_t stop) { return stop <= min || stop >= max; });
    stops.push_back(min);
    stops.push_back(max);
    std::sort(stops.begin(), stops.end());
    return stops;
  }

  // Which of two formulas prices each phase; empty where no phase has two.
  std::vector<bool> FormulasAt(size_t strategy, int64_t block_bytes) {
    std::vector<bool> are_first;
    if (watch_.IsGone()) return are_first;
    const model::Schedule& schedule = ScheduleOf(strategy, block_bytes);
    bool has_two = false;
    for (const model::Phase& phase : schedule) {
      const auto excess = priced_by_.model->Excess(*priced_by_.values, schedule, phase);
      has_two |= excess.has_value();
      are_first.push_back(excess.value_or(0) >= 0);
    }
    return has_two ? are_first : std::vector<bool>();
  }

  // Between two stops each byte time is all but a line, so one takes over from the other once.
  void AddTakeovers(size_t strategy, const std::vector<int64_t>& stops,
                    std::vector<int64_t>* knees) {
    if (FormulasAt(strategy, stops.back()).empty()) return;
    std::vector<bool> before = FormulasAt(strategy, stops.front());
    for (size_t i = 1; i < stops.size(); ++i) {
      std::vector<bool> after = FormulasAt(strategy, stops[i]);
      for (size_t phase = 0; phase < std::min(before.size(), after.size()); ++phase) {
        if (before[phase] == after[phase]) continue;
        knees->push_back(FirstWhere(stops[i - 1], stops[i], [&](int64_t block_bytes) {
          const std::vector<bool> here = FormulasAt(strategy, block_bytes);
          return phase < here.size() && here[phase] == after[phase];
        }));
      }
      before = std::move(after);
    }
  }

  const MachineView& machine_;
  const PricedBy priced_by_;
  const std::vector<strategy::Strategy>& strategies_;
  strategy::Scenario scenario_;
  const NodesInUse* const nodes_;
  strategy::Strategy resolved_;
  model::Schedule schedule_;
  domain::CallerWatch watch_;
};

absl::Status CheckRange(const ExplainQuestion& question) {
  if (question.min_block_bytes < 0 || question.min_block_bytes > question.max_block_bytes) {
    return domain::InvalidField(
        "min_block_bytes",
        absl::StrCat(question.min_block_bytes, " is not between 0 and max_block_bytes, which is ",
                     question.max_block_bytes));
  }
  if (question.max_block_bytes > kMaxExplainedBytes) {
    return domain::InvalidField("max_block_bytes",
                                absl::StrCat(question.max_block_bytes, " is more than 2^40"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Explanation> Explain(const MachineView& machine, const ExplainQuestion& question,
                                    const domain::IsCancelled& is_cancelled) {
  if (absl::Status valid = strategy::Validate(question.scenario); !valid.ok()) return valid;
  if (absl::Status valid = CheckRange(question); !valid.ok()) return valid;
  Explanation explanation;
  auto strategies =
      StrategiesFor(question.scenario, question.strategy, &explanation.not_applicable);
  if (!strategies.ok()) return strategies.status();
  if (question.nodes != nullptr && question.strategy.empty()) {
    AddUnits(*question.nodes, question.scenario, &*strategies);
  }
  const auto priced_by =
      ModelFor(machine, question.model, domain::CollectiveName(question.scenario.collective));
  if (!priced_by.ok()) return priced_by.status();
  explanation.model = priced_by->model;
  strategy::Scenario scenario = question.scenario;
  scenario.shape = &machine.profile.shape;

  Curves curves(machine, *priced_by, *strategies, scenario, question.nodes, is_cancelled);
  for (size_t i = 0; i < strategies->size(); ++i) {
    explanation.strategies.push_back(strategy::FormatStrategy((*strategies)[i]));
    explanation.predictions.push_back(curves.At(i, scenario.block_bytes));
    explanation.predictions.back().strategy = explanation.strategies.back();
  }
  std::stable_sort(
      explanation.predictions.begin(), explanation.predictions.end(),
      [](const Prediction& a, const Prediction& b) { return Amount(a.cost) < Amount(b.cost); });
  RangeLimits limits = question.limits;
  std::vector<int64_t> knees;
  if (question.nodes == nullptr) {
    knees = curves.Knees(question.min_block_bytes, question.max_block_bytes);
  } else {
    limits.looks_between = false;
    limits.evaluations =
        std::min(limits.evaluations, curves.AffordedEvaluations(scenario.block_bytes));
  }
  explanation.ranges = FollowBest(
      strategies->size(), [&](size_t i, int64_t bytes) { return curves.AmountAt(i, bytes); },
      question.min_block_bytes, question.max_block_bytes, knees, limits);
  if (!curves.status().ok()) return curves.status();
  for (const domain::Parameter& parameter : machine.profile.parameters) {
    if (parameter.model != priced_by->model->id()) continue;
    explanation.parameters.parameters.push_back(parameter);
  }
  return explanation;
}

}  // namespace cox::advise
