#include "store/postgres/connection/session_pool.h"

#include <algorithm>

namespace cox::store::postgres {
namespace {

constexpr const char* kBegin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

}  // namespace

SessionPool::SessionPool(const std::string& url, const std::string& set_up, int sessions) {
  for (int i = 0; i < std::max(1, sessions); ++i) {
    idle_.push_back(std::make_unique<Session>(url, set_up));
  }
}

SessionPool::Lease SessionPool::Borrow() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !idle_.empty(); });
  std::unique_ptr<Session> session = std::move(idle_.back());
  idle_.pop_back();
  return Lease(*this, std::move(session), renewal_count_);
}

void SessionPool::Renew() {
  const std::lock_guard lock(mutex_);
  ++renewal_count_;
  for (const std::unique_ptr<Session>& session : idle_) session->Close();
}

void SessionPool::Return(std::unique_ptr<Session> session, int64_t renewal_count) {
  {
    const std::lock_guard lock(mutex_);
    if (renewal_count != renewal_count_) session->Close();
    idle_.push_back(std::move(session));
  }
  returned_.notify_one();
}

Snapshot::Snapshot(Session& session) : session_(session) {
  if (session_.IsConnected()) {
    status_ = session_.Execute(kBegin);
    if (session_.IsConnected() || session_.HasHung()) return;
  }
  // The server has ended it since the last read.
  status_ = session_.Connect();
  if (status_.ok()) status_ = session_.Execute(kBegin);
}

Snapshot::~Snapshot() {
  if (status_.ok()) session_.Execute("ROLLBACK").IgnoreError();  // nothing was written
}

}  // namespace cox::store::postgres
