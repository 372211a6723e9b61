// How far the calibrated models disagree about messages without timings. A model may fit all
// timings and still misprice other messages. A model without a cost per message is right about
// broadcasts down trees, but a hundred times too cheap for a rank that sends a thousand messages at
// once. Immutable once built, any thread.
#ifndef COX_LEARN_CORRECT_MODEL_SPREAD_H_
#define COX_LEARN_CORRECT_MODEL_SPREAD_H_

#include <array>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "learn/correct/model_choice.h"
#include "learn/correct/model_errors.h"
#include "model/schedule.h"

namespace cox::learn {

class ModelSpread {
 public:
  // No spread: nothing was timed, so nothing was selected by times.
  ModelSpread() = default;
  // `ranked` by RankModels(), the selected model first; `sizes` of what was timed. Models that the
  // timings refute do not count: those whose median error exceeds a factor of two, and twice the
  // selected model's error.
  ModelSpread(absl::Span<const ModelError> ranked, absl::Span<const StructureSize> sizes);

  // The standard deviation of ln(time) that widens a 90 % interval around price_s > 0, the selected
  // model's price, to the prices of all models that count. It fades to 0 where a phase with as many
  // messages per rank and bytes per message was timed. O(phases x models); allocates nothing.
  double At(const model::Schedule& schedule, double price_s) const;

 private:
  // Doublings of messages and of bytes.
  static constexpr size_t kMessages = 32;
  static constexpr size_t kBytes = 48;
  struct Box {
    size_t messages;
    size_t bytes;
  };
  static Box BoxOf(const StructureSize& size);
  void MarkSeen(const Box& seen);

  std::vector<PricedModel> others_;  // that count, without the selected one
  // How near the nearest timing is: 1 in a box with timings, and less with the distance from it.
  std::array<std::array<float, kBytes>, kMessages> nearness_{};
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MODEL_SPREAD_H_
