#include "agent/sampling/sampling.h"

#include "domain/collective.h"

namespace cox::agent {

void SampleAccount::SpendOnce(double cost_s) {
  double spent_s = spent_s_.load(std::memory_order_relaxed);
  while (!spent_s_.compare_exchange_weak(spent_s, spent_s + cost_s, std::memory_order_relaxed)) {
  }
}

void SampleAccount::Spend(double cost_s) {
  SpendOnce(cost_s);
  double dearest_s = dearest_s_.load(std::memory_order_relaxed);
  while (dearest_s < cost_s &&
         !dearest_s_.compare_exchange_weak(dearest_s, cost_s, std::memory_order_relaxed)) {
  }
}

double SampleAccount::Lacks(double elapsed_s, double share, double cost_s, int others) const {
  const double next_s = dearest_s() > cost_s ? dearest_s() : cost_s;
  return (spent_s() + next_s + others * cost_s) / share - elapsed_s;
}

SampleSchedule::SampleSchedule(uint32_t first) {
  for (Own& own : own_) own = {.calls = 0, .next = first, .gap = 2, .samples = 0};
}

uint32_t SampleSchedule::Fewest() const {
  const uint32_t lately = called_ | called_before_;
  uint32_t fewest = UINT32_MAX;
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    if ((lately >> i & 1) != 0 && own_[i].samples < fewest) fewest = own_[i].samples;
  }
  return fewest;
}

bool SampleSchedule::IsDue(domain::Collective collective) {
  Own& own = own_[static_cast<int>(collective)];
  ++calls_;
  ++own.calls;
  called_ |= uint32_t{1} << static_cast<int>(collective);
  if (own.calls < own.next || calls_ < open_at_) return false;
  // When the account is seldom open, the collectives that are called most often would always get
  // it. So collectives with more samples let the others go first.
  return calls_ >= open_at_ + wait_ / 2 || own.samples <= Fewest();
}

void SampleSchedule::Save(const SampleBudget& budget, uint64_t least_calls) {
  // After this many calls a question costs next to nothing, and the pace may have changed.
  constexpr uint64_t kMostWait = 100'000;
  constexpr double kLeastCall_s = 1e-8;
  // The faster of the paces since the start and since the last exchange, as asking too early costs.
  double call_s = budget.elapsed_s / static_cast<double>(calls_);
  const double recent_s = budget.elapsed_s - exchange_elapsed_s_;
  const double recent_call_s = recent_s / static_cast<double>(calls_ - exchange_calls_);
  if (calls_ > exchange_calls_ && recent_call_s < call_s) call_s = recent_call_s;
  if (!(call_s > kLeastCall_s)) call_s = kLeastCall_s;
  constexpr double kMargin = 1.05;
  const double calls = budget.lacks_s > 0 ? kMargin * budget.lacks_s / call_s : 0;
  wait_ = calls < kMostWait ? static_cast<uint64_t>(calls) : kMostWait;
  if (wait_ < least_calls) wait_ = least_calls < kMostWait ? least_calls : kMostWait;
  open_at_ = calls_ + wait_ + 1;
  exchange_calls_ = calls_;
  exchange_elapsed_s_ = budget.elapsed_s;
  called_before_ = called_;
  called_ = 0;
}

void SampleSchedule::PutOff(const SampleBudget& budget) { Save(budget, 2 * wait_); }

void SampleSchedule::Sampled(domain::Collective collective, const SampleBudget& budget) {
  Own& own = own_[static_cast<int>(collective)];
  ++own.samples;
  own.gap += own.gap / 2;
  if (own.gap > kMaxGap) own.gap = kMaxGap;
  // Adds up to a quarter, so that a program whose calls repeat in a pattern does not always get the
  // same call sampled.
  const uint64_t turned = (own.calls * 0x9e3779b97f4a7c15) >> 33;
  own.next = own.calls + own.gap + turned % (own.gap / 4 + 2);
  Save(budget, 0);
}

}  // namespace cox::agent
