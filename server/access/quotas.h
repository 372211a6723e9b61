// What each principal may use, so that none can take what the others need. One table of limits.
//
// Reporters and viewers have limits; operators and administrators have none, for they could change
// the limits' effects anyway. All who come without a name share those of "anonymous".
//
// Any thread; no call waits, and each costs O(1). Memory is bounded: a principal that uses nothing
// is forgotten when there are too many.
#ifndef COX_ACCESS_QUOTAS_H_
#define COX_ACCESS_QUOTAS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "access/principal.h"

namespace cox::access {

enum class Quota { kRows, kMachines, kJobs, kQuestions, kStreams, kConnections, kScenarios };
inline constexpr size_t kQuotaCount = 7;

// "rows", "machines", "jobs", "questions", "streams", "connections", "scenarios"; the settings are
// quota-NAME.
absl::string_view QuotaName(Quota quota);

class Quotas {
 public:
  // By Quota: rows a second, new machines a day, new jobs an hour, heavy questions a minute, open
  // streams, open connections, new scenarios an hour. 0: no limit.
  using Limits = std::array<int64_t, kQuotaCount>;
  using Clock = std::function<int64_t()>;  // microseconds that only grow

  static constexpr size_t kMaxPrincipals = 4'096;
  static constexpr size_t kMaxKnownJobs = 262'144;  // of all principals together

  Quotas(const Limits& limits, Clock clock) : limits_(limits), clock_(std::move(clock)) {}

  // Takes `amount` (>= 0) of kRows, kMachines, kQuestions or kScenarios. RESOURCE_EXHAUSTED, as
  // domain::QuotaExceeded(), if the principal has used its share; then nothing is taken. After a
  // pause a burst is admitted: ten seconds' rows, else a whole period. An amount over that passes
  // alone.
  absl::Status Take(const Principal& principal, Quota quota, int64_t amount);

  // Takes one of kJobs if the principal has not reported for this job lately.
  absl::Status TakeJob(const Principal& principal, absl::string_view job);

  // Takes one of kStreams until CloseStream(), which follows each OpenStream() that was OK.
  absl::Status OpenStream(const Principal& principal);
  void CloseStream(const Principal& principal);

  // Of what is bounded elsewhere: kConnections by the listener, before there is a principal, and
  // kScenarios of a full machine.
  void CountRefusal(Quota quota);

  // How often a quota was exceeded.
  int64_t refused_count(Quota quota) const;

 private:
  struct State {
    // By Quota: when all that was taken is made up for.
    std::array<int64_t, kQuotaCount> settled_us{};
    absl::flat_hash_set<size_t> jobs;  // hashes of those it has reported for
    int64_t stream_count = 0;
  };

  bool IsLimited(const Principal& principal, Quota quota) const;
  // Null: there are too many principals. With mutex_ held, as the others.
  State* StateOf(const Principal& principal);
  bool IsIdle(const State& state, int64_t now_us) const;
  absl::Status TakeFrom(State& state, const Principal& principal, Quota quota, int64_t amount);
  absl::Status Refuse(const Principal& principal, Quota quota, int64_t delay_us);
  // One for whom StateOf() has no place.
  absl::Status RefuseStranger(const Principal& principal, Quota quota);
  void RememberJob(State& state, size_t job);

  const Limits limits_;
  const Clock clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, State> states_;
  size_t known_jobs_ = 0;
  std::array<int64_t, kQuotaCount> refused_{};
};

}  // namespace cox::access

#endif  // COX_ACCESS_QUOTAS_H_
