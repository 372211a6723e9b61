// The open streams: bounds their number, of all principals and of each, ends those whose principals
// lose access, and drains all when the daemon ends.
//
// Any thread.
#ifndef COX_SERVICE_STREAMS_STREAM_REGISTRY_H_
#define COX_SERVICE_STREAMS_STREAM_REGISTRY_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "access/principal.h"
#include "access/quotas.h"
#include "domain/sharing/shares.h"

namespace cox::service {

// A stream that can be ended from outside.
class Closable {
 public:
  virtual ~Closable() = default;
  // Accepts nothing new, answers accepted requests, and finishes with `why`, which is not OK. Any
  // thread; the first call counts.
  virtual void Close(const absl::Status& why) = 0;
};

class StreamRegistry {
 public:
  // `quotas` outlives it.
  StreamRegistry(size_t stream_limit, access::Quotas* quotas)
      : places_(static_cast<int64_t>(stream_limit)), quotas_(quotas) {}

  // RESOURCE_EXHAUSTED over the limit, or, below operator, over the principal's share of it
  // (domain/sharing/shares.h) or its quota; UNAVAILABLE when draining. Then the stream must finish
  // with it.
  absl::Status Add(const std::shared_ptr<Closable>& stream, const access::Principal& principal);
  void Remove(const std::shared_ptr<Closable>& stream);

  // Closes the streams for whose principal `check` is not OK, with what it says.
  void CloseIf(const std::function<absl::Status(const access::Principal&)>& check);

  // Drains all, and refuses new ones from now on.
  void DrainAll();

  // Waits until every stream is removed, or until `deadline`. After DrainAll().
  void AwaitEmpty(std::chrono::steady_clock::time_point deadline);

 private:
  domain::Shares places_;  // guarded by mutex_
  access::Quotas* const quotas_;
  std::mutex mutex_;
  std::condition_variable removed_;
  std::map<std::shared_ptr<Closable>, access::Principal> streams_;
  bool draining_ = false;
};

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_STREAM_REGISTRY_H_
