// What the file of SQLite holds, looked at beside the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "scratch.h"
#include "store/sqlite/file/file_watch.h"
#include "store/sqlite/request_log.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

class FileContentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const name : {"m", "n"}) {
      ASSERT_TRUE(store_->CreateMachine(MachineNamed(name), "").ok());
    }
  }

  ScratchDirectory directory_;
  std::unique_ptr<Store> store_ = MustOpen(directory_);
};

TEST_F(FileContentTest, NobodyChangesOrRemovesARecord) {
  ASSERT_TRUE(
      store_->AddAudit({.actor = Actor{"uid:1000", "m"}, .machine = "m", .change = "c"}).ok());
  store_.reset();
  auto db = Database::Open(directory_.Database(), Database::Mode::kReadWrite);
  ASSERT_TRUE(db.ok()) << db.status();
  for (const char* const sql : {"UPDATE audit SET principal = 'uid:0'", "DELETE FROM audit",
                                "INSERT OR REPLACE INTO audit VALUES (1, 0, 'uid:0', 'x', '', '')",
                                "REPLACE INTO audit VALUES (1, 0, 'uid:0', 'x', '', '')",
                                "INSERT INTO audit VALUES (1, 0, 'uid:0', 'x', '', '') ON CONFLICT "
                                "DO UPDATE SET change = ''"}) {
    EXPECT_THAT((*db)->Execute(sql).message(), HasSubstr("rows of audit are never")) << sql;
  }
  EXPECT_EQ(Ask(**db, "SELECT principal || change FROM audit"), "uid:1000c");
}

// Whoever hears of damage restores a backup, and loses what came since.
TEST_F(FileContentTest, AFileThatCannotBeOpenedIsNotDamaged) {
  FileWatch watch(directory_.Database());
  watch.Remember();
  rlimit old_limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old_limit), 0);
  const rlimit none = {0, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status unread = watch.CheckWhole();
  const absl::Status refused = Append(*store_, BatchOf("m", "a", 1, 10)).status();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old_limit), 0);
  EXPECT_TRUE(absl::IsUnavailable(unread)) << unread;
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_TRUE(Append(*store_, BatchOf("m", "a", 1, 10)).ok());
}

TEST_F(FileContentTest, NoForeignKeyIsEverBroken) {
  ASSERT_TRUE(Append(*store_, BatchOf("m", "a", 1, 10)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("n", "b", 1, 10)).ok());
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "a"}).ok());
  ASSERT_TRUE(store_->DeleteMachine("n").ok());
  ASSERT_TRUE(store_->Flush().ok());
  store_.reset();
  const std::unique_ptr<Database> db = MustConnect(directory_);
  EXPECT_EQ(Ask(*db, "PRAGMA foreign_key_check"), "");
  EXPECT_EQ(Ask(*db, "PRAGMA integrity_check"), "ok");
}

TEST_F(FileContentTest, CountsAreMadeAnewAfterAnUpgrade) {
  ObservationBatch batch = BatchOf("m", "a", 1, 10);
  batch.source = "file";
  batch.dropped_count = 3;
  ASSERT_TRUE(Append(*store_, batch).ok());
  store_.reset();
  {
    const std::unique_ptr<Database> db = MustConnect(directory_);
    ASSERT_TRUE(
        db->Execute("DELETE FROM report_count; UPDATE next_id SET cells_are_stale = 1;").ok());
  }
  store_ = MustOpen(directory_);
  const auto count = store_->CountObservations({.machine = "m", .job = "a", .source = "file"});
  EXPECT_EQ(count->observation_count, 10);
  EXPECT_EQ(count->dropped_count, 3);
}

TEST_F(FileContentTest, TheLogIsBounded) {
  store_.reset();
  const std::unique_ptr<Database> db = MustConnect(directory_);
  ASSERT_TRUE(db->Execute("BEGIN").ok());
  for (int i = 0; i < kRequestsKept + 100; ++i) {
    const std::string id = absl::StrCat("request-", i);
    ASSERT_TRUE(RecordOutcome(*db, {id, "AddProfile", "m"}, i, 1).ok());
  }
  ASSERT_TRUE(db->Execute("COMMIT").ok());
  EXPECT_EQ(Ask(*db, "SELECT count(*) FROM request"), absl::StrCat(kRequestsKept));
  EXPECT_FALSE(FindOutcome(*db, {"request-99", "AddProfile", "m"}, 2)->has_value());
  EXPECT_EQ(**FindOutcome(*db, {"request-100", "AddProfile", "m"}, 2), 100);
}

}  // namespace
}  // namespace cox::store
