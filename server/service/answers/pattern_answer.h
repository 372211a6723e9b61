// A pattern of messages as a client streams it, and the answer about it. Not thread-safe.
#ifndef COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_
#define COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "domain/sharing/shares.h"
#include "model/transfer.h"
#include "service/convert/nodes_in_use.h"
#include "service/limits.h"

namespace cox::service {

// The messages of all patterns that are being received or priced. Any thread.
struct PatternMessages {
  std::mutex mutex;
  domain::Shares held{kMaxPatternMessagesHeld};  // by principal
};

class StreamedPattern {
 public:
  // A pattern of `caller`, a principal's name. `all` outlives it.
  StreamedPattern(PatternMessages* all, std::string caller)
      : all_(all), caller_(std::move(caller)) {}
  ~StreamedPattern() {
    const std::lock_guard lock(all_->mutex);
    all_->held.GiveBack(caller_, counted_);
  }
  StreamedPattern(const StreamedPattern&) = delete;
  StreamedPattern& operator=(const StreamedPattern&) = delete;

  // Takes the next request of the stream. INVALID_ARGUMENT with the field if the first request has
  // no header ("header") or one of more than kMaxPatternHeaderBytes, if a later one has one, or if
  // the numbers of sources, destinations and sizes differ; RESOURCE_EXHAUSTED beyond a limit
  // or the caller's share of all messages.
  absl::Status Add(const v1::EvaluatePatternRequest& request);

  // Prices the pattern. INVALID_ARGUMENT with the field for a stream without a header, and for
  // errors of NodeFinder and advise::EvaluatePattern() ("sources[7]"). With a list of nodes it
  // reads the store. CANCELLED.
  absl::Status Answer(std::shared_ptr<const daemon::Snapshot> snapshot, NodeFinder finder,
                      const domain::IsCancelled& is_cancelled,
                      v1::EvaluatePatternResponse* response);

 private:
  absl::Status Reserve(int64_t count);

  PatternMessages* const all_;
  const std::string caller_;
  int64_t counted_ = 0;  // of all_
  bool has_header_ = false;
  v1::PatternHeader header_;
  std::vector<model::Transfer> messages_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_
