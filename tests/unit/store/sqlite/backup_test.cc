// Backups, restoring them, checking and compacting the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "scratch.h"
#include "store/sqlite/schema.h"

namespace cox::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = MustOpen(directory_);
    ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(Append(*store_, BatchOf("m", "a", i, 500, i)).ok());
  }
  std::string Path(const std::string& name) const { return elsewhere_.path() + "/" + name; }
  absl::Status Restore(const std::string& backup) const {
    StoreOptions options;
    options.directory = directory_.path();
    return RestoreSqlite(options, backup).status();
  }
  // Everything that the store says of its observations and cells.
  static std::string Content(Store& store) {
    std::string text;
    const auto rows = store.ListObservations({}, 0, 1'000'000);
    for (const ObservationRecord& row : *rows) {
      absl::StrAppend(&text, row.id, " ", row.job, " ", row.scenario.block_bytes, " ", row.time_s,
                      " ", row.at_us, "\n");
    }
    std::vector<std::string> cells;
    const auto stored = store.ListCells("m");
    for (const CellRecord& cell : *stored) {
      cells.push_back(absl::StrCat(cell.scenario.block_bytes, " ", cell.cell.observation_count, " ",
                                   cell.cell.weight, " ", EncodeBins(cell.cell.bins).size(), "\n"));
    }
    std::sort(cells.begin(), cells.end());
    for (const std::string& cell : cells) text += cell;
    return text;
  }

  ScratchDirectory directory_;
  ScratchDirectory elsewhere_;
  std::unique_ptr<Store> store_;
};

TEST_F(BackupTest, BringsBackWhatTheStoreHeld) {
  const std::string held = Content(*store_);
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "late", 0, 100)).ok());
  ASSERT_NE(Content(*store_), held);
  store_.reset();
  ASSERT_TRUE(Restore(Path("b")).ok());
  store_ = MustOpen(directory_);
  EXPECT_EQ(Content(*store_), held);
  EXPECT_TRUE(Append(*store_, BatchOf("m", "late", 0, 100)).ok()) << "it can be written";
  EXPECT_TRUE(store_->CheckContent({}).ok());
}

TEST_F(BackupTest, IsOneCommitWhileOthersWrite) {
  std::atomic<bool> end{false};
  std::thread writer([&] {
    for (int i = 0; !end; ++i) EXPECT_TRUE(Append(*store_, BatchOf("m", "busy", i, 100)).ok());
  });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(store_->Backup(Path(absl::StrCat(i)), {}).ok());
  end = true;
  writer.join();
  store_.reset();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Restore(Path(absl::StrCat(i))).ok());
    const std::unique_ptr<Store> restored = MustOpen(directory_);
    EXPECT_TRUE(restored->CheckContent({}).ok());
    const int64_t rows = restored->CountObservations({})->observation_count;
    EXPECT_EQ(rows % 100, 0) << "whole batches only";
    EXPECT_EQ(rows, static_cast<int64_t>(restored->ListObservations({}, 0, 1'000'000)->size()));
  }
}

TEST_F(BackupTest, IsOneFileOfItsOwner) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere_.path()), fs::directory_iterator()), 1);
  EXPECT_EQ(fs::status(Path("b")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(store_->Backup(Path("b"), {}).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(BackupTest, IsCancelledWithoutATrace) {
  EXPECT_TRUE(absl::IsCancelled(store_->Backup(Path("b"), [] { return true; })));
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

// The log of the daemon that was killed does not belong to the backup, although both come from one
// database.
TEST_F(BackupTest, ALeftLogIsForeignToABackupThatWasCopiedByHand) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "late", 0, 100)).ok());
  const std::string log = ReadFile(directory_.Database() + "-wal");
  ASSERT_FALSE(log.empty());
  store_.reset();
  fs::copy_file(Path("b"), directory_.Database(), fs::copy_options::overwrite_existing);
  std::ofstream(directory_.Database() + "-wal", std::ios::binary) << log;
  StoreOptions options;
  options.directory = directory_.path();
  const absl::Status status = OpenSqlite(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(status.message(), HasSubstr("-wal"));
}

TEST_F(BackupTest, RestoringKeepsTheReplacedDatabaseAndItsLog) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  store_.reset();
  const std::string held = ReadFile(directory_.Database());
  std::ofstream(directory_.Database() + "-wal") << "a log";
  ASSERT_TRUE(Restore(Path("b")).ok());
  EXPECT_TRUE(ReadFile(directory_.Database() + ".replaced") == held);
  EXPECT_EQ(ReadFile(directory_.Database() + ".replaced-wal"), "a log");
  EXPECT_FALSE(fs::exists(directory_.Database() + "-wal"));
}

// The second restore must not cost the only copy of what was replaced first.
TEST_F(BackupTest, EachRestoreKeepsWhatItReplaces) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  store_.reset();
  StoreOptions options;
  options.directory = directory_.path();
  std::vector<std::string> replaced;
  std::vector<std::string> held;
  for (const char* const log : {"first log", "", "third log"}) {
    held.push_back(ReadFile(directory_.Database()));
    if (*log != '\0') std::ofstream(directory_.Database() + "-wal") << log;
    const absl::StatusOr<std::string> kept = RestoreSqlite(options, Path("b"));
    ASSERT_TRUE(kept.ok()) << kept.status();
    replaced.push_back(*kept);
  }
  const std::string first = directory_.Database() + ".replaced";
  EXPECT_THAT(replaced, ::testing::ElementsAre(first, first + "-2", first + "-3"));
  for (size_t i = 0; i < replaced.size(); ++i) {
    EXPECT_TRUE(ReadFile(replaced[i]) == held[i]) << replaced[i];
  }
  EXPECT_EQ(ReadFile(first + "-wal"), "first log");
  EXPECT_FALSE(fs::exists(first + "-2-wal"));
  EXPECT_EQ(ReadFile(first + "-3-wal"), "third log");
  EXPECT_TRUE(MustOpen(directory_)->CheckContent({}).ok());
}

// A log without its database, too, may be all that is left.
TEST_F(BackupTest, ALogThatWasKeptStays) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  store_.reset();
  const std::string first = directory_.Database() + ".replaced";
  std::ofstream(first + "-wal") << "a log";
  ASSERT_TRUE(Restore(Path("b")).ok());
  EXPECT_EQ(ReadFile(first + "-wal"), "a log");
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(first + "-2"));
}

TEST_F(BackupTest, RestoringIntoAnEmptyDirectoryMakesADatabase) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  const ScratchDirectory fresh;
  StoreOptions options;
  options.directory = fresh.path();
  const absl::StatusOr<std::string> first = RestoreSqlite(options, Path("b"));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, "") << "there was no database to replace";
  EXPECT_EQ(Content(*MustOpen(fresh)), Content(*store_));
  const absl::StatusOr<std::string> second = RestoreSqlite(options, Path("b"));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, fresh.Database() + ".replaced");
}

TEST_F(BackupTest, RestoringDoesNotMakeADirectory) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  StoreOptions options;
  options.directory = Path("mistyped");
  const absl::Status refused = RestoreSqlite(options, Path("b")).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound) << refused;
  EXPECT_THAT(refused.message(), AllOf(HasSubstr(Path("mistyped")), HasSubstr("create")));
  EXPECT_FALSE(fs::exists(Path("mistyped")));
}

TEST_F(BackupTest, RestoringWaitsForNoDaemon) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  const absl::Status status = Restore(Path("b"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), AllOf(HasSubstr(absl::StrCat(getpid())), HasSubstr("stop it")));
}

TEST_F(BackupTest, RestoringRefusesWhatIsNoGoodBackup) {
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  store_.reset();
  const std::string held = ReadFile(directory_.Database());
  const std::string good = ReadFile(Path("b"));
  std::string damaged = good;
  std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(damaged.size() / 3),
            damaged.begin() + static_cast<std::ptrdiff_t>(damaged.size() / 2), '\xa5');
  const std::pair<std::string, std::string> bad[] = {
      {"damaged", damaged}, {"short", good.substr(0, good.size() / 2)}, {"text", "no database"}};
  for (const auto& [name, content] : bad) {
    std::ofstream(Path(name), std::ios::binary) << content;
    const absl::Status status = Restore(Path(name));
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name << ": " << status;
    EXPECT_THAT(status.message(), HasSubstr(Path(name)));
  }
  EXPECT_EQ(Restore(Path("none")).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(ReadFile(directory_.Database()) == held) << "the database was changed";
  EXPECT_FALSE(fs::exists(directory_.Database() + ".restored"));
}

TEST_F(BackupTest, RestoringTakesOlderVersionsAndRefusesNewerOnes) {
  store_.reset();
  const absl::Span<const Migration> all = Migrations();
  for (size_t count = 1; count < all.size(); ++count) {
    const ScratchDirectory older;
    ASSERT_TRUE(OpenMigrated(older.Database(), all.first(count)).ok());
    ASSERT_TRUE(Restore(older.Database()).ok()) << "version " << count;
    MustOpen(directory_);
  }
  std::vector<Migration> newer(all.begin(), all.end());
  newer.push_back({all.back().version + 1, "next.sql", "CREATE TABLE next (x)"});
  const ScratchDirectory next;
  ASSERT_TRUE(OpenMigrated(next.Database(), newer).ok());
  EXPECT_EQ(Restore(next.Database()).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(BackupTest, CheckingFindsDamageAndStopsAcknowledgements) {
  EXPECT_TRUE(store_->CheckContent({}).ok());
  store_.reset();
  DamageObservations(directory_);
  StoreOptions options;
  options.directory = directory_.path();
  options.whole_check_bytes = 0;
  store_ = MustOpen(options);
  EXPECT_TRUE(store_->Check().ok()) << store_->Check();
  EXPECT_EQ(store_->CheckContent({}).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store_->Check().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Append(*store_, BatchOf("m", "k", 0, 1)).status().code(), absl::StatusCode::kDataLoss);
}

// As long as it says that it covers no row, SQLite does not write it.
TEST_F(BackupTest, CheckingFindsAnIndexThatLacksARow) {
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  store_.reset();
  for (const char* const sql :
       {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' WHERE 0'"
        " WHERE name = 'deleted_machine_by_name'",
        "UPDATE deleted_machine SET name = 'n'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' WHERE 0', '')"
        " WHERE name = 'deleted_machine_by_name'"}) {
    ASSERT_TRUE(MustConnect(directory_)->Execute(sql).ok()) << sql;
  }
  store_ = MustOpen(directory_);
  EXPECT_TRUE(store_->Check().ok()) << store_->Check();
  const absl::Status found = store_->CheckContent({});
  EXPECT_EQ(found.code(), absl::StatusCode::kDataLoss) << found;
  EXPECT_THAT(found.message(), HasSubstr("missing from index deleted_machine_by_name"));
  // The way out of docs/formats.md.
  store_.reset();
  ASSERT_TRUE(MustConnect(directory_)->Execute("REINDEX").ok());
  store_ = MustOpen(directory_);
  EXPECT_TRUE(store_->CheckContent({}).ok());
}

TEST_F(BackupTest, AFullDiskIsToldWithWhatToDo) {
  // A file system without any space.
  const absl::Status full = store_->Backup("/proc/b", {});
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(full.message(), HasSubstr("free space, or lower backup-keep"));
}

TEST_F(BackupTest, CompactingGivesTheSpaceOfForgottenReportsBack) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Append(*store_, BatchOf("m", "b", i, 1'000, i)).ok());
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "b"}).ok());
  const FileFacts before = *store_->ReadFileFacts();
  ASSERT_GT(before.free_page_count, before.page_count / 2);
  const std::string held = Content(*store_);
  const absl::StatusOr<int64_t> freed = store_->Compact({});
  ASSERT_TRUE(freed.ok()) << freed.status();
  EXPECT_GE(*freed, before.free_page_count);
  const FileFacts after = *store_->ReadFileFacts();
  EXPECT_EQ(after.free_page_count, 0);
  EXPECT_LT(after.page_count, before.page_count / 2);
  EXPECT_EQ(Content(*store_), held);
  EXPECT_TRUE(store_->CheckContent({}).ok());
  store_.reset();  // writes the log back
  EXPECT_LE(static_cast<int64_t>(fs::file_size(directory_.Database())),
            after.page_count * after.page_bytes);
}

TEST_F(BackupTest, RestoringMakesAFileOfAnOlderDaemonCompactable) {
  store_.reset();
  {
    const std::unique_ptr<Database> db = MustConnect(directory_);
    ASSERT_TRUE(
        db->Execute("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM").ok());
  }
  store_ = MustOpen(directory_);
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "a"}).ok());
  const absl::Status refused = store_->Compact({}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("cox store restore"));
  ASSERT_TRUE(store_->Backup(Path("b"), {}).ok());
  store_.reset();
  ASSERT_TRUE(Restore(Path("b")).ok());
  store_ = MustOpen(directory_);
  EXPECT_TRUE(store_->Compact({}).ok()) << store_->Compact({}).status();
}

}  // namespace
}  // namespace cox::store
