// What learning holds back, by machine: the service reads it while a machine learns. Any thread; no
// call waits for learning.
#ifndef COX_DAEMON_LEARNING_HELD_PROFILES_H_
#define COX_DAEMON_LEARNING_HELD_PROFILES_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cox::daemon {

// What was learned from jobs and would move predictions far from the profile that a person set
// (learn/refine/hold_back.h). It is not published until an operator accepts it, or until a second
// source agrees. Corrections by cells do not wait.
struct HeldProfile {
  int64_t base_revision = 0;  // the active revision
  int64_t observation_count = 0;
  double factor = 1;                 // of the predictions' move
  std::vector<std::string> sources;  // that agree with it
};

class HeldProfiles {
 public:
  // True: nothing was held back for this machine before.
  bool Set(const std::string& machine, HeldProfile held) {
    const std::lock_guard lock(mutex_);
    return held_.insert_or_assign(machine, std::move(held)).second;
  }
  void Clear(const std::string& machine) {
    const std::lock_guard lock(mutex_);
    held_.erase(machine);
  }
  // Nullopt: nothing is held back.
  std::optional<HeldProfile> Of(const std::string& machine) const {
    const std::lock_guard lock(mutex_);
    const auto held = held_.find(machine);
    return held == held_.end() ? std::nullopt : std::optional(held->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, HeldProfile> held_;  // guarded by mutex_
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_HELD_PROFILES_H_
