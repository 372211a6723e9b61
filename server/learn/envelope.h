// The fastest of a library's algorithms, as far as they are known: what the library's own choice is
// compared with where its decision is not known. Stateless, any thread; allocates nothing.
#ifndef COX_LEARN_ENVELOPE_H_
#define COX_LEARN_ENVELOPE_H_

#include "absl/strings/string_view.h"
#include "learn/correction.h"
#include "learn/growth.h"
#include "model/model.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::learn {

// Whose price speaks; null and unused where no model can be priced.
struct Pricing {
  const model::Model* model = nullptr;
  const model::ParameterValues* values = nullptr;
};

// The least of the times, in seconds, that `corrections` say of all algorithms of the library but
// its default at this point: those that were timed and are known there. 0 where there is none.
// `scenario` is the point's, null where the collective has no strategies. `schedule` is scratch.
double EnvelopeTime(const Corrections& corrections, absl::string_view library,
                    absl::string_view collective, const strategy::Scenario* scenario,
                    const Point& point, const Pricing& pricing, model::Schedule* schedule);

}  // namespace cox::learn

#endif  // COX_LEARN_ENVELOPE_H_
