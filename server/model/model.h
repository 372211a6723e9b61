// A model prices traffic: a schedule and parameter values in, seconds out. Models are stateless,
// immutable singletons, safe from any thread; none knows which strategy made the schedule.
//
// The table Models() is the one list of models: everything that names models (API, command line,
// calibration, refinement) walks it.
#ifndef COX_MODEL_MODEL_H_
#define COX_MODEL_MODEL_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/cost.h"
#include "model/schedule.h"
#include "model/traffic.h"

namespace cox::model {

// One parameter of a model. `name` is unique within (model, level).
struct ParameterSpec {
  absl::string_view name;         // "alpha", "beta", ...
  Level level;                    // kSelf: local work; kNode, kNetwork: that level's parameter
  absl::string_view unit;         // "s", "s/byte", "byte/s", ...
  absl::string_view description;  // one line: what it is
  bool required;                  // a profile without it cannot be priced under this model
  double default_value;           // used when absent and not required (0 unless a limit, +inf)
};

class Model {
 public:
  virtual ~Model() = default;

  virtual absl::string_view id() const = 0;           // "hockney"
  virtual absl::string_view description() const = 0;  // one line
  virtual absl::string_view source() const = 0;       // authors, title, year, equation
  virtual absl::string_view sees() const = 0;         // "latency, bandwidth"
  virtual absl::string_view blind_to() const = 0;     // "link congestion, imbalance"

  // In the order in which Price() and Coefficients() take and give values.
  virtual absl::Span<const ParameterSpec> parameters() const = 0;

  // Prices a schedule. values: one per parameters(), finite and >= 0 (the caller has checked).
  // Never negative, finite for finite values, monotone in each byte count. An empty schedule costs
  // 0. Allocates nothing; O(phases).
  virtual Cost Price(absl::Span<const double> values, const Schedule& schedule) const = 0;

  // Gradient of the total with respect to each parameter at `values`, into `out` (same length). For
  // a model that is linear in its parameters this is the design row: total = sum out[i] *
  // values[i].
  virtual void Coefficients(absl::Span<const double> values, const Schedule& schedule,
                            absl::Span<double> out) const = 0;

  // Whether the price is linear in the parameters (for fixed traffic).
  virtual bool linear() const = 0;
};

// All models, in the order in which they are listed to users. At most kMaxParameters parameters
// each.
inline constexpr size_t kMaxParameters = 16;
absl::Span<const Model* const> Models();

// NOT_FOUND for an unknown id; the message lists the known ones.
absl::StatusOr<const Model*> FindModel(absl::string_view id);

}  // namespace cox::model

#endif  // COX_MODEL_MODEL_H_
