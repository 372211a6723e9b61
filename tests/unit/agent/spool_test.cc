#include "agent/stream/spool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "as_user.h"

namespace cox::agent {
namespace {

using testing::HasSubstr;

constexpr char kHeader[] =
    "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,statistic,"
    "stddev_s,"
    "at,type_bytes,run\n";

class SpoolTest : public testing::Test {
 protected:
  SpoolTest() {
    char folder[] = "/tmp/cox-spool-test-XXXXXX";
    folder_ = mkdtemp(folder);
    path_ = folder_ + "/spool.csv";
  }
  ~SpoolTest() override { std::filesystem::remove_all(folder_); }

  std::string Content() const { return Content(path_); }
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  static Batch OneObservation(int64_t count = 3) {
    Observation observation;
    observation.machine = "abel";
    observation.library = "mpich-4.0";
    observation.collective = "bcast";
    observation.algorithm = "default";
    observation.nodes = 1;
    observation.ppn = 4;
    observation.ranks = 4;
    observation.block_bytes = 40;
    observation.type_bytes = 8;
    observation.count = count;
    observation.time_s = 0.25;
    observation.stddev_s = 0.5;
    observation.at_s = 86'400;
    return {"job", "ada@node1", 1, 0, {observation}};
  }

  std::string folder_;
  std::string path_;
};

TEST_F(SpoolTest, WritesTheInterchangeFile) {
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  const std::string row =
      "abel,mpich-4.0,bcast,default,1,4,4,40,0.25,3,mean,0.5,1970-01-02T00:00:00Z,8,\n";
  EXPECT_EQ(Content(), kHeader + row + row);
}

TEST_F(SpoolTest, IsNotCreatedForNothing) {
  Spool spool(path_);
  EXPECT_EQ(spool.Append(Batch{"job", "", 1, 5, {}}), 0);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SpoolTest, QuotesWhatNeedsIt) {
  Spool spool(path_);
  Batch batch = OneObservation();
  batch.observations[0].machine = "a \"b\", c";
  EXPECT_EQ(spool.Append(batch), 0);
  EXPECT_THAT(Content(), HasSubstr("\n\"a \"\"b\"\", c\",mpich-4.0,"));
}

TEST_F(SpoolTest, ContinuesASpoolThatIsThere) {
  { EXPECT_EQ(Spool(path_).Append(OneObservation()), 0); }
  { EXPECT_EQ(Spool(path_).Append(OneObservation()), 0); }
  const std::string content = Content();
  EXPECT_EQ(std::count(content.begin(), content.end(), '\n'), 3);
}

TEST_F(SpoolTest, NeverTouchesAFileOfAnotherKind) {
  std::ofstream(path_) << "my thesis\n";
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation(9)), 9);
  EXPECT_EQ(Content(), "my thesis\n");
  EXPECT_THAT(spool.problem(), HasSubstr("is not a spool"));
}

// Somebody who knows the name puts something else there, so that timings are lost.
TEST_F(SpoolTest, TakesAnotherNameThanALinkAndDoesNotFollowIt) {
  const std::string target = folder_ + "/target";
  std::filesystem::create_symlink(target, path_);
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  EXPECT_FALSE(std::filesystem::exists(target));
  EXPECT_NE(spool.path(), path_);
  EXPECT_EQ(std::filesystem::path(spool.path()).extension(), ".csv");
  EXPECT_THAT(Content(spool.path()), HasSubstr("\nabel,mpich-4.0,bcast,"));
  Spool other(path_);
  EXPECT_EQ(other.Append(OneObservation()), 0);
  EXPECT_NE(other.path(), spool.path()) << "nobody foresees it";
}

TEST_F(SpoolTest, TakesAnotherNameThanAPipeWithoutWaiting) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  EXPECT_THAT(Content(spool.path()), HasSubstr("\nabel,"));
}

TEST_F(SpoolTest, ADeviceDiscardsAndNothingIsMadeBesideIt) {
  if (mknod(path_.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "needs root";
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 3);
  EXPECT_EQ(spool.problem(), "is a device, which keeps nothing");
  EXPECT_EQ(spool.path(), path_);
  const std::filesystem::directory_iterator files(folder_);
  EXPECT_EQ(std::distance(files, std::filesystem::directory_iterator()), 1);
}

TEST_F(SpoolTest, TakesAnotherNameThanAFileOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  { EXPECT_EQ(Spool(path_).Append(OneObservation()), 0); }
  ASSERT_EQ(chown(path_.c_str(), 4711, 4711), 0);
  const std::string content = Content();
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  EXPECT_EQ(Content(), content) << "a foreign file stays as it is";
  EXPECT_EQ(Content(spool.path()), content);
}

TEST_F(SpoolTest, AFolderOfOthersLosesWithAReason) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  AsUser(4711, [this] {
    Spool spool(path_);
    EXPECT_EQ(spool.Append(OneObservation()), 3);
    EXPECT_EQ(spool.problem(), "Permission denied");
    EXPECT_EQ(spool.path(), path_);
  });
}

TEST_F(SpoolTest, AFolderThatIsNotThereLosesWithAReason) {
  Spool spool(folder_ + "/none/spool.csv");
  EXPECT_EQ(spool.Append(OneObservation()), 3);
  EXPECT_EQ(spool.problem(), "No such file or directory");
}

TEST_F(SpoolTest, NeverGrowsBeyondItsBound) {
  Spool spool(path_, 1000);
  Batch batch = OneObservation(1);
  for (int i = 1; i < 50; ++i) batch.observations.push_back(batch.observations[0]);
  const int64_t lost = spool.Append(batch);
  const std::string content = Content();
  EXPECT_LE(content.size(), 1000);
  EXPECT_EQ(content.back(), '\n');
  EXPECT_EQ(std::count(content.begin(), content.end(), '\n') - 1 + lost, 50);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(spool.problem(), "is full");
  EXPECT_EQ(spool.Append(OneObservation(4)), 4);
  EXPECT_EQ(Content(), content);
}

TEST_F(SpoolTest, DoesNotWaitForALockForLong) {
  std::ofstream(path_) << kHeader;
  const int other = open(path_.c_str(), O_RDWR);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 3);
  flock(other, LOCK_UN);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  close(other);
}

TEST_F(SpoolTest, OnlyItsUserCanReadIt) {
  Spool spool(path_);
  EXPECT_EQ(spool.Append(OneObservation()), 0);
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
}

}  // namespace
}  // namespace cox::agent
