// A fixed number of sessions for reading, lent out one at a time. A lost one connects anew when it
// is lent.
//
// Thread rule: any thread. A lease belongs to one thread. Borrow() waits while all sessions are
// lent, so a thread must not borrow a second one. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_CONNECTION_SESSION_POOL_H_
#define COX_STORE_POSTGRES_CONNECTION_SESSION_POOL_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

class SessionPool {
 public:
  class Lease {
   public:
    Lease(SessionPool& pool, std::unique_ptr<Session> session, int64_t renewal_count)
        : pool_(pool), session_(std::move(session)), renewal_count_(renewal_count) {}
    ~Lease() { pool_.Return(std::move(session_), renewal_count_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Session& operator*() const { return *session_; }

   private:
    SessionPool& pool_;
    std::unique_ptr<Session> session_;
    const int64_t renewal_count_;  // of the pool, when the session was lent
  };

  // Does not connect yet.
  SessionPool(const std::string& url, const std::string& set_up, int sessions);
  Lease Borrow();
  // Sessions that are lent from now on connect anew: the server may be another one.
  void Renew();

 private:
  void Return(std::unique_ptr<Session> session, int64_t renewal_count);

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Session>> idle_;  // guarded by mutex_
  int64_t renewal_count_ = 0;                   // guarded by mutex_
};

// During its life all statements of the session see the same commit. Connects anew if the session
// was lost.
class Snapshot {
 public:
  explicit Snapshot(Session& session);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  Session& session_;
  absl::Status status_;
};

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_CONNECTION_SESSION_POOL_H_
