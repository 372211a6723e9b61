#include "access/quotas.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "domain/errors.h"

namespace cox::access {
namespace {

constexpr int64_t kSecond_us = 1'000'000;
constexpr int64_t kMinute_us = 60 * kSecond_us;
constexpr int64_t kHour_us = 60 * kMinute_us;
constexpr int64_t kDay_us = 24 * kHour_us;
// A stream ends when its client ends it; nobody knows when.
constexpr int64_t kStreamDelay_us = kSecond_us;

struct Row {
  absl::string_view name;
  absl::string_view what;
  int64_t period_us;  // of the limit
  int64_t burst_us;   // what may be taken at once after a pause
};

// In the order of Quota.
constexpr Row kTable[kQuotaCount] = {
    {"rows", "rows a second", kSecond_us, 10 * kSecond_us},
    {"machines", "new machines a day", kDay_us, kDay_us},
    {"jobs", "new jobs an hour", kHour_us, kHour_us},
    {"questions", "heavy questions a minute", kMinute_us, kMinute_us},
    {"streams", "open streams", 0, 0},
    {"connections", "open connections", 0, 0},
    {"scenarios", "new scenarios an hour", kHour_us, kHour_us},
};

constexpr size_t IndexOf(Quota quota) { return static_cast<size_t>(quota); }

}  // namespace

absl::string_view QuotaName(Quota quota) { return kTable[IndexOf(quota)].name; }

absl::Status Quotas::Take(const Principal& principal, Quota quota, int64_t amount) {
  if (!IsLimited(principal, quota) || amount <= 0) return absl::OkStatus();
  std::lock_guard lock(mutex_);
  State* const state = StateOf(principal);
  return state == nullptr ? RefuseStranger(principal, quota)
                          : TakeFrom(*state, principal, quota, amount);
}

absl::Status Quotas::TakeJob(const Principal& principal, absl::string_view job) {
  if (!IsLimited(principal, Quota::kJobs) || job.empty()) return absl::OkStatus();
  const size_t hash = absl::HashOf(job);
  std::lock_guard lock(mutex_);
  State* const state = StateOf(principal);
  if (state == nullptr) return RefuseStranger(principal, Quota::kJobs);
  if (state->jobs.contains(hash)) return absl::OkStatus();
  absl::Status taken = TakeFrom(*state, principal, Quota::kJobs, 1);
  if (taken.ok()) RememberJob(*state, hash);
  return taken;
}

absl::Status Quotas::OpenStream(const Principal& principal) {
  if (!IsLimited(principal, Quota::kStreams)) return absl::OkStatus();
  std::lock_guard lock(mutex_);
  State* const state = StateOf(principal);
  if (state == nullptr) return RefuseStranger(principal, Quota::kStreams);
  if (state->stream_count >= limits_[IndexOf(Quota::kStreams)]) {
    return Refuse(principal, Quota::kStreams, kStreamDelay_us);
  }
  ++state->stream_count;
  return absl::OkStatus();
}

void Quotas::CloseStream(const Principal& principal) {
  if (!IsLimited(principal, Quota::kStreams)) return;
  std::lock_guard lock(mutex_);
  // It is there: one with streams is never forgotten.
  --states_[principal.name].stream_count;
}

void Quotas::CountRefusal(Quota quota) {
  std::lock_guard lock(mutex_);
  ++refused_[IndexOf(quota)];
}

int64_t Quotas::refused_count(Quota quota) const {
  std::lock_guard lock(mutex_);
  return refused_[IndexOf(quota)];
}

bool Quotas::IsLimited(const Principal& principal, Quota quota) const {
  return principal.role < Role::kOperator && limits_[IndexOf(quota)] > 0;
}

Quotas::State* Quotas::StateOf(const Principal& principal) {
  const auto found = states_.find(principal.name);
  if (found != states_.end()) return &found->second;
  if (states_.size() >= kMaxPrincipals) {
    const int64_t now_us = clock_();
    absl::erase_if(states_, [&](const auto& entry) {
      const bool is_idle = IsIdle(entry.second, now_us);
      if (is_idle) known_jobs_ -= entry.second.jobs.size();
      return is_idle;
    });
    if (states_.size() >= kMaxPrincipals) return nullptr;
  }
  return &states_[principal.name];
}

bool Quotas::IsIdle(const State& state, int64_t now_us) const {
  return state.stream_count == 0 &&
         std::all_of(state.settled_us.begin(), state.settled_us.end(),
                     [now_us](int64_t settled_us) { return settled_us <= now_us; });
}

// A leaky bucket that keeps one number: each amount takes its time to be made up for, and what is
// not made up for yet may last as long as a burst.
absl::Status Quotas::TakeFrom(State& state, const Principal& principal, Quota quota,
                              int64_t amount) {
  const Row& row = kTable[IndexOf(quota)];
  const int64_t now_us = clock_();
  const int64_t settled_us = std::max(state.settled_us[IndexOf(quota)], now_us);
  const auto cost_us =
      static_cast<int64_t>(static_cast<double>(amount) * static_cast<double>(row.period_us) /
                           static_cast<double>(limits_[IndexOf(quota)]));
  const int64_t over_us = std::min(settled_us + cost_us - now_us - row.burst_us,
                                   settled_us - now_us);  // an amount over the burst waits for zero
  if (over_us > 0) return Refuse(principal, quota, over_us);
  state.settled_us[IndexOf(quota)] = settled_us + cost_us;
  return absl::OkStatus();
}

absl::Status Quotas::Refuse(const Principal& principal, Quota quota, int64_t delay_us) {
  ++refused_[IndexOf(quota)];
  const Row& row = kTable[IndexOf(quota)];
  const double delay_s = static_cast<double>(delay_us) * 1e-6;
  return domain::QuotaExceeded(
      absl::StrFormat("quota: %s may have %d %s (quota-%s); try again in %.3g s", principal.name,
                      limits_[IndexOf(quota)], row.what, row.name, delay_s),
      delay_s);
}

absl::Status Quotas::RefuseStranger(const Principal& principal, Quota quota) {
  ++refused_[IndexOf(quota)];
  return domain::QuotaExceeded(
      absl::StrFormat("quota: %d callers have used their quotas lately, as many as coxd can count; "
                      "%s is one more. Try again in 1 s",
                      kMaxPrincipals, principal.name),
      static_cast<double>(kSecond_us) * 1e-6);
}

void Quotas::RememberJob(State& state, size_t job) {
  if (known_jobs_ >= kMaxKnownJobs) {
    for (auto& [name, other] : states_) other.jobs.clear();
    known_jobs_ = 0;
  }
  state.jobs.insert(job);
  ++known_jobs_;
}

}  // namespace cox::access
