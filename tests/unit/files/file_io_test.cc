#include "files/file_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace {

std::atomic<int> masks_changed{0};
std::atomic<int> waits_for_disk{0};

}  // namespace

// What this program calls in the place of the C library's.
extern "C" mode_t umask(mode_t mask) noexcept {
  ++masks_changed;
  return static_cast<mode_t>(syscall(SYS_umask, mask));
}

extern "C" int fsync(int descriptor) {
  ++waits_for_disk;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace cox {
namespace {

namespace fs = std::filesystem;

class FileIo : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = MakeTemporaryFolder("files");
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = *folder;
    path_ = folder_ + "/file";
    mask_ = umask(027);
    masks_changed = 0;
    waits_for_disk = 0;
  }
  void TearDown() override {
    umask(mask_);
    fs::remove_all(folder_);
  }

  unsigned ModeOfFile() const {
    struct stat info = {};
    EXPECT_EQ(stat(path_.c_str(), &info), 0);
    return info.st_mode & 0777;
  }

  std::string folder_;
  std::string path_;
  mode_t mask_ = 0;
};

TEST_F(FileIo, AFileIsForWhomTheUmaskLeavesIt) {
  ASSERT_TRUE(ReplaceFile(path_, "text").ok());
  EXPECT_EQ(ModeOfFile(), 0640U);
}

// Slurm's plugin takes no file from the cache that others may write.
TEST_F(FileIo, ACachedFileIsForItsOwnerOnly) {
  umask(002);
  ASSERT_TRUE(ReplaceCached(path_, "text").ok());
  EXPECT_EQ(ModeOfFile(), 0600U);
}

// Another thread would make its files for everybody meanwhile.
TEST_F(FileIo, TheUmaskIsLeftAlone) {
  ASSERT_TRUE(ReplaceFile(path_, "text").ok());
  ASSERT_TRUE(ReplaceCached(path_, "text").ok());
  EXPECT_EQ(masks_changed, 0);
}

TEST_F(FileIo, OnlyWhatHasToLastWaitsForTheDisk) {
  ASSERT_TRUE(ReplaceCached(path_, "one").ok());
  EXPECT_EQ(waits_for_disk, 0);
  ASSERT_TRUE(ReplaceFile(path_, "two").ok());
  EXPECT_EQ(waits_for_disk, 1);
}

TEST_F(FileIo, ReplacesTheContentAndLeavesNothingElse) {
  ASSERT_TRUE(ReplaceFile(path_, "a long text").ok());
  ASSERT_TRUE(ReplaceCached(path_, "short").ok());
  const auto content = ReadFile(path_);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileIo, AFailureNamesTheFileAndLeavesNothing) {
  fs::create_directory(path_);
  EXPECT_FALSE(ReplaceCached(folder_ + "/none/file", "text").ok());
  EXPECT_EQ(ReplaceCached(folder_ + "/none/file", "text").code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(ReplaceFile(path_, "text").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// As "-o /dev/stdout > file": the link is nobody's to replace.
TEST_F(FileIo, AnOpenFileIsWrittenToWhereItIs) {
  const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor, "one,", 4), 4);
  EXPECT_TRUE(ReplaceFile("/proc/self/fd/" + std::to_string(descriptor), "two,").ok());
  // What the program itself writes there comes behind it.
  ASSERT_EQ(write(descriptor, "three", 5), 5);
  close(descriptor);
  EXPECT_EQ(*ReadFile(path_), "one,two,three");
}

}  // namespace
}  // namespace cox
