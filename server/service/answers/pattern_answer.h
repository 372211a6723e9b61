// A pattern of messages as a client streams it, and the answer about it. Not thread-safe.
#ifndef COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_
#define COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "model/transfer.h"
#include "service/convert/nodes_in_use.h"

namespace cox::service {

class StreamedPattern {
 public:
  // `held` counts the messages of all patterns; it outlives them.
  explicit StreamedPattern(std::atomic<int64_t>* held) : held_(held) {}
  ~StreamedPattern() { held_->fetch_sub(counted_); }
  StreamedPattern(const StreamedPattern&) = delete;
  StreamedPattern& operator=(const StreamedPattern&) = delete;

  // Takes the next request of the stream. INVALID_ARGUMENT with the field if the first request has
  // no header ("header") or one of more than kMaxPatternHeaderBytes, if a later one has one, or if
  // the numbers of sources, destinations and sizes differ; RESOURCE_EXHAUSTED beyond a limit.
  absl::Status Add(const v1::EvaluatePatternRequest& request);

  // Prices the pattern. INVALID_ARGUMENT with the field for a stream without a header, and for
  // errors of NodeFinder and advise::EvaluatePattern() ("sources[7]"). With a list of nodes it
  // reads the store. CANCELLED.
  absl::Status Answer(std::shared_ptr<const daemon::Snapshot> snapshot, NodeFinder finder,
                      const domain::IsCancelled& is_cancelled,
                      v1::EvaluatePatternResponse* response);

 private:
  absl::Status Reserve(int64_t count);

  std::atomic<int64_t>* held_;
  int64_t counted_ = 0;  // of held_
  bool has_header_ = false;
  v1::PatternHeader header_;
  std::vector<model::Transfer> messages_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_PATTERN_ANSWER_H_
