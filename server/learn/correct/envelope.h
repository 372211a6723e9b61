// The fastest of a library's algorithms, as far as they are known: what the library's own choice is
// compared with where its decision is not known. Stateless, any thread; allocates nothing.
#ifndef COX_LEARN_CORRECT_ENVELOPE_H_
#define COX_LEARN_CORRECT_ENVELOPE_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "learn/correct/correction.h"
#include "learn/correct/growth.h"
#include "model/model.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::learn {

// Whose price speaks; null and unused where no model can be priced.
struct Pricing {
  const model::Model* model = nullptr;
  const model::ParameterValues* values = nullptr;
};

// What is asked about: a collective of a library at a point.
struct Place {
  absl::string_view library;
  absl::string_view collective;
  const strategy::Scenario* scenario = nullptr;  // the point's; null without strategies
  Point point;
};

// What `corrections` say of the algorithm of that name. Not known: what would fail there, and a
// name for code that has another name of its own at this place. `schedule` is scratch.
Estimate EstimateOf(absl::string_view algorithm, const Corrections& corrections, const Place& place,
                    const Pricing& pricing, model::Schedule* schedule);

// The least of the times, in seconds, that `estimate_of` says of the library's algorithms that were
// timed, but its default. 0 where there is none.
double EnvelopeTime(const Corrections& corrections, absl::string_view library,
                    absl::string_view collective,
                    absl::FunctionRef<Estimate(absl::string_view)> estimate_of);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_ENVELOPE_H_
