// Which route of the framework fits what an application sends: direct, or combined on the way
// through a virtual topology. Pure functions, any thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, sections 3 (many-to-many), 4 (completion and processor time differ) and 6
// (the learning framework that it proposes).
#ifndef COX_ADVISE_ROUTES_ROUTE_ADVICE_H_
#define COX_ADVISE_ROUTES_ROUTE_ADVICE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "advise/routes/grain.h"
#include "domain/pattern/sketch.h"
#include "strategy/scenario.h"

namespace cox::advise {

enum class Objective {
  kCompletion,  // the time until the messages have arrived
  kProcessor,   // the time in which the processors can do nothing else
};

// The share of direct's time that another route must save before it is worth a change.
inline constexpr double kRouteFloor = 0.03;

struct RouteQuestion {
  const domain::PatternSketch* sketch = nullptr;
  Objective objective = Objective::kCompletion;
  std::string model;  // "": the machine's; of processor time, hockney
  strategy::Placement placement = strategy::Placement::kBlock;
};

struct RouteAdvice {
  std::vector<Prediction> predictions;  // of one phase, best by the objective first
  std::string route;                    // to use: "direct" unless another one is clearly better
  std::string reason;                   // in one line
  std::vector<Grain> grains;            // empty: the work between phases is not known
};

// What one number of the objective is: seconds.
double ObjectiveSeconds(const model::Cost& cost, Objective objective);

// Prices one phase. A pattern with more messages than MessagesOf() makes is priced as an all-to-all
// of equal blocks, without grains, if a rank sends one message to nearly all other ranks. A route
// other than direct is named if it is better by kRouteFloor. Fails as MessagesOf() and
// EvaluatePattern(); FAILED_PRECONDITION if the model has no processor time and that is the
// objective; INVALID_ARGUMENT (field "model") for "all".
absl::StatusOr<RouteAdvice> AdviseRoute(const MachineView& machine, const RouteQuestion& question);

}  // namespace cox::advise

#endif  // COX_ADVISE_ROUTES_ROUTE_ADVICE_H_
