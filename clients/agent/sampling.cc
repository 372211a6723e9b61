#include "agent/sampling.h"

namespace cox::agent {

void SampleSchedule::Plan(const SampleCosts& costs) {
  constexpr double kNever = 1e15;
  gap_ += gap_ / 2;
  if (gap_ > kMaxGap) gap_ = kMaxGap;
  uint64_t gap = gap_;
  const double per_call_s = costs.elapsed_s / static_cast<double>(calls_);
  const double needed_s = (costs.spent_s + costs.last_s) / kBudget - costs.elapsed_s;
  if (needed_s > 0) {
    const double calls = per_call_s > 0 ? needed_s / per_call_s : kNever;
    const double bounded = calls < kNever ? calls : kNever;
    if (bounded > static_cast<double>(gap)) gap = static_cast<uint64_t>(bounded) + 1;
  }
  // Up to a quarter more, or a program whose calls repeat in a pattern would have the same one of
  // them sampled each time.
  const uint64_t turned = (calls_ * 0x9e3779b97f4a7c15) >> 33;
  next_ = calls_ + gap + turned % (gap / 4 + 2);
}

}  // namespace cox::agent
