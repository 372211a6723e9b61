#include "service/history/savings_watch.h"

#include <set>
#include <utility>

#include "cox/v1/history.pb.h"
#include "service/convert/timestamp.h"
#include "service/history/savings_answer.h"
#include "service/history/visible_names.h"

namespace cox::service {
namespace {

constexpr int64_t kPeriodUs = int64_t{24} * 3600 * 1'000'000;
constexpr int64_t kEveryUs = int64_t{5} * 60 * 1'000'000;
constexpr char kOwner[] = "coxd";  // no principal has this name

// Nullopt also after an error of the store: other metrics tell of it.
std::optional<SavedTime> EstimateSavedTime(store::Store& store, const std::string& machine,
                                           int64_t now_us) {
  v1::GetSavingsRequest request;
  request.set_machine(machine);
  *request.mutable_start_time() = ToTimestamp(now_us - kPeriodUs);
  v1::GetSavingsResponse response;
  const VisibleNames all_names(false, {});
  if (!AnswerSavings(store, request, all_names, {}, &response).ok() || response.rows().empty())
    return {};
  const v1::SavingsRow& all = response.rows(0);
  if (!(all.compared_call_count() > 0)) return {};
  SavedTime saved{.saved_s = all.saved_s(), .interval = {}};
  if (all.interval_s_size() == 2) saved.interval = {all.interval_s(0), all.interval_s(1)};
  return saved;
}

}  // namespace

std::map<std::string, SavedTime> SavingsWatch::Read(
    const std::vector<store::MachineState>& machines, int64_t now_us) {
  std::lock_guard lock(mutex_);
  std::set<std::string> known;
  const store::MachineState* oldest = nullptr;
  int64_t oldest_us = now_us - kEveryUs;  // a later estimate is not due
  for (const store::MachineState& state : machines) {
    const std::string& name = state.machine.name;
    // Without an observation of the period there is nothing to estimate.
    if (!state.last_observation_time_us || *state.last_observation_time_us < now_us - kPeriodUs) {
      continue;
    }
    known.insert(name);
    const int64_t at_us = estimates_[name].at_us;
    if (at_us > oldest_us) continue;
    oldest = &state;
    oldest_us = at_us;
  }
  std::erase_if(estimates_, [&](const auto& entry) { return !known.contains(entry.first); });
  if (oldest != nullptr && !is_busy_) Start(oldest->machine.name, now_us);
  std::map<std::string, SavedTime> saved;
  for (const auto& [machine, estimate] : estimates_) {
    if (estimate.saved) saved[machine] = *estimate.saved;
  }
  return saved;
}

void SavingsWatch::Start(const std::string& machine, int64_t now_us) {
  const absl::Status accepted = pool_->Run(kOwner, [this, machine, now_us] {
    const std::optional<SavedTime> saved = EstimateSavedTime(*store_, machine, now_us);
    std::lock_guard lock(mutex_);
    is_busy_ = false;
    const auto estimate = estimates_.find(machine);
    if (estimate != estimates_.end()) estimate->second.saved = saved;
  });
  // A full pool has more important work; the next reader tries again.
  if (!accepted.ok()) return;
  is_busy_ = true;
  estimates_[machine].at_us = now_us;
}

}  // namespace cox::service
