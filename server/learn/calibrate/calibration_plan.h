// A table of what a calibration's samples tell about each model. It says which kinds fit the model,
// and which parameters a kind shows directly. It also says which stated sizes the data choose, and
// whether parameters may change with the size. No fitting here. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_CALIBRATION_PLAN_H_
#define COX_LEARN_CALIBRATE_CALIBRATION_PLAN_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "learn/samples.h"
#include "model/model.h"

namespace cox::learn {

// A kind whose time is a parameter itself: `parameter` + bytes x `per_byte` ("" for none).
struct DirectKind {
  absl::string_view kind;
  absl::string_view parameter;
  absl::string_view per_byte;
  bool small_only;  // short messages only: the parameter is a constant
};

// How a stated size gets its value.
enum class SizeChoice {
  kNone,
  kSmallMessage,  // the longest message that takes about as long as the shortest
  kBestFit,       // the size with which the model fits best; the larger of two that fit alike
};

struct ModelPlan {
  const model::Model* model;
  absl::Span<const absl::string_view> kinds;  // priced as schedules
  bool (*uses)(const Sample& sample);         // which samples of these kinds; null: all
  absl::Span<const DirectKind> direct;
  absl::string_view size_parameter;  // "": none is chosen
  SizeChoice size_choice;
  // Stated parameters that these samples may show: fitted, and kept if the fit is clearly better.
  absl::Span<const absl::string_view> extras;
  // The argument of piecewise parameters; null: one regime.
  double (*argument)(const Sample& sample);
};

// A row for each of model::Models().
absl::Span<const ModelPlan> CalibrationPlans();

// Whether the model has parameters of its own at the level.
bool HasLevel(const model::Model& model, domain::Level level);

// The index of a parameter; -1 if there is none.
int IndexOf(const model::Model& model, domain::Level level, absl::string_view name);

// The longest message that takes at most 1.25 times as long as the shortest, from ping-pongs of one
// pair; 0 without any.
int64_t SmallMessageBytes(absl::Span<const Sample* const> samples);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_CALIBRATION_PLAN_H_
