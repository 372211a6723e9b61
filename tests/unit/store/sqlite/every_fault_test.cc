// The k-th call of SQLite on the disk fails, or its k-th request for memory, for all k: the store
// says so with the right status, loses nothing acknowledged, and is sound when it is opened again.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "faulty_disk.h"
#include "repeats.h"
#include "scratch.h"
#include "sqlite/store_life.h"

namespace cox::store {
namespace {

std::atomic<int64_t> left{-1};  // calls that succeed still; negative: all
std::atomic<int64_t> calls{0};
std::atomic<bool> stays_broken{false};

// Whether this call fails.
bool Fails() {
  ++calls;
  int64_t before = left.load();
  while (before > 0 && !left.compare_exchange_weak(before, before - 1)) {
  }
  if (before != 0) return false;
  if (!stays_broken) left = -1;
  return true;
}

int CodeOf(DiskCall::Kind kind) {
  switch (kind) {
    case DiskCall::Kind::kOpen:
      return SQLITE_CANTOPEN;
    case DiskCall::Kind::kRead:
      return SQLITE_IOERR_READ;
    case DiskCall::Kind::kWrite:
      return SQLITE_IOERR_WRITE;
    case DiskCall::Kind::kTruncate:
      return SQLITE_IOERR_TRUNCATE;
    case DiskCall::Kind::kSync:
      return SQLITE_IOERR_FSYNC;
    case DiskCall::Kind::kSize:
      return SQLITE_IOERR_FSTAT;
    case DiskCall::Kind::kDelete:
      return SQLITE_IOERR_DELETE;
  }
  return SQLITE_IOERR;
}

// SQLite's requests for memory.
class FaultyMemory {
 public:
  FaultyMemory() {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_);
    sqlite3_mem_methods ours = real_;
    ours.xMalloc = [](int bytes) { return Fails() ? nullptr : real_.xMalloc(bytes); };
    ours.xRealloc = [](void* old, int bytes) {
      return Fails() ? nullptr : real_.xRealloc(old, bytes);
    };
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
    sqlite3_initialize();
  }
  ~FaultyMemory() {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_MALLOC, &real_);
    sqlite3_initialize();
  }
  FaultyMemory(const FaultyMemory&) = delete;
  FaultyMemory& operator=(const FaultyMemory&) = delete;

 private:
  static sqlite3_mem_methods real_;
};
sqlite3_mem_methods FaultyMemory::real_;

class EveryFaultTest : public ::testing::Test {
 protected:
  EveryFaultTest() {
    LiveOnce(
        sound_.path() + "/data", 0,
        {.acknowledged = [this](int64_t batch) { acknowledged_.insert(batch); },
         .failed = [](const std::string& step,
                      const absl::Status& status) { ADD_FAILURE() << step << ": " << status; }});
  }

  // Lives with a fault at each `stride`-th call; `is_right`: whether a failure may have this
  // status. Returns the number of calls that failed, one each life.
  int BreakEach(int64_t stride, bool for_ever, bool is_new,
                const std::function<bool(const absl::Status&)>& is_right) {
    int faults = 0;
    stays_broken = for_ever;
    for (int64_t k = 0;; k += stride) {
      const ScratchDirectory directory;
      const std::string data = directory.path() + "/data";
      if (!is_new) std::filesystem::copy(sound_.path() + "/data", data);
      std::set<int64_t> acknowledged = is_new ? std::set<int64_t>() : acknowledged_;
      LifeWitness witness;
      witness.acknowledged = [&](int64_t batch) { acknowledged.insert(batch); };
      witness.failed = [&](const std::string& step, const absl::Status& status) {
        EXPECT_TRUE(is_right(status)) << "call " << k << ", " << step << ": " << status;
      };
      left = k;
      calls = 0;
      LiveOnce(data, 1'000, witness);
      const bool is_past = calls <= k;
      left = -1;
      const std::string wrong = CheckLife(data, acknowledged);
      EXPECT_EQ(wrong, "") << "after a fault of call " << k;
      if (is_past || HasFailure()) return faults;
      ++faults;
    }
  }

  ScratchDirectory sound_;
  std::set<int64_t> acknowledged_;
};

bool IsDiskError(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsFailedPrecondition(status);
}

TEST_F(EveryFaultTest, OfTheDisk) {
  FaultyDisk disk;
  disk.Watch([](const DiskCall& call, bool is_done) {
    return !is_done && Fails() ? CodeOf(call.kind) : SQLITE_OK;
  });
  const int64_t stride = Repeats(1) > 1 ? 1 : 71;
  RecordProperty("once", BreakEach(stride, false, false, IsDiskError));
  RecordProperty("for_ever", BreakEach(stride, true, false, IsDiskError));
  RecordProperty("in_a_new_database", BreakEach(stride, false, true, IsDiskError));
}

TEST_F(EveryFaultTest, OfMemory) {
  const FaultyMemory memory;
  const int64_t stride = Repeats(1) > 1 ? 1 : 797;
  RecordProperty("once", BreakEach(stride, false, false, absl::IsResourceExhausted));
  RecordProperty("for_ever", BreakEach(stride, true, false, absl::IsResourceExhausted));
}

}  // namespace
}  // namespace cox::store
