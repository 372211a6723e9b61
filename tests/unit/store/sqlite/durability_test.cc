// Acknowledged rows are on the disk: tested with a slow, a full and a broken disk, and with killed
// writers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "faulty_disk.h"
#include "scratch.h"
#include "store/sqlite/file/header.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

class DiskTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok()); }
  int64_t Count() { return store_->CountObservations({})->observation_count; }
  // Rows, cells, count and numbers agree with the acknowledgements.
  void ExpectConsistent(int64_t acknowledged) {
    EXPECT_EQ(Count(), acknowledged);
    EXPECT_EQ(store_->ListObservations({}, 0, 1'000'000)->size(),
              static_cast<size_t>(acknowledged));
    int64_t in_cells = 0;
    const auto cells = store_->ListCells("m");
    for (const CellRecord& cell : *cells) in_cells += cell.cell.observation_count;
    EXPECT_EQ(in_cells, acknowledged);
    store_.reset();
    EXPECT_EQ(Ask(*MustConnect(directory_), "PRAGMA integrity_check"), "ok");
  }

  ScratchDirectory directory_;
  FaultyDisk disk_;
  std::unique_ptr<Store> store_ = MustOpen(directory_);
};

TEST_F(DiskTest, NothingIsAcknowledgedBeforeTheLogIsOnTheDisk) {
  std::promise<void> syncing;
  std::promise<void> let_go;
  disk_.BeforeNextLogSync([&] {
    syncing.set_value();
    let_go.get_future().wait();
  });
  std::future<absl::StatusOr<AppendResult>> outcome = AppendLater(*store_, BatchOf("m", "a", 1, 5));
  syncing.get_future().wait();
  EXPECT_EQ(outcome.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(*store_->LastObservationId(), 0);
  let_go.set_value();
  EXPECT_TRUE(outcome.get().ok());
  EXPECT_EQ(*store_->LastObservationId(), 5);
}

TEST_F(DiskTest, EveryAcknowledgementHasItsSync) {
  for (int i = 0; i < 20; ++i) {
    const int64_t before = disk_.log_sync_count();
    ASSERT_TRUE(Append(*store_, BatchOf("m", "a", i, 1)).ok());
    EXPECT_GT(disk_.log_sync_count(), before);
  }
}

TEST_F(DiskTest, AGroupSharesASync) {
  store_.reset();
  StoreOptions options;
  options.directory = directory_.path();
  options.commit_delay_us = 60'000'000;
  store_ = MustOpen(options);
  ASSERT_TRUE(store_->Flush().ok());
  const int64_t before = disk_.log_sync_count();
  std::vector<std::future<absl::StatusOr<AppendResult>>> outcomes;
  outcomes.reserve(500);
  for (int i = 0; i < 500; ++i) outcomes.push_back(AppendLater(*store_, BatchOf("m", "a", i, 10)));
  // 5,000 rows: the group commits without a flush.
  for (auto& outcome : outcomes) ASSERT_TRUE(outcome.get().ok());
  // One for the commit, and one for the header of a log that starts over.
  EXPECT_LE(disk_.log_sync_count() - before, 2);
}

TEST_F(DiskTest, AFailedSyncIsNotAcknowledged) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 10)).ok());
  disk_.FailLogSyncs(true);
  const absl::Status status = Append(*store_, BatchOf("m", "a", 2, 10)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_FALSE(store_->CreateMachine(MachineNamed("n"), "").ok());
  EXPECT_EQ(Count(), 10);
  disk_.FailLogSyncs(false);
  const auto again = Append(*store_, BatchOf("m", "a", 2, 10));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(again->duplicate);
  EXPECT_EQ(again->first_id, 11);
  ExpectConsistent(20);
}

TEST_F(DiskTest, AFullDiskAcknowledgesNothingAndIsUsableAfterwards) {
  int64_t acknowledged = 0;
  int64_t sequence = 0;
  // Wherever in a group the disk becomes full.
  for (int64_t writes = 0; writes < 40; ++writes) {
    disk_.FailWritesAfter(writes);
    int64_t failed_sequence = 0;
    for (int i = 0; i < 20 && failed_sequence == 0; ++i) {
      ++sequence;
      const auto result = Append(*store_, BatchOf("m", "a", sequence, 50, sequence));
      if (result.ok()) {
        acknowledged += 50;
      } else {
        ASSERT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << result.status();
        ASSERT_THAT(result.status().message(), HasSubstr("disk full"));
        failed_sequence = sequence;
      }
    }
    ASSERT_NE(failed_sequence, 0);
    ASSERT_EQ(Count(), acknowledged);  // it can still be read
    disk_.FailWritesAfter(-1);
    const auto resent = Append(*store_, BatchOf("m", "a", failed_sequence, 50, failed_sequence));
    ASSERT_TRUE(resent.ok()) << resent.status();
    ASSERT_FALSE(resent->duplicate);
    acknowledged += 50;
  }
  ExpectConsistent(acknowledged);
}

// The same with the operating system's own refusal, as it comes from quotas and limits.
TEST_F(DiskTest, AFileSizeLimitIsAFullDisk) {
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{1 << 20, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  int64_t acknowledged = 0;
  absl::Status full;
  for (int i = 0; i < 1'000 && full.ok(); ++i) {
    full = Append(*store_, BatchOf("m", "a", i, 500)).status();
    if (full.ok()) acknowledged += 500;
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
  EXPECT_THAT(full.message(), HasSubstr("disk full"));
  ASSERT_TRUE(Append(*store_, BatchOf("m", "b", 1, 500)).ok());
  ExpectConsistent(acknowledged + 500);
}

TEST(FullDiskTest, ADatabaseIsNotHalfMade) {
  const ScratchDirectory directory;
  FaultyDisk disk;
  StoreOptions options;
  options.directory = directory.path();
  bool opened = false;
  for (int64_t writes = 0; writes < 1'000 && !opened; ++writes) {
    disk.FailWritesAfter(writes);
    const absl::Status status = OpenSqlite(options).status();
    opened = status.ok();
    if (!opened) {
      ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    }
  }
  EXPECT_TRUE(opened);
}

TEST_F(DiskTest, AFullQueueIsRefusedAndNothingOfItIsKept) {
  store_.reset();
  StoreOptions options;
  options.directory = directory_.path();
  options.queue_rows = 100;
  store_ = MustOpen(options);
  std::promise<void> syncing;
  std::promise<void> let_go;
  disk_.BeforeNextLogSync([&] {
    syncing.set_value();
    let_go.get_future().wait();
  });
  std::vector<std::future<absl::StatusOr<AppendResult>>> taken;
  taken.push_back(AppendLater(*store_, BatchOf("m", "a", 0, 40)));
  syncing.get_future().wait();
  taken.push_back(AppendLater(*store_, BatchOf("m", "a", 1, 30)));
  const absl::Status refused = Append(*store_, BatchOf("m", "a", 2, 31)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.message(), HasSubstr("queue full"));
  let_go.set_value();
  for (auto& outcome : taken) EXPECT_TRUE(outcome.get().ok());
  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_FALSE(Append(*store_, BatchOf("m", "a", 2, 31))->duplicate);
  ExpectConsistent(101);
}

TEST_F(DiskTest, ClosingFinishesWhatWasTaken) {
  store_.reset();
  StoreOptions options;
  options.directory = directory_.path();
  options.commit_delay_us = 60'000'000;
  store_ = MustOpen(options);
  std::vector<std::future<absl::StatusOr<AppendResult>>> taken;
  taken.reserve(50);
  for (int i = 0; i < 50; ++i) taken.push_back(AppendLater(*store_, BatchOf("m", "a", i, 10)));
  store_.reset();
  for (auto& outcome : taken) EXPECT_TRUE(outcome.get().ok());
  store_ = MustOpen(directory_);
  ExpectConsistent(500);
}

TEST_F(DiskTest, CheckSaysThatTheDiskIsFullAndThatItIsNotAnyMore) {
  EXPECT_TRUE(store_->Check().ok());
  disk_.FailWritesAfter(0);
  EXPECT_FALSE(Append(*store_, BatchOf("m", "a", 0, 10)).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Check())) << store_->Check();
  disk_.FailWritesAfter(-1);
  EXPECT_TRUE(store_->Check().ok()) << store_->Check();
  EXPECT_TRUE(Append(*store_, BatchOf("m", "a", 0, 10)).ok());
}

TEST_F(DiskTest, ACommandThatIsRefusedSaysNothingOfTheDisk) {
  EXPECT_TRUE(absl::IsNotFound(store_->DeleteMachine("nosuch")));
  EXPECT_EQ(store_->UndeleteMachine("m", {}).code(), absl::StatusCode::kAlreadyExists);
  // Check() writes only after a write has failed.
  disk_.FailWritesAfter(0);
  EXPECT_TRUE(store_->Check().ok()) << store_->Check();
  EXPECT_FALSE(store_->DeleteMachine("m").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Check())) << store_->Check();
  disk_.FailWritesAfter(-1);
}

TEST_F(DiskTest, NothingIsAcknowledgedAfterTheFileIsGone) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 0, 10)).ok());
  std::filesystem::rename(directory_.Database(), directory_.Database() + ".moved");
  EXPECT_TRUE(absl::IsDataLoss(Append(*store_, BatchOf("m", "a", 1, 10)).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check())) << store_->Check();
  std::filesystem::copy_file(directory_.Database() + ".moved", directory_.Database());
  EXPECT_TRUE(absl::IsDataLoss(store_->Check())) << "another file of that name";
}

TEST_F(DiskTest, NothingIsAcknowledgedAfterTheLogIsGone) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 0, 10)).ok());
  std::filesystem::remove(directory_.Database() + "-wal");
  EXPECT_TRUE(absl::IsDataLoss(Append(*store_, BatchOf("m", "a", 1, 10)).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check())) << store_->Check();
}

TEST_F(DiskTest, NothingIsAcknowledgedAfterTheFileWasTruncated) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Append(*store_, BatchOf("m", "a", i, 1'000)).ok());
  store_.reset();
  store_ = MustOpen(directory_);
  ASSERT_TRUE(store_->Check().ok()) << store_->Check();
  const std::string path = directory_.Database();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_TRUE(absl::IsDataLoss(Append(*store_, BatchOf("m", "a", 10, 10)).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check())) << store_->Check();
}

// While somebody reads an older state, SQLite writes pages back that this reader needs, and not
// their newer versions: the header may state a page that is still in the log only.
TEST_F(DiskTest, AHeaderThatIsAheadOfTheFileIsNoDamage) {
  constexpr int64_t kMostBatches = 4'000;
  const std::string path = directory_.Database();
  const auto reader = MustConnect(directory_);
  const auto checkpointer = MustConnect(directory_);
  int64_t sequence = 0;
  const auto write = [&] {
    ++sequence;
    return Append(*store_, BatchOf("m", "a", sequence, 10, sequence % 50)).status();
  };
  while (CheckLength(path).ok()) {
    ASSERT_LT(sequence, kMostBatches) << "the header is never ahead";
    ASSERT_TRUE(write().ok());
    ASSERT_TRUE(reader->Execute("BEGIN").ok());
    ASSERT_NE(Ask(*reader, "SELECT count(*) FROM observation"), "");
    ASSERT_TRUE(write().ok());
    ASSERT_EQ(Ask(*checkpointer, "PRAGMA wal_checkpoint(PASSIVE)"), "0");
    ASSERT_TRUE(reader->Execute("COMMIT").ok());
  }
  const absl::Status written = write();
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_TRUE(store_->Check().ok());
  ExpectConsistent(10 * sequence);
}

TEST_F(DiskTest, NothingIsAcknowledgedAfterTheFileWasOverwritten) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 0, 10)).ok());
  std::fstream(directory_.Database(), std::ios::in | std::ios::out) << "another file altogether";
  EXPECT_TRUE(absl::IsDataLoss(Append(*store_, BatchOf("m", "a", 1, 10)).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check())) << store_->Check();
}

// The reads of a start and of a question do not grow with the number of rows, except by a page or
// two for the depth of a tree.
TEST_F(DiskTest, StartingAndCountingDoNotScan) {
  const auto reads_of_a_start = [&] {
    store_.reset();
    const int64_t before = disk_.read_count();
    StoreOptions options;
    options.directory = directory_.path();
    options.whole_check_bytes = 0;  // as if the file were large
    store_ = MustOpen(options);
    EXPECT_GT(Count(), 0);
    EXPECT_GT(*store_->LastObservationId(), 0);
    EXPECT_EQ(store_->ListObservations({.machine = "m", .job = ""}, 0, 10)->size(), 10u);
    EXPECT_EQ(
        store_->ListObservations({.machine = "m", .job = "a"}, *store_->LastObservationId() - 5, 10)
            ->size(),
        5u);
    EXPECT_EQ(store_->ListCells("m")->size(), 1u);
    EXPECT_GT(store_->CountObservations({.machine = "", .job = "a"})->observation_count, 0);
    return disk_.read_count() - before;
  };
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 0, 1'000)).ok());
  const int64_t small = reads_of_a_start();
  for (int i = 1; i <= 200; ++i) ASSERT_TRUE(Append(*store_, BatchOf("m", "a", i, 1'000)).ok());
  EXPECT_LE(reads_of_a_start(), small + 20);
}

// --- Killed writers

constexpr int kKills = 20;
constexpr int64_t kRowsPerBatch = 7;

// Appends batches for ever, a few in flight, and writes the number of each one that is acknowledged
// into the pipe.
[[noreturn]] void StreamForEver(const ScratchDirectory& directory, int64_t sequence, int pipe_end) {
  const std::unique_ptr<Store> store = MustOpen(directory);
  std::atomic<int> in_flight{0};
  while (true) {
    if (in_flight >= 64) continue;
    ++in_flight;
    store->AppendObservations(
        BatchOf("m", "job", sequence, kRowsPerBatch, sequence % 5),
        [&in_flight, sequence, pipe_end](absl::StatusOr<AppendResult> result) {
          if (!result.ok() || result->duplicate) _exit(2);
          if (write(pipe_end, &sequence, sizeof(sequence)) != sizeof(sequence)) _exit(3);
          --in_flight;
        });
    ++sequence;
  }
}

TEST(KillTest, NoAcknowledgedRowIsLost) {
  const ScratchDirectory directory;
  ASSERT_TRUE(MustOpen(directory)->CreateMachine(MachineNamed("m"), "").ok());
  std::mt19937 random(20'240'607);
  std::vector<int64_t> acknowledged;
  int64_t next_sequence = 0;
  for (int kill_count = 0; kill_count < kKills; ++kill_count) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      StreamForEver(directory, next_sequence, ends[1]);
    }
    close(ends[1]);
    const size_t until = acknowledged.size() + 20 + random() % 400;
    int64_t sequence = 0;
    bool killed = false;
    // The pipe still holds the acknowledgements from before the end.
    while (read(ends[0], &sequence, sizeof(sequence)) == sizeof(sequence)) {
      acknowledged.push_back(sequence);
      if (acknowledged.size() >= until && !killed) {
        kill(child, SIGKILL);
        killed = true;
      }
    }
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << status;

    const std::unique_ptr<Store> store = MustOpen(directory);
    std::vector<std::future<absl::StatusOr<AppendResult>>> resent;
    resent.reserve(acknowledged.size());
    for (const int64_t number : acknowledged) {
      resent.push_back(AppendLater(*store, BatchOf("m", "job", number, kRowsPerBatch, number % 5)));
    }
    for (size_t i = 0; i < resent.size(); ++i) {
      const auto result = resent[i].get();
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_TRUE(result->duplicate)
          << "batch " << acknowledged[i] << " was acknowledged and is lost";
    }
    // What was committed and not acknowledged is there as a whole.
    const int64_t rows = store->CountObservations({})->observation_count;
    EXPECT_EQ(rows % kRowsPerBatch, 0);
    EXPECT_GE(rows, static_cast<int64_t>(acknowledged.size()) * kRowsPerBatch);
    EXPECT_EQ(static_cast<int64_t>(store->ListObservations({}, 0, 1'000'000)->size()), rows);
    next_sequence = *std::max_element(acknowledged.begin(), acknowledged.end()) + 1'000;
  }
  EXPECT_EQ(Ask(*MustConnect(directory), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(Ask(*MustConnect(directory), "PRAGMA foreign_key_check"), "");
}

}  // namespace
}  // namespace cox::store
