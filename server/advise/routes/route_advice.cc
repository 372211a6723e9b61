#include "advise/routes/route_advice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advise/pattern.h"
#include "advise/routes/sketch_messages.h"
#include "domain/collective.h"
#include "domain/limits.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/many_to_many.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDirectRoute = "direct";
// The model with processor time.
constexpr absl::string_view kProcessorModel = "hockney";
// An all-to-all: a phase reaches at least this share of the other ranks,
constexpr double kDenseShare = 0.9;
// with at most so many messages per other rank.
constexpr double kDenseMessages = 1.1;

bool IsDense(const SketchMeans& means, int64_t ranks) {
  const auto others = static_cast<double>(ranks - 1);
  return means.destinations >= kDenseShare * others && means.messages <= kDenseMessages * others;
}

absl::string_view ObjectiveWords(Objective objective) {
  return objective == Objective::kProcessor ? "processor time" : "time";
}

// The routes of an all-to-all, whose schedules need no list of messages.
std::vector<Prediction> PriceDense(const PricedBy& priced_by, const SketchMeans& means,
                                   const strategy::Scenario& pattern) {
  strategy::Scenario scenario = pattern;
  scenario.collective = domain::Collective::kAlltoall;
  scenario.block_bytes = std::llround(std::min(means.bytes / static_cast<double>(pattern.ranks - 1),
                                               static_cast<double>(domain::kMaxBlockBytes)));
  std::vector<Prediction> predictions;
  for (int i = 0; i < strategy::kRouteCount; ++i) {
    const absl::string_view route = strategy::RouteName(static_cast<strategy::Route>(i));
    const strategy::Algorithm* const algorithm = strategy::FindAlgorithm(
        domain::Collective::kAlltoall, route == kDirectRoute ? "linear" : route);
    if (algorithm == nullptr) continue;
    model::Schedule schedule;
    strategy::Build({algorithm, {}}, scenario, &schedule);
    predictions.push_back(Price(priced_by, std::string(route), schedule));
  }
  return predictions;
}

absl::StatusOr<std::vector<Prediction>> PriceMessages(const MachineView& machine,
                                                      absl::string_view model,
                                                      absl::Span<const model::Transfer> messages,
                                                      const strategy::Scenario& scenario) {
  PatternQuestion question;
  question.messages = messages;
  question.scenario = scenario;
  question.routes = {"all"};
  question.model = std::string(model);
  absl::StatusOr<PatternAnswer> answer = EvaluatePattern(machine, question);
  if (!answer.ok()) return answer.status();
  return std::move(answer->predictions);
}

// Of a timed phase.
double WorkSeconds(const domain::PatternSketch& sketch) {
  return sketch.timed_count > 0 ? sketch.between_s / static_cast<double>(sketch.timed_count) : 0;
}

// Orders the predictions and names the route. There is a prediction of direct.
void Choose(Objective objective, RouteAdvice* advice) {
  std::vector<Prediction>& predictions = advice->predictions;
  std::stable_sort(predictions.begin(), predictions.end(),
                   [objective](const Prediction& a, const Prediction& b) {
                     return ObjectiveSeconds(a.cost, objective) <
                            ObjectiveSeconds(b.cost, objective);
                   });
  const Prediction& best = predictions.front();
  const Prediction& direct =
      *std::find_if(predictions.begin(), predictions.end(),
                    [](const Prediction& one) { return one.strategy == kDirectRoute; });
  const double direct_s = ObjectiveSeconds(direct.cost, objective);
  const double saved = direct_s > 0 ? 1 - ObjectiveSeconds(best.cost, objective) / direct_s : 0;
  const bool switches = saved >= kRouteFloor;
  advice->route = switches ? best.strategy : std::string(kDirectRoute);
  advice->reason =
      switches ? absl::StrFormat("%s takes %.0f %% less %s than direct by %s", best.strategy,
                                 100 * saved, ObjectiveWords(objective), best.model)
               : absl::StrFormat("no route takes %.0f %% less %s than direct by %s",
                                 100 * kRouteFloor, ObjectiveWords(objective), direct.model);
}

}  // namespace

double ObjectiveSeconds(const model::Cost& cost, Objective objective) {
  return objective == Objective::kProcessor ? cost.cpu_s : Amount(cost);
}

absl::StatusOr<RouteAdvice> AdviseRoute(const MachineView& machine, const RouteQuestion& question) {
  const bool wants_processor = question.objective == Objective::kProcessor;
  const std::string model =
      question.model.empty() && wants_processor ? std::string(kProcessorModel) : question.model;
  const absl::StatusOr<PricedBy> priced_by = ModelFor(machine, model);
  if (!priced_by.ok()) return priced_by.status();
  const absl::string_view model_id = priced_by->model->id();
  if (wants_processor && model_id != kProcessorModel) {
    return absl::FailedPreconditionError(
        absl::StrCat("model ", model_id, " has no processor time; ", kProcessorModel, " has"));
  }
  const domain::PatternSketch& sketch = *question.sketch;
  strategy::Scenario scenario;
  scenario.ranks = sketch.key.ranks;
  scenario.ppn = sketch.key.ppn;
  scenario.placement = question.placement;
  scenario.shape = &machine.profile.shape;

  RouteAdvice advice;
  const absl::StatusOr<std::vector<model::Transfer>> messages = MessagesOf(sketch);
  const SketchMeans means = MeansOf(sketch);
  if (messages.ok()) {
    auto predictions = PriceMessages(machine, model, *messages, scenario);
    if (!predictions.ok()) return predictions.status();
    advice.predictions = *std::move(predictions);
  } else if (absl::IsResourceExhausted(messages.status()) && IsDense(means, sketch.key.ranks)) {
    advice.predictions = PriceDense(*priced_by, means, scenario);
  } else {
    return messages.status();
  }
  const bool has_processor_time =
      std::any_of(advice.predictions.begin(), advice.predictions.end(),
                  [](const Prediction& one) { return one.cost.cpu_s > 0; });
  if (wants_processor && !has_processor_time) {
    return absl::FailedPreconditionError(absl::StrCat(
        "model ", model_id,
        " gives no processor time on this machine: it needs alpha_cpu, which `cox calibrate` "
        "measures"));
  }
  Choose(question.objective, &advice);
  if (messages.ok() && sketch.timed_count > 0) {
    auto grains = GrainsOf(*priced_by, *messages, scenario, WorkSeconds(sketch));
    if (!grains.ok()) return grains.status();
    advice.grains = *std::move(grains);
  }
  return advice;
}

}  // namespace cox::advise
