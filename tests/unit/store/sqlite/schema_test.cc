// The content of the file, its upgrade, and the files that are refused.
#include "store/sqlite/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "scratch.h"

namespace cox::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string ReadSchemaFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

class SchemaTest : public ::testing::Test {
 protected:
  absl::Status Open() { return OpenMigrated(directory_.Database(), Migrations()).status(); }
  absl::Status OpenStore() {
    StoreOptions options;
    options.directory = directory_.path();
    return OpenSqlite(options).status();
  }

  ScratchDirectory directory_;
};

TEST_F(SchemaTest, EveryConnectionIsDurableAndStrict) {
  MustOpen(directory_);
  for (const Database::Mode mode : {Database::Mode::kReadWrite, Database::Mode::kReadOnly}) {
    const auto db = Database::Open(directory_.Database(), mode);
    ASSERT_TRUE(db.ok()) << db.status();
    EXPECT_EQ(Ask(**db, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(Ask(**db, "PRAGMA synchronous"), "2");  // FULL
    EXPECT_EQ(Ask(**db, "PRAGMA foreign_keys"), "1");
    EXPECT_EQ(Ask(**db, "PRAGMA busy_timeout"), "5000");
  }
}

TEST_F(SchemaTest, ReadersCannotWrite) {
  MustOpen(directory_);
  const auto db = Database::Open(directory_.Database(), Database::Mode::kReadOnly);
  ASSERT_TRUE(db.ok()) << db.status();
  EXPECT_EQ((*db)->Execute("DELETE FROM machine").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SchemaTest, TheFileSaysWhatItIs) {
  MustOpen(directory_);
  const std::unique_ptr<Database> db = MustConnect(directory_);
  EXPECT_EQ(Ask(*db, "PRAGMA application_id"), absl::StrCat(0x434F5853));
  EXPECT_EQ(Ask(*db, "PRAGMA user_version"), absl::StrCat(Migrations().back().version));
}

TEST_F(SchemaTest, EveryTableIsStrict) {
  MustOpen(directory_);
  const std::unique_ptr<Database> db = MustConnect(directory_);
  EXPECT_EQ(Ask(*db,
                "SELECT count(*) >= 9 FROM pragma_table_list WHERE schema = 'main'"
                " AND type = 'table' AND name NOT LIKE 'sqlite_%'"),
            "1");
  EXPECT_EQ(Ask(*db,
                "SELECT group_concat(name) FROM pragma_table_list WHERE schema = 'main'"
                " AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict"),
            "");
  EXPECT_FALSE(db->Execute("INSERT INTO job (name, dropped_count) VALUES ('j', 'many')").ok());
}

TEST_F(SchemaTest, ForeignKeysAndChecksHold) {
  MustOpen(directory_);
  const std::unique_ptr<Database> db = MustConnect(directory_);
  const std::vector<const char*> kRefused = {
      "INSERT INTO observation VALUES (1, 1, 1, 1e-6, 1, 0, 0, NULL, 0)",
      "INSERT INTO scenario VALUES (1, 9, '', '', '', 1, 1, 1, 0, 1)",
      "INSERT INTO profile VALUES (1, 9, 1, 'edited', '', 0, 0)",
      "INSERT INTO parameter (profile_id, position, model, level, name, value, stderr, source) "
      "VALUES (9, 0, '', '', '', 0, 0, '')",
      "INSERT INTO batch VALUES (1, 9, 1, 1, 0, NULL, 0)",
      "INSERT INTO cell VALUES (1, 9, 0, 0, 1, 1, x'', 0, 0)",
      "INSERT INTO old_sum VALUES (1, 9, 9, 9, 0, 0, 0, 1, 1, 0, 0, 1, 1, x'', 1, 1)",
      "INSERT INTO source VALUES (1, '')",
      "INSERT INTO drift VALUES (1, 9, '', '', 'node', 0, 1, 1, 1, 0, 1, 0, 1)",
      "INSERT INTO next_id VALUES (2, 1, 0, x'')",
      "INSERT INTO audit VALUES (1, 0, '', 'method', '', '')",
      "INSERT INTO machine VALUES (1, '', 1, 1, '', '', 0, 0, 0, 0, 0)",
      "INSERT INTO machine VALUES (1, 'm', -1, 1, '', '', 0, 0, 0, 0, 0)",
  };
  for (const char* const sql : kRefused) {
    EXPECT_THAT(db->Execute(sql).message(), HasSubstr("constraint failed")) << sql;
  }
  ASSERT_TRUE(db->Execute("INSERT INTO machine VALUES (1, 'm', 1, 1, '', '', 0, 0, 0, 0, 0)").ok());
  EXPECT_FALSE(db->Execute("INSERT INTO profile VALUES (1, 1, 1, 'guessed', '', 0, 0)").ok());
  ASSERT_TRUE(db->Execute("INSERT INTO profile VALUES (1, 1, 1, 'edited', '', 0, 0)").ok());
  EXPECT_FALSE(db->Execute("DELETE FROM machine").ok());
}

// --- Migrations

constexpr const char* kAddColumn = "ALTER TABLE machine ADD COLUMN owner TEXT NOT NULL DEFAULT '?'";

std::vector<Migration> WithOneMore(const char* sql) {
  std::vector<Migration> migrations(Migrations().begin(), Migrations().end());
  migrations.push_back({migrations.back().version + 1, "next.sql", sql});
  return migrations;
}

TEST_F(SchemaTest, VersionsAreNumberedWithoutGaps) {
  int expected = 1;
  for (const Migration& migration : Migrations()) {
    EXPECT_EQ(migration.version, expected++);
    EXPECT_THAT(migration.file, HasSubstr(absl::StrCat(migration.version, "_")));
    EXPECT_NE(migration.sql[0], '\0');
  }
  EXPECT_GT(expected, 1);
}

// Of every version that there ever was, and of the one that will come next.
TEST_F(SchemaTest, OlderFilesBecomeNewest) {
  const std::vector<Migration> all = WithOneMore(kAddColumn);
  std::string fresh_schema;
  {
    const ScratchDirectory fresh;
    const auto db = OpenMigrated(fresh.Database(), all);
    ASSERT_TRUE(db.ok()) << db.status();
    fresh_schema = Ask(**db, "SELECT group_concat(sql, ';') FROM sqlite_schema");
  }
  for (size_t count = 1; count < all.size(); ++count) {
    const ScratchDirectory older;
    {
      const auto db = OpenMigrated(older.Database(), absl::Span<const Migration>(all).first(count));
      ASSERT_TRUE(db.ok()) << db.status();
      ASSERT_TRUE((*db)
                      ->Execute("INSERT INTO machine (name, nodes, cores_per_node, topology_kind,"
                                " topology_dims, create_time_us) VALUES ('m', 1, 2, '', '', 3)")
                      .ok());
    }
    const auto db = OpenMigrated(older.Database(), all);
    ASSERT_TRUE(db.ok()) << db.status();
    EXPECT_EQ(Ask(**db, "PRAGMA user_version"), absl::StrCat(all.back().version));
    EXPECT_EQ(Ask(**db, "SELECT name || nodes || cores_per_node || owner FROM machine"), "m12?");
    EXPECT_EQ(Ask(**db, "SELECT group_concat(sql, ';') FROM sqlite_schema"), fresh_schema);
  }
}

TEST_F(SchemaTest, AMigrationThatFailsChangesNothing) {
  ASSERT_TRUE(Open().ok());
  const std::vector<Migration> all = WithOneMore(
      "ALTER TABLE machine ADD COLUMN owner TEXT; INSERT INTO machine (name) VALUES (1, 2);");
  const absl::Status status = OpenMigrated(directory_.Database(), all).status();
  EXPECT_THAT(status.message(), HasSubstr("next.sql"));
  const std::unique_ptr<Database> db = MustConnect(directory_);
  EXPECT_EQ(Ask(*db, "PRAGMA user_version"), absl::StrCat(Migrations().back().version));
  EXPECT_EQ(Ask(*db, "SELECT count(*) FROM pragma_table_info('machine') WHERE name = 'owner'"),
            "0");
  EXPECT_TRUE(Open().ok());
}

TEST_F(SchemaTest, NewerFilesAreRefused) {
  ASSERT_TRUE(OpenMigrated(directory_.Database(), WithOneMore(kAddColumn)).ok());
  const absl::Status status = OpenStore();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  const int newest = Migrations().back().version;
  EXPECT_THAT(status.message(), AllOf(HasSubstr(directory_.Database()),
                                      HasSubstr(absl::StrCat("version ", newest + 1)),
                                      HasSubstr(absl::StrCat("knows ", newest)),
                                      HasSubstr("newer coxd"), HasSubstr("backup")));
}

TEST_F(SchemaTest, AnInterruptedCreationIsStartedAgain) {
  WriteFile(directory_.Database() + ".new", "half of a database");
  WriteFile(directory_.Database() + ".new-journal", "half of a journal");
  ASSERT_TRUE(OpenStore().ok());
  EXPECT_FALSE(fs::exists(directory_.Database() + ".new"));
  EXPECT_FALSE(fs::exists(directory_.Database() + ".new-journal"));
}

// --- Damage

class DamageTest : public SchemaTest {
 protected:
  // A file worth losing, closed and written back.
  void SetUp() override {
    const std::unique_ptr<Store> store = MustOpen(directory_);
    ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(Append(*store, BatchOf("m", "j", i, 2'000, i)).ok());
    }
  }
  void ExpectRefused(const std::string& content) {
    WriteFile(directory_.Database(), content);
    const absl::Status status = OpenStore();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr(directory_.Database()), HasSubstr("damaged"),
                                        HasSubstr("cox store restore"), HasSubstr(".dump")));
    EXPECT_TRUE(ReadSchemaFile(directory_.Database()) == content) << "the file was changed";
  }
  std::string Good() { return ReadSchemaFile(directory_.Database()); }
};

constexpr size_t kPage = 4096;

TEST_F(DamageTest, AnEmptyFile) { ExpectRefused(""); }

TEST_F(DamageTest, AFewBytes) { ExpectRefused(Good().substr(0, 99)); }

TEST_F(DamageTest, TheFirstPageOnly) { ExpectRefused(Good().substr(0, kPage)); }

TEST_F(DamageTest, HalfOfAFile) { ExpectRefused(Good().substr(0, Good().size() / 2)); }

TEST_F(DamageTest, AFileWithoutItsLastByte) { ExpectRefused(Good().substr(0, Good().size() - 1)); }

TEST_F(DamageTest, AnotherKindOfFile) {
  ExpectRefused("machine,library,collective\n" + std::string(5000, 'x'));
}

TEST_F(DamageTest, ASchemaOfZeros) {
  std::string content = Good();
  std::fill(content.begin() + 100, content.begin() + kPage, '\0');
  ExpectRefused(content);
}

TEST_F(DamageTest, NothingButAHeader) {
  std::string content = Good();
  std::fill(content.begin() + 100, content.end(), '\xa5');
  ExpectRefused(content);
}

TEST_F(DamageTest, ADatabaseOfSomebodyElse) {
  fs::remove(directory_.Database());
  {
    const auto db = Database::Open(directory_.Database(), Database::Mode::kCreate);
    ASSERT_TRUE(db.ok() && (*db)->Execute("CREATE TABLE t (x)").ok());
  }
  ExpectRefused(Good());
}

TEST_F(DamageTest, AMissingTable) {
  {
    const std::unique_ptr<Database> db = MustConnect(directory_);
    ASSERT_TRUE(db->Execute("DROP TABLE next_id").ok());
  }
  ExpectRefused(Good());
}

TEST_F(DamageTest, AMissingFileWithItsLogStillThere) {
  fs::rename(directory_.Database(), directory_.Database() + "-wal");
  const absl::Status status = OpenStore();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("-wal"));
  EXPECT_FALSE(fs::exists(directory_.Database()));
}

// The log of a damaged file stays as it is.
TEST_F(DamageTest, TheLogIsLeftAlone) {
  const std::string wal = directory_.Database() + "-wal";
  std::string log;
  {
    const std::unique_ptr<Database> db = MustConnect(directory_);
    ASSERT_TRUE(db->Execute("INSERT INTO job (name) VALUES ('in the log only')").ok());
    log = ReadSchemaFile(wal);
    ASSERT_FALSE(log.empty());
  }
  std::string content = Good();
  std::fill(content.begin() + 100, content.begin() + kPage, '\xa5');
  WriteFile(wal, log);
  ExpectRefused(content);
  EXPECT_TRUE(ReadSchemaFile(wal) == log) << "the log was changed";
}

TEST_F(DamageTest, PagesInTheMiddle) {
  std::string content = Good();
  const size_t pages = content.size() / kPage;
  for (size_t page = pages / 4; page < pages * 3 / 4; ++page) {
    std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\xa5');
  }
  ExpectRefused(content);
}

// Of a large file the pages of observations are checked when they are used: an error then, and from
// then on no write is acknowledged.
TEST_F(DamageTest, PagesOfALargeFileStopAcknowledgementsWhenTheyAreRead) {
  DamageObservations(directory_);
  StoreOptions options;
  options.directory = directory_.path();
  options.whole_check_bytes = 0;
  const auto store = OpenSqlite(options);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(Append(**store, BatchOf("m", "k", 0, 1)).ok());
  EXPECT_TRUE((*store)->Check().ok()) << (*store)->Check();
  EXPECT_EQ((*store)->ListObservations({}, 0, 100'000).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ((*store)->Check().code(), absl::StatusCode::kDataLoss);
  const absl::Status refused = Append(**store, BatchOf("m", "k", 1, 1)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(refused.message(), HasSubstr("cox store restore"));
  EXPECT_EQ((*store)->Check().code(), absl::StatusCode::kDataLoss) << "no write makes it good";
}

// A log that was left behind, or came from elsewhere, must not be written into the file.
class ForeignLogTest : public DamageTest {
 protected:
  // The log that a database has before it is closed.
  static std::string LogOf(Database& db, const std::string& path, const char* sql) {
    EXPECT_TRUE(db.Execute(sql).ok());
    return ReadSchemaFile(path + "-wal");
  }
  void ExpectLogRefused(const std::string& log) {
    ASSERT_FALSE(log.empty());
    const std::string content = Good();
    const std::string wal = directory_.Database() + "-wal";
    WriteFile(wal, log);
    const absl::Status status = OpenStore();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("-wal beside it belongs to another database"),
                                        HasSubstr("cox store restore")));
    EXPECT_TRUE(Good() == content) << "the file was changed";
    EXPECT_TRUE(ReadSchemaFile(wal) == log) << "the log was changed";
    fs::remove(wal);
    fs::remove(directory_.Database() + "-shm");
    EXPECT_TRUE(OpenStore().ok()) << "the file alone is good";
  }
};

TEST_F(ForeignLogTest, OfAnotherProgram) {
  const ScratchDirectory other;
  const auto db = Database::Open(other.Database(), Database::Mode::kCreate);
  ASSERT_TRUE(db.ok() && (*db)->UseWriteAheadLog().ok());
  ExpectLogRefused(LogOf(**db, other.Database(), "CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
}

TEST_F(ForeignLogTest, OfAnotherDatabaseOfCoxswain) {
  const ScratchDirectory other;
  const std::unique_ptr<Store> store = MustOpen(other);
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store, BatchOf("m", "j", 0, 10)).ok());
  ExpectLogRefused(ReadSchemaFile(other.Database() + "-wal"));
}

TEST_F(ForeignLogTest, OnesOwnLogIsReadAfterACrash) {
  const std::string wal = directory_.Database() + "-wal";
  std::string content;
  std::string log;
  {
    const std::unique_ptr<Store> store = MustOpen(directory_);
    ASSERT_TRUE(Append(*store, BatchOf("m", "late", 0, 10)).ok());
    content = Good();
    log = ReadSchemaFile(wal);
    ASSERT_FALSE(log.empty());
  }
  WriteFile(directory_.Database(), content);
  WriteFile(wal, log);
  const std::unique_ptr<Store> store = MustOpen(directory_);
  EXPECT_EQ(store->CountObservations({.machine = "m", .job = "late"})->observation_count, 10);
}

}  // namespace
}  // namespace cox::store
