#include "tuning/own_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "as_user.h"
#include "folder.h"

namespace cox::tuning {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 65534;

std::string NameOf(uid_t user) { return "coxswain-" + std::to_string(user); }

TEST(OwnFolder, IsMadeForTheUserAlone) {
  const Folder folder;
  const auto path = MakeOwnFolder(folder.Path("shared"));
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, folder.Path("shared/" + NameOf(geteuid())));
  struct stat info;
  ASSERT_EQ(stat(path->c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  EXPECT_EQ(*MakeOwnFolder(folder.Path("shared")), *path);
}

TEST(OwnFolder, IsClosedToOthersAgain) {
  const Folder folder;
  const auto path = MakeOwnFolder(folder.Path("."));
  ASSERT_TRUE(path.ok()) << path.status();
  fs::permissions(*path, fs::perms::all);
  ASSERT_TRUE(MakeOwnFolder(folder.Path(".")).ok());
  EXPECT_EQ(fs::status(*path).permissions(), fs::perms::owner_all);
}

TEST(OwnFolder, UsersHaveTheirOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const Folder folder;
  fs::permissions(folder.Path("."), fs::perms::all | fs::perms::sticky_bit);
  ASSERT_TRUE(MakeOwnFolder(folder.Path(".")).ok());
  AsUser(kOther, [&folder] {
    const auto path = MakeOwnFolder(folder.Path("."));
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_EQ(*path, folder.Path("./" + NameOf(kOther)));
  });
}

TEST(OwnFolder, AnothersIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const Folder folder;
  const std::string path = folder.Path(NameOf(0));
  ASSERT_EQ(mkdir(path.c_str(), 0777), 0);
  ASSERT_EQ(chown(path.c_str(), kOther, kOther), 0);
  const auto refused = MakeOwnFolder(folder.Path("."));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("belongs to another user; remove it"),
            std::string::npos)
      << refused.status();
}

TEST(OwnFolder, ALinkIsRefused) {
  const Folder folder;
  fs::create_directory(folder.Path("elsewhere"));
  fs::create_directory_symlink(folder.Path("elsewhere"), folder.Path(NameOf(geteuid())));
  const auto refused = MakeOwnFolder(folder.Path("."));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("is no folder"), std::string::npos) << refused.status();
}

}  // namespace
}  // namespace cox::tuning
