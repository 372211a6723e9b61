// The envelope: the time of a library's fastest known algorithm. A default whose decision is not
// known is compared with it. Stateless, any thread; allocates nothing.
#ifndef COX_LEARN_CORRECT_ENVELOPE_TIME_H_
#define COX_LEARN_CORRECT_ENVELOPE_TIME_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "learn/correct/corrections.h"
#include "learn/correct/surface/asked_point.h"
#include "model/model.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::learn {

// The selected model with its values; null where no model can be priced.
struct Pricing {
  const model::Model* model = nullptr;
  const model::ParameterValues* values = nullptr;
};

// A question: a collective of a library at a point. Pointers outlive it.
struct Place {
  const Corrections* corrections = nullptr;
  const CollectiveCorrections* learned = nullptr;  // of the collective
  absl::string_view library;
  const strategy::Scenario* scenario = nullptr;  // the point's; null without strategies
  AskedPoint* asked = nullptr;
  Estimate common{};  // CommonTimeAt()
};
Place PlaceAt(const Corrections& corrections, absl::string_view library,
              absl::string_view collective, const strategy::Scenario* scenario, AskedPoint* asked);

// The common time of a collective's algorithms; not known where no correction multiplies it.
Estimate CommonTimeAt(const Corrections& corrections, absl::string_view library,
                      absl::string_view collective, AskedPoint* asked);

// Estimates an algorithm's time. Not known: an algorithm that would fail there, and one that runs
// another algorithm's code there. `schedule` is scratch.
Estimate EstimateOf(absl::string_view algorithm, const Place& place, const Pricing& pricing,
                    model::Schedule* schedule);

// The same for an algorithm whose structure there is `strategy`; null: not known. Without
// observations of the algorithm, the estimate has the models' spread (model_spread.h).
Estimate EstimateOf(absl::string_view algorithm, const strategy::Strategy* strategy,
                    const Place& place, const Pricing& pricing, model::Schedule* schedule);

// The least of the times, in seconds, that `estimate_of` gives for the observed algorithms, except
// the default; 0 where there is none. At most Corrections::kMaxAlgorithms estimates.
double EnvelopeTime(const CollectiveCorrections& learned,
                    absl::FunctionRef<Estimate(absl::string_view)> estimate_of);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_ENVELOPE_TIME_H_
