#include "store/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "folder.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class OutboxTest : public ::testing::Test {
 protected:
  std::unique_ptr<Outbox> Open() {
    absl::StatusOr<std::unique_ptr<Outbox>> outbox =
        OpenOutbox({.directory = folder_.Path("spool")});
    EXPECT_TRUE(outbox.ok()) << outbox.status();
    return outbox.ok() ? *std::move(outbox) : nullptr;
  }
  static std::vector<std::string> Bytes(Outbox& outbox) {
    const std::vector<WaitingBatch> batches = *outbox.Read(0, 1'000, 1 << 20);
    std::vector<std::string> bytes;
    for (const WaitingBatch& batch : batches) bytes.push_back(batch.bytes);
    return bytes;
  }

  const Folder folder_;
};

TEST_F(OutboxTest, KeepsTheOrderAndSurvivesAnEnd) {
  std::vector<int64_t> ids;
  {
    const auto outbox = Open();
    ids = *outbox->Commit({{"job", 7, "seven"}, {"job", 3, "three"}, {"other", 7, "else"}}, {});
    EXPECT_LT(ids[0], ids[1]);
    EXPECT_LT(ids[1], ids[2]);
  }
  const auto outbox = Open();
  EXPECT_THAT(Bytes(*outbox), ElementsAre("seven", "three", "else"));
  EXPECT_EQ(outbox->ReadSize()->last_id, ids[2]);
  EXPECT_THAT(outbox->ReadSize()->bytes_by_job, ElementsAre(Pair("job", 10), Pair("other", 4)));
  ASSERT_TRUE(outbox->Commit({}, {ids[0], ids[2]}).ok());
  EXPECT_THAT(Bytes(*outbox), ElementsAre("three"));
}

TEST_F(OutboxTest, ADamagedFileIsNamedWithWhatToDo) {
  Open();
  const std::string file = folder_.Path("spool/outbox.db");
  std::ofstream(file) << std::string(8'192, 'x');
  const absl::Status refused = OpenOutbox({.directory = folder_.Path("spool")}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(file + ": "));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("move it away"));
  EXPECT_EQ(WaitingBytes(folder_.Path("spool")).status(), refused);
}

TEST_F(OutboxTest, WhatWaitsIsCountedWithoutARelay) {
  EXPECT_EQ(*WaitingBytes(folder_.Path("spool")), 0) << "no spool";
  Open();
  EXPECT_EQ(*WaitingBytes(folder_.Path("spool")), 0);
  ASSERT_TRUE(Open()->Commit({{"job", 1, "12345"}, {"other", 1, "678"}}, {}).ok());
  EXPECT_EQ(*WaitingBytes(folder_.Path("spool")), 8);
}

TEST_F(OutboxTest, AResentBatchWaitsOnce) {
  const auto outbox = Open();
  const std::vector<int64_t> first = *outbox->Commit({{"job", 1, "a"}}, {});
  EXPECT_EQ(*outbox->Commit({{"job", 1, "a"}, {"job", 2, "b"}}, {}),
            (std::vector<int64_t>{first[0], first[0] + 1}));
  EXPECT_THAT(outbox->ReadSize()->bytes_by_job, ElementsAre(Pair("job", 2)));
}

TEST_F(OutboxTest, NeverUsesAnIdAgain) {
  const auto outbox = Open();
  const int64_t first = outbox->Commit({{"job", 1, "a"}}, {})->front();
  // Removed and added again in one transaction.
  const int64_t second = outbox->Commit({{"job", 1, "a"}}, {first})->front();
  EXPECT_GT(second, first);
}

TEST_F(OutboxTest, ReadsWithinBounds) {
  const auto outbox = Open();
  const std::vector<int64_t> ids = *outbox->Commit(
      {{"job", 1, std::string(10, 'a')}, {"job", 2, std::string(10, 'b')}, {"job", 3, "c"}}, {});
  EXPECT_EQ(outbox->Read(0, 2, 1'000)->size(), 2U);
  EXPECT_EQ(outbox->Read(0, 9, 15)->size(), 1U);
  EXPECT_EQ(outbox->Read(0, 9, 1)->size(), 1U) << "a batch that is larger must not block the rest";
  EXPECT_EQ(outbox->Read(ids[1], 9, 1'000)->size(), 1U);
  EXPECT_EQ(outbox->Read(ids[2], 9, 1'000)->size(), 0U);
}

TEST_F(OutboxTest, AFullDiskChangesNothing) {
  const auto outbox = Open();
  ASSERT_TRUE(outbox->Commit({{"job", 1, "before"}}, {}).ok());
  signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small = {256 << 10, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status full = outbox->Commit({{"job", 2, std::string(1 << 20, 'x')}}, {}).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(Bytes(*outbox), ElementsAre("before"));
  EXPECT_TRUE(outbox->Commit({{"job", 2, std::string(1 << 20, 'x')}}, {}).ok());
}

TEST_F(OutboxTest, NobodyElseReadsTheFile) {
  const auto outbox = Open();
  ASSERT_TRUE(outbox->Commit({{"job", 1, "a"}}, {}).ok());
  for (const char* name : {"outbox.db", "outbox.db-wal"}) {
    struct stat status = {};
    ASSERT_EQ(stat(folder_.Path(std::string("spool/") + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << name;
  }
}

// What is written to such a file is lost when the relay ends.
TEST_F(OutboxTest, ADeletedFileTakesNothing) {
  const auto outbox = Open();
  ASSERT_TRUE(outbox->Commit({{"job", 1, "a"}}, {}).ok());
  for (const char* name : {"outbox.db", "outbox.db-wal", "outbox.db-shm"}) {
    std::filesystem::remove(folder_.Path(std::string("spool/") + name));
  }
  const absl::Status refused = outbox->Commit({{"job", 2, "b"}}, {}).status();
  EXPECT_TRUE(absl::IsDataLoss(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("start the relay again"));
  EXPECT_TRUE(absl::IsDataLoss(outbox->Read(0, 9, 1'000).status()));
}

TEST_F(OutboxTest, TwoRelaysDoNotShareADirectory) {
  const auto outbox = Open();
  const absl::Status second = OpenOutbox({.directory = folder_.Path("spool")}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
}

}  // namespace
}  // namespace cox::store
