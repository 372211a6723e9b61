#include "store/sqlite/read_pool.h"

#include <algorithm>

namespace cox::store {

absl::StatusOr<std::unique_ptr<ReadPool>> ReadPool::Open(
    const std::string& path, int connections,
    const std::function<void(const absl::Status&)>& note_damage) {
  auto pool = std::make_unique<ReadPool>();
  for (int i = 0; i < std::max(1, connections); ++i) {
    absl::StatusOr<std::unique_ptr<Database>> db = Database::Open(path, Database::Mode::kReadOnly);
    if (!db.ok()) return db.status();
    (*db)->WhenDamaged(note_damage);
    pool->idle_.push_back(std::move(*db));
  }
  return pool;
}

ReadPool::Lease ReadPool::Borrow() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !idle_.empty(); });
  std::unique_ptr<Database> db = std::move(idle_.back());
  idle_.pop_back();
  return Lease(*this, std::move(db));
}

void ReadPool::Return(std::unique_ptr<Database> db) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(db));
  }
  returned_.notify_one();
}

}  // namespace cox::store
