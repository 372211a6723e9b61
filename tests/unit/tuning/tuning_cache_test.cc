#include "tuning/tuning_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "files/file_io.h"
#include "folder.h"

namespace cox::tuning {
namespace {

namespace fs = std::filesystem;

std::string Answer(const std::string& etag) { return "answer of " + etag; }

void MakeOlder(const std::string& path, absl::Duration age) {
  const timeval at = absl::ToTimeval(absl::Now() - age);
  const timeval times[2] = {at, at};
  ASSERT_EQ(utimes(path.c_str(), times), 0);
}

class TuningCacheTest : public ::testing::Test {
 protected:
  std::string OnlyFile(const std::string& ending) const {
    std::string found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.Path("a/b"))) {
      if (!entry.path().filename().string().ends_with(ending)) continue;
      EXPECT_EQ(found, "");
      found = entry.path();
    }
    return found;
  }

  Folder folder_;
  TuningCache cache_{folder_.Path("a/b")};
  TuningKey key_ = {"host:1", "m", "openmpi-4.1", {4, 8}, {}};
};

TEST_F(TuningCacheTest, KeepsTheLastAnswerOfEachKey) {
  EXPECT_FALSE(cache_.Load(key_).has_value());
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  ASSERT_TRUE(cache_.Store(key_, Answer("two")).ok());
  ASSERT_TRUE(cache_.Load(key_).has_value());
  EXPECT_EQ(cache_.Load(key_)->answer, Answer("two"));
  for (const TuningKey& other :
       {TuningKey{"host:2", "m", "openmpi-4.1", {4, 8}, {}},
        TuningKey{"host:1", "n", "openmpi-4.1", {4, 8}, {}},
        TuningKey{"host:1", "m", "mpich-4.0", {4, 8}, {}},
        TuningKey{"host:1", "m", "openmpi-4.1", {4, 9}, {}},
        TuningKey{"host:1", "m", "openmpi-4.1", {4, 8}, {}, Question::kFile},
        TuningKey{"host:1", "m", "openmpi-4.1", {4, 8}, {}, Question::kDecisions},
        TuningKey{"host:1", "m", "openmpi-4.1", {48, 8}, {}},
        TuningKey{"host:1", "m", "openmpi-4.1", {4, 8}, {true, false}},
        TuningKey{"host:1", "m", "openmpi-4.1", {4, 8}, {false, true}}}) {
    EXPECT_FALSE(cache_.Load(other).has_value());
  }
}

TEST_F(TuningCacheTest, OnlyTheUserMayWriteIntoTheFolder) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  struct stat info;
  ASSERT_EQ(stat(folder_.Path("a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(TuningCacheTest, AnOldAnswerIsNotUsedUnlessConfirmed) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  MakeOlder(OnlyFile(".answer"), TuningCache::kMaxAge + absl::Hours(1));
  EXPECT_FALSE(cache_.Load(key_).has_value());
  cache_.Confirm(key_);
  EXPECT_TRUE(cache_.Load(key_).has_value());
}

TEST_F(TuningCacheTest, AnEmptyFileCountsAsAbsent) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  std::ofstream(OnlyFile(".answer"), std::ios::binary) << "";
  EXPECT_FALSE(cache_.Load(key_).has_value());
}

TEST_F(TuningCacheTest, EachTextHasItsFile) {
  const auto path = cache_.TextFile(key_, 3, "text");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(fs::path(*path).filename(),
              ::testing::MatchesRegex("m-4x8-openmpi-4.1-r3-[0-9a-f]{16}.conf"));
  EXPECT_EQ(*cache_.TextFile(key_, 3, "text"), *path);
  EXPECT_NE(*cache_.TextFile(key_, 4, "text"), *path);
}

// Jobs that start at the same time read what they were given, whatever the others write.
TEST_F(TuningCacheTest, ATextNeverChangesAnothersFile) {
  const auto path = cache_.TextFile(key_, 3, "# Asked by: job 1\n");
  ASSERT_TRUE(path.ok()) << path.status();
  const auto other = cache_.TextFile(key_, 3, "# Asked by: job 2\n");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(*ReadFile(*path), "# Asked by: job 1\n");
  EXPECT_EQ(*ReadFile(*other), "# Asked by: job 2\n");
}

// Files do not wait for the disk.
TEST_F(TuningCacheTest, ATextThatAPowerLossEmptiedIsWrittenAnew) {
  const auto path = cache_.TextFile(key_, 3, "text");
  ASSERT_TRUE(path.ok()) << path.status();
  std::ofstream(*path) << "";
  EXPECT_EQ(*cache_.TextFile(key_, 3, "text"), *path);
  EXPECT_EQ(*ReadFile(*path), "text");
}

// Slurm's plugin would not take it.
TEST_F(TuningCacheTest, ATextThatOthersMayWriteIsWrittenAnew) {
  const auto path = cache_.TextFile(key_, 3, "text");
  ASSERT_TRUE(path.ok()) << path.status();
  fs::permissions(*path, fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(*cache_.TextFile(key_, 3, "text"), *path);
  EXPECT_EQ(fs::status(*path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(TuningCacheTest, NamesStayInTheFolder) {
  key_.library = "../../x";
  key_.machine = "/etc";
  const auto path = cache_.TextFile(key_, 3, "text");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(fs::path(*path).parent_path(), folder_.Path("a/b"));
}

TEST_F(TuningCacheTest, QuietForAWhile) {
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.2));
  cache_.NoteSlow("host:1", 0.2);
  EXPECT_TRUE(cache_.IsQuiet("host:1", 0.2));
  EXPECT_FALSE(cache_.IsQuiet("host:2", 0.2));
  // After one slow answer, jobs soon ask again.
  MakeOlder(OnlyFile(".quiet"), TuningCache::kFirstPause + absl::Seconds(1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.2));
  // A clock that was wrong must not silence the hook for years.
  MakeOlder(OnlyFile(".quiet"), -absl::Hours(1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.2));
}

TEST_F(TuningCacheTest, JobsThatWaitLongerAsk) {
  cache_.NoteSlow("host:1", 0.2);
  EXPECT_TRUE(cache_.IsQuiet("host:1", 0.1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 2));
  cache_.NoteSlow("host:1", 2);
  EXPECT_TRUE(cache_.IsQuiet("host:1", 2));
}

TEST_F(TuningCacheTest, SlowAnswersToHastyJobsDoNotLengthenPausesOfPatientOnes) {
  for (int i = 0; i < 10; ++i) cache_.NoteSlow("host:1", 0.05);
  cache_.NoteSlow("host:1", 2);
  const std::string patient = OnlyFile("-2000.quiet");
  MakeOlder(patient, TuningCache::kFirstPause + absl::Seconds(1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 2));
  // A hasty job asks after its own pause and finds the daemon slow: that is not news for the other.
  MakeOlder(OnlyFile("-50.quiet"), TuningCache::kMostPause + absl::Seconds(1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.05));
  cache_.NoteSlow("host:1", 0.05);
  EXPECT_TRUE(cache_.IsQuiet("host:1", 0.05));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 2));
  cache_.NoteAnswered("host:1");
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.05));
}

TEST_F(TuningCacheTest, PausesGrowUntilTheDaemonAnswers) {
  for (int i = 0; i < 10; ++i) cache_.NoteSlow("host:1", 0.2);
  MakeOlder(OnlyFile(".quiet"), TuningCache::kMostPause - absl::Seconds(5));
  EXPECT_TRUE(cache_.IsQuiet("host:1", 0.2));
  MakeOlder(OnlyFile(".quiet"), TuningCache::kMostPause + absl::Seconds(1));
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.2));
  cache_.NoteSlow("host:1", 0.2);
  EXPECT_TRUE(cache_.IsQuiet("host:1", 0.2));
  cache_.NoteAnswered("host:1");
  EXPECT_FALSE(cache_.IsQuiet("host:1", 0.2));
}

TEST_F(TuningCacheTest, TheNumberOfFilesIsBounded) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  for (int i = 0; i < TuningCache::kMaxFiles; ++i) {
    const auto path = cache_.TextFile(key_, i, "old text");
    ASSERT_TRUE(path.ok()) << path.status();
    MakeOlder(*path, absl::Hours(1));
  }
  ASSERT_TRUE(cache_.TextFile(key_, 3, "text").ok());
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.Path("a/b"))) ++count;
  EXPECT_EQ(count, size_t{TuningCache::kMaxFiles});
  EXPECT_TRUE(cache_.Load(key_).has_value());
}

TEST_F(TuningCacheTest, FilesOfTheUserStay) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  std::vector<std::string> of_user = {folder_.Write("a/b/job.conf", ""),
                                      folder_.Write("a/b/node-r2-run.conf", ""),
                                      folder_.Write("a/b/the.answer", "")};
  for (int i = 0; i < TuningCache::kMaxFiles; ++i) {
    of_user.push_back(folder_.Write("a/b/result-" + std::to_string(i) + ".dat", ""));
  }
  for (const std::string& path : of_user) MakeOlder(path, absl::Hours(1));
  ASSERT_TRUE(cache_.TextFile(key_, 3, "text").ok());
  for (const std::string& path : of_user) EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(TuningCacheTest, WhatAKilledProcessLeftCounts) {
  ASSERT_TRUE(cache_.Store(key_, Answer("one")).ok());
  const std::string left = OnlyFile(".answer") + ".0123456789abcdef";
  std::ofstream(left) << "";
  MakeOlder(left, absl::Hours(2));
  cache_.NoteSlow("host:1", 0.2);
  for (int i = 0; i < TuningCache::kMaxFiles; ++i) {
    ASSERT_TRUE(cache_.TextFile(key_, i, "text").ok());
  }
  EXPECT_FALSE(fs::exists(left));
}

TEST(TuningCache, WithoutAFolderNothingIsKept) {
  const TuningCache cache("");
  const TuningKey key = {"s", "m", "l", {1, 1}, {}};
  EXPECT_FALSE(cache.Store(key, Answer("e")).ok());
  EXPECT_FALSE(cache.TextFile(key, 3, "text").ok());
  EXPECT_FALSE(cache.Load(key).has_value());
  cache.NoteSlow("s", 1);
  EXPECT_FALSE(cache.IsQuiet("s", 1));
}

TEST(TuningCache, AFolderThatCannotBeMadeIsAnError) {
  const Folder folder;
  const TuningCache cache(folder.Write("file", "") + "/below");
  EXPECT_FALSE(cache.Store({"s", "m", "l", {1, 1}, {}}, Answer("e")).ok());
}

TEST(TuningCache, DefaultFolder) {
  const auto from = [](const char* cache, const char* home) {
    return TuningCache::DefaultFolder(
        [=](const char* name) { return std::string(name) == "HOME" ? home : cache; });
  };
  EXPECT_EQ(from("/c", "/h"), "/c/coxswain/tuning");
  EXPECT_EQ(from(nullptr, "/h"), "/h/.cache/coxswain/tuning");
  EXPECT_EQ(from("relative", "/h"), "/h/.cache/coxswain/tuning");
  EXPECT_EQ(from(nullptr, nullptr), "");
}

}  // namespace
}  // namespace cox::tuning
