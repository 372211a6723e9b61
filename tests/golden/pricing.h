// A model's price of a schedule on a machine whose levels are alike, from parameters by name.
#ifndef COX_TESTS_GOLDEN_PRICING_H_
#define COX_TESTS_GOLDEN_PRICING_H_

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/shape.h"
#include "model/extent.h"
#include "model/schedule.h"

namespace cox::golden {

using NamedValues = std::vector<std::pair<absl::string_view, double>>;

// Seconds. A parameter that is not named has its default. Ends the program if the model has not all
// that are named.
double Price(absl::string_view model, const NamedValues& parameters,
             const model::Schedule& schedule);

// The schedule of a strategy that applies.
model::Schedule ScheduleOf(absl::string_view strategy, int64_t ranks, int64_t block_bytes,
                           int64_t ppn = 1, const domain::Shape* shape = nullptr);

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_PRICING_H_
