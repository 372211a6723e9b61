#include "store/writer.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/sharing/name_thread.h"
#include "domain/words/counted.h"

namespace cox::store {
namespace {

// Of the status of a write of its own. What makes a file read-only fails its BEGIN already.
bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

}  // namespace

Writer::Writer(Transactions& transactions, WriteState& state, const Limits& limits, bool maintain)
    : transactions_(transactions),
      state_(state),
      limits_(limits),
      maintain_(maintain),
      pending_rows_(limits.queue_rows),
      thread_([this] { Loop(); }) {}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::Submit(const std::string& owner, int64_t rows, Task task, Done done) {
  rows = std::max<int64_t>(1, rows);
  {
    std::unique_lock lock(mutex_);
    absl::Status taken = TakeRows(owner, rows);
    if (!taken.ok()) {
      lock.unlock();
      done(std::move(taken));
      return;
    }
    queue_.Push(
        owner, rows,
        {owner, rows, Grouping::kShared, std::move(task), std::move(done), Clock::now(), {}});
  }
  changed_.notify_one();
}

absl::Status Writer::TakeRows(const std::string& owner, int64_t rows) {
  if (closing_) return absl::UnavailableError("the store is closing");
  if (pending_rows_.Take(owner, rows)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("write queue full: ", pending_rows_.held(),
                   domain::Plural(pending_rows_.held(), " row waits (", " rows wait ("),
                   pending_rows_.HeldBy(owner), " of this reporter), at most ", limits_.queue_rows,
                   " may: send again later"));
}

void Writer::GiveBackRows(const Group& group) {
  for (const Write& write : group.writes) pending_rows_.GiveBack(write.owner, write.rows);
}

absl::Status Writer::Run(Grouping grouping, Task task) {
  // Shared: the writer may still be inside set_value() when the waiting thread goes on.
  const auto outcome = std::make_shared<std::promise<absl::Status>>();
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return absl::UnavailableError("the store is closing");
    pending_rows_.Hold("", 1);
    queue_.PushLast({"",
                     1,
                     grouping,
                     std::move(task),
                     [outcome](absl::Status status) { outcome->set_value(std::move(status)); },
                     Clock::now(),
                     {}});
  }
  changed_.notify_one();
  return outcome->get_future().get();
}

absl::Status Writer::CheckAtWork(Clock::duration most) const {
  const Clock::time_point since = at_work_since_;
  const Clock::time_point now = Clock::now();
  if (since == kAtRest || now < since + most) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the database does not answer: a write has taken ",
                   std::chrono::duration_cast<std::chrono::seconds>(now - since).count(), " s"));
}

void Writer::Loop() {
  domain::NameThisThread("store-writer");
  std::unique_lock lock(mutex_);
  while (true) {
    if (!maintain_) changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (!queue_.empty()) {
      Group group;
      at_work_since_ = Clock::now();
      Collect(lock, group);
      lock.unlock();
      Commit(group);
      at_work_since_ = kAtRest;
      lock.lock();
      // Before the acknowledgement: its receiver may send as much again.
      GiveBackRows(group);
      lock.unlock();
      Acknowledge(group);
      lock.lock();
    } else if (closing_) {
      return;
    }
    if (maintain_ && !closing_) {
      lock.unlock();
      MaintainOnce();
      lock.lock();
    }
  }
}

// Applies writes as they come, until the group is full or its oldest write is old enough. The lock
// is held only while a write is taken from the queue.
void Writer::Collect(std::unique_lock<std::mutex>& lock, Group& group) {
  const Clock::time_point deadline =
      queue_.front().enqueue_time + std::chrono::microseconds(limits_.commit_delay_us);
  lock.unlock();
  group.status = transactions_.Begin();
  lock.lock();
  bool full = false;
  while (!full) {
    if (queue_.empty()) {
      const bool more =
          changed_.wait_until(lock, deadline, [this] { return closing_ || !queue_.empty(); });
      if (!more || queue_.empty()) return;
    }
    const bool alone = queue_.front().grouping == Grouping::kAlone;
    // Those that are in the group do not wait for a large write.
    const bool is_too_large = group.rows + queue_.front().rows > limits_.commit_rows;
    if ((alone || is_too_large) && !group.writes.empty()) return;
    full = alone;
    group.writes.push_back(queue_.Pop());
    Write& write = group.writes.back();
    group.rows += write.rows;
    full = full || write.grouping == Grouping::kSoon || group.rows >= limits_.commit_rows;
    lock.unlock();
    Apply(write, group);
    lock.lock();
    full = full || !group.status.ok();
  }
}

void Writer::Apply(Write& write, Group& group) {
  if (!group.status.ok()) return;
  if (write.grouping == Grouping::kAlone) {
    at_work_since_ = kAtRest;
    write.status = group.status = write.task();
    group.is_refusal = IsRefusal(write.status);
    at_work_since_ = Clock::now();
    return;
  }
  group.status = transactions_.Savepoint();
  if (!group.status.ok()) return;
  write.status = write.task();
  if (!transactions_.InTransaction()) {
    // The engine gave up the whole transaction: the others of the group are gone too.
    group.status = write.status.ok() ? absl::InternalError("a write ended the group's transaction")
                                     : write.status;
    return;
  }
  if (!write.status.ok()) group.status = transactions_.RollbackToSavepoint();
  if (group.status.ok()) group.status = transactions_.ReleaseSavepoint();
}

void Writer::Commit(Group& group) {
  if (group.status.ok()) group.status = state_.BeforeCommit();
  if (group.status.ok()) group.status = transactions_.Commit();
  if (group.status.ok()) {
    state_.AfterCommit();
  } else {
    // The engine may have rolled back already; then there is no transaction to end.
    if (transactions_.InTransaction()) transactions_.Rollback();
    state_.AfterRollback(group.is_refusal);
  }
}

void Writer::Acknowledge(Group& group) {
  for (Write& write : group.writes) {
    write.done(write.status.ok() ? group.status : std::move(write.status));
  }
}

void Writer::MaintainOnce() {
  at_work_since_ = Clock::now();
  absl::Status status = transactions_.Begin();
  absl::StatusOr<bool> more = false;
  if (status.ok()) {
    more = state_.Maintain();
    status = more.ok() ? transactions_.Commit() : more.status();
  }
  if (!status.ok() && transactions_.InTransaction()) transactions_.Rollback();
  at_work_since_ = kAtRest;
  // After an error it is left for the next start, or for the next request.
  maintain_ = status.ok() && *more;
}

}  // namespace cox::store
