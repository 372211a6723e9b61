// When backups are made, how many stay, and that the newest one can be restored.
#include "daemon/host/backups.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "folder.h"
#include "store/store.h"

namespace cox::daemon {
namespace {

class BackupsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::StoreOptions options;
    options.directory = folder_.Path("data");
    auto store = store::OpenSqlite(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  Backups::Options Options(double every_s, int64_t keep_count) const {
    return {.directory = folder_.Path("backups"), .every_s = every_s, .keep_count = keep_count};
  }

  Folder folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(BackupsTest, OnDemandTheNewestStay) {
  Backups backups(store_.get(), Options(0, 2));
  EXPECT_TRUE(backups.List().empty());
  std::vector<std::string> made;
  while (made.size() < 4) {
    const auto backup = backups.Make({});
    // Names have milliseconds: the next one has another name soon.
    if (absl::IsAlreadyExists(backup.status())) continue;
    ASSERT_TRUE(backup.ok()) << backup.status();
    EXPECT_EQ(static_cast<uintmax_t>(backup->file_bytes), std::filesystem::file_size(backup->path));
    made.push_back(backup->path);
  }
  const std::vector<Backup> kept = backups.List();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].path, made[3]);
  EXPECT_EQ(kept[1].path, made[2]);
}

TEST_F(BackupsTest, FilesOfOthersStay) {
  Backups backups(store_.get(), Options(0, 1));
  std::filesystem::create_directory(folder_.Path("backups"));
  // Also those to which somebody has given a name that is to be kept.
  const char* const others[] = {"notes.db", "coxswain-before-upgrade.db",
                                "coxswain-20200101T000000.000Z-keep.db"};
  for (const std::string name : others) {
    std::filesystem::copy_file(folder_.Path("data") + "/coxswain.lock",
                               folder_.Path("backups") + "/" + name);
  }
  ASSERT_TRUE(backups.Make({}).ok());
  EXPECT_EQ(backups.List().size(), 1u);
  for (const std::string name : others) {
    EXPECT_TRUE(std::filesystem::exists(folder_.Path("backups") + "/" + name)) << name;
  }
}

TEST_F(BackupsTest, WhatAKilledBackupHasLeftGoes) {
  Backups backups(store_.get(), Options(0, 1));
  std::filesystem::create_directory(folder_.Path("backups"));
  const std::string prefix = folder_.Path("backups") + "/";
  const char* const left[] = {
      "coxswain-20200101T000000.000Z.db.new", "coxswain-20200101T000000.000Z.db.new-journal",
      "coxswain-20200102T000000.000Z.db.new-wal", "coxswain-20200102T000000.000Z.db.new-shm"};
  const char* const others[] = {"notes.db.new", "coxswain-20200101T000000.000Z-keep.db.new",
                                "coxswain-20200101T000000.000Z.db.newer"};
  for (const std::string name : left) std::ofstream(prefix + name) << "half of a backup";
  for (const std::string name : others) std::ofstream(prefix + name) << "somebody's";
  ASSERT_TRUE(backups.Make({}).ok());
  for (const std::string name : left) EXPECT_FALSE(std::filesystem::exists(prefix + name)) << name;
  for (const std::string name : others) EXPECT_TRUE(std::filesystem::exists(prefix + name)) << name;
}

// The error of a full disk advises to lower their number.
TEST_F(BackupsTest, TooManyGoEvenIfTheNewOneFails) {
  std::filesystem::create_directory(folder_.Path("backups"));
  const std::string prefix = folder_.Path("backups") + "/";
  for (const std::string day : {"01", "02", "03"}) {
    std::ofstream(prefix + "coxswain-202001" + day + "T000000.000Z.db") << "a backup";
  }
  Backups backups(store_.get(), Options(0, 1));
  EXPECT_TRUE(absl::IsCancelled(backups.Make([] { return true; }).status()));
  const std::vector<Backup> kept = backups.List();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].path, prefix + "coxswain-20200103T000000.000Z.db");
}

TEST_F(BackupsTest, TheScheduleMakesThemAgainAndAgain) {
  Backups backups(store_.get(), Options(0.02, 1));
  std::string first;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (bool replaced = false; !replaced && std::chrono::steady_clock::now() < deadline;) {
    const std::vector<Backup> made = backups.List();
    if (first.empty() && !made.empty()) first = made.back().path;
    replaced = !first.empty() && !std::filesystem::exists(first) && !made.empty();
    std::this_thread::yield();
  }
  backups.Stop();
  const std::vector<Backup> kept = backups.List();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NE(kept[0].path, first);
  store_.reset();
  store::StoreOptions options;
  options.directory = folder_.Path("restored");
  ASSERT_TRUE(std::filesystem::create_directory(options.directory));
  EXPECT_TRUE(store::RestoreSqlite(options, kept[0].path).ok());
  EXPECT_TRUE(store::OpenSqlite(options).ok());
}

// The clock was ahead when a backup was made.
class BackupsOfTheFutureTest : public BackupsTest {
 protected:
  void SetUp() override {
    BackupsTest::SetUp();
    std::filesystem::create_directory(folder_.Path("backups"));
    std::ofstream(future_) << "a backup";
    std::filesystem::last_write_time(
        future_, std::filesystem::file_time_type::clock::now() + std::chrono::hours(24 * 365));
  }
  const std::string future_ = folder_.Path("backups") + "/coxswain-29991231T235959.999Z.db";
};

TEST_F(BackupsOfTheFutureTest, TheScheduleGoesOn) {
  const Backups backups(store_.get(), Options(0.02, 3));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (backups.List().size() < 2 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_GE(backups.List().size(), 2u);
}

TEST_F(BackupsOfTheFutureTest, TheNewBackupStays) {
  Backups backups(store_.get(), Options(0, 1));
  const auto made = backups.Make({});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(std::filesystem::exists(made->path));
  EXPECT_FALSE(std::filesystem::exists(future_));
}

TEST_F(BackupsOfTheFutureTest, GoFirst) {
  const std::string old = folder_.Path("backups") + "/coxswain-20200101T000000.000Z.db";
  std::ofstream(old) << "a backup";
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24));
  Backups backups(store_.get(), Options(0, 2));
  const auto made = backups.Make({});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(std::filesystem::exists(made->path));
  EXPECT_TRUE(std::filesystem::exists(old));
  EXPECT_FALSE(std::filesystem::exists(future_));
}

TEST_F(BackupsTest, AFailureOfTheScheduleIsToldUntilOneIsMade) {
  Backups::Options options = Options(0.02, 1);
  std::ofstream(folder_.Path("a_file")) << "in the way";
  options.directory = folder_.Path("a_file") + "/backups";
  Backups backups(store_.get(), options);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (backups.failures().count == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(backups.failures().count, 1) << "the next try comes ten minutes later";
  EXPECT_NE(backups.failures().last.find(options.directory), std::string::npos);
  std::filesystem::remove(folder_.Path("a_file"));
  std::filesystem::create_directory(folder_.Path("a_file"));
  ASSERT_TRUE(backups.Make({}).ok());
  EXPECT_EQ(backups.failures().count, 1);
  EXPECT_EQ(backups.failures().last, "");
}

TEST_F(BackupsTest, ADirectoryThatCannotBeMadeIsNamed) {
  Backups::Options options = Options(0, 1);
  options.directory = folder_.Path("data") + "/coxswain.db/backups";
  Backups backups(store_.get(), options);
  const absl::Status status = backups.Make({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find(options.directory), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace cox::daemon
