// A model prices traffic: a schedule and parameter values in, seconds out. Models are stateless
// immutable singletons, safe from any thread. No model knows which strategy made the schedule.
//
// Models() is the only list of models. The API, the command line, calibration and refinement all
// walk it.
#ifndef COX_MODEL_MODEL_H_
#define COX_MODEL_MODEL_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "model/cost.h"
#include "model/schedule.h"
#include "model/traffic.h"
#include "model/transfer.h"
#include "model/values.h"

namespace cox::model {

// One parameter of a model. `name` is unique within (model, level).
struct ParameterSpec {
  absl::string_view name;         // "alpha", "beta", ...
  domain::Level level;            // kSelf: local work; others: that level's parameter
  absl::string_view unit;         // "s", "s/byte", "byte", "units", "0 or 1", ...
  absl::string_view description;  // one line: what it is
  bool required;                  // a profile without it cannot be priced under this model
  double default_value;           // used when absent and not required (0 unless a limit, +inf)
  // Whether it is only stated (published, imported, edited) and never fitted to timings: sizes,
  // switches, and values that do not enter the completion time.
  bool stated = false;
  // What a piecewise value depends on: "bytes of a message"; "" for a parameter that is constant.
  absl::string_view argument = "";
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
  // Never negative, monotone in each byte count (e-bsp: where L_scatter >= L, see Excess()). Finite
  // for the values of a machine; values near the largest double can give more than that. An empty
  // schedule costs 0. Allocates nothing; O(phases).
  virtual Cost Price(const Values& values, const Schedule& schedule) const = 0;

  // The cost of a pattern whose messages are listed, for a model that a list tells more than the
  // maxima of a phase do (sizes that differ). `schedule` is the pattern's one phase. None: Price()
  // says all. Allocates; O(messages log messages).
  virtual std::optional<Cost> PriceListed(const Values& /*values*/, const Schedule& /*schedule*/,
                                          absl::Span<const Transfer> /*messages*/) const {
    return {};
  }

  // For a phase that one of two formulas prices, where the price may fall when bytes grow and the
  // other formula takes over: by how much the first one's byte time exceeds the other's, >= 0 where
  // it applies. None: one formula, or a price that does not fall.
  virtual std::optional<double> Excess(const Values& /*values*/, const Schedule& /*schedule*/,
                                       const Phase& /*phase*/) const {
    return {};
  }

  // Why this schedule's price is uncertain: the model's authors did not mean it for such traffic.
  // One line; "" if they did.
  virtual std::string Caveat(const Values& /*values*/, const Schedule& /*schedule*/) const {
    return "";
  }

  // Gradient of the total with respect to each time among the parameters (unit s or s/byte) at
  // `values`, into `out` (same length); 0 for sizes, counts and switches. The times, multiplied by
  // their slopes, add up to the total: for a linear model this is the design row.
  virtual void Coefficients(const Values& values, const Schedule& schedule,
                            absl::Span<double> out) const = 0;

  // Whether the price is linear in the times (for fixed traffic, sizes and switches).
  virtual bool linear() const = 0;
};

// All models, in the order in which they are listed to users. At most kMaxParameters parameters
// each.
inline constexpr size_t kMaxParameters = 20;
absl::Span<const Model* const> Models();

// NOT_FOUND for an unknown id; the message lists the known ones.
absl::StatusOr<const Model*> FindModel(absl::string_view id);

}  // namespace cox::model

#endif  // COX_MODEL_MODEL_H_
