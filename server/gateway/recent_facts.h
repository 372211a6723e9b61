// The daemon's facts for metrics, at most a second old.
//
// Scrapers may come as often as they like: one thread at a time reads the database, and the others
// wait for what it finds. So metrics take one read connection of the store at most. Any thread.
#ifndef COX_GATEWAY_RECENT_FACTS_H_
#define COX_GATEWAY_RECENT_FACTS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "service/facts.h"

namespace cox::gateway {

class RecentFacts {
 public:
  using Result = absl::StatusOr<service::Facts>;
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  static constexpr std::chrono::seconds kMaxAge{1};

  explicit RecentFacts(std::function<Result()> read, Clock clock = std::chrono::steady_clock::now)
      : read_(std::move(read)), clock_(std::move(clock)) {}

  // Fails as the last reading did. A failure lasts as long as facts do: a database that does not
  // answer costs the most.
  std::shared_ptr<const Result> Get();

 private:
  const std::function<Result()> read_;
  const Clock clock_;
  std::mutex mutex_;                      // guards what follows; held while facts are read
  std::shared_ptr<const Result> result_;  // null: never read
  std::chrono::steady_clock::time_point read_time_;  // when the reading ended
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_RECENT_FACTS_H_
