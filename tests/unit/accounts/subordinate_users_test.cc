#include "accounts/subordinate_users.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "folder.h"

namespace cox::accounts {
namespace {

class SubordinateUsersTest : public ::testing::Test {
 protected:
  // Replaces the file.
  std::string Write(const std::string& text) const {
    std::ofstream(folder_.Path("new")) << text;
    std::filesystem::rename(folder_.Path("new"), folder_.Path("subuid"));
    return folder_.Path("subuid");
  }

  const Folder folder_;
};

TEST_F(SubordinateUsersTest, ARangeIsItsOwners) {
  const SubordinateUsers users(Write("4242:3000000:65536\ndaemon:3065536:10\n"));
  EXPECT_EQ(users.OwnerOf(2'999'999), 2'999'999U);
  EXPECT_EQ(users.OwnerOf(3'000'000), 4242U);
  EXPECT_EQ(users.OwnerOf(3'065'535), 4242U);
  EXPECT_EQ(users.OwnerOf(3'065'536), 1U) << "daemon's";
  EXPECT_EQ(users.OwnerOf(3'065'546), 3'065'546U);
  EXPECT_EQ(users.OwnerOf(4242), 4242U);
}

TEST_F(SubordinateUsersTest, RootsRangesAndWrongLinesCountForNothing) {
  const SubordinateUsers users(
      Write("root:3000000:100\n0:3000100:100\nno-such-user-here:3000200:100\n"
            "4242:3000300\n4242:x:100\n4242:3000400:-1\n\n# 4242:3000500:100\n"
            "4242:4294967290:4294967295\n"));
  for (uid_t user = 3'000'000; user < 3'000'600; ++user) EXPECT_EQ(users.OwnerOf(user), user);
  EXPECT_EQ(users.OwnerOf(4'294'967'292), 4242U) << "a range may end behind the last number";
}

TEST_F(SubordinateUsersTest, AKnownUserIsItself) {
  const SubordinateUsers users(Write("4242:0:65536\n"));
  EXPECT_EQ(users.OwnerOf(0), 0U);
  EXPECT_EQ(users.OwnerOf(1), 1U);
  EXPECT_EQ(users.OwnerOf(54'321), 4242U);
}

TEST_F(SubordinateUsersTest, AChangedFileIsReadAgain) {
  SubordinateUsers users(folder_.Path("subuid"));
  EXPECT_EQ(users.OwnerOf(3'000'000), 3'000'000U) << "there is no file";
  Write("4242:3000000:65536\n");
  users.Refresh();
  EXPECT_EQ(users.OwnerOf(3'000'000), 4242U);
  Write("4243:3000000:65536\n");
  users.Refresh();
  EXPECT_EQ(users.OwnerOf(3'000'000), 4243U);
  std::filesystem::remove(folder_.Path("subuid"));
  users.Refresh();
  EXPECT_EQ(users.OwnerOf(3'000'000), 3'000'000U);
}

}  // namespace
}  // namespace cox::accounts
