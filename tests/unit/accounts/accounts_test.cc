#include "accounts/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_split.h"

namespace cox::accounts {
namespace {

using ::testing::ElementsAreArray;

// The first entry of the file with `field_count` fields for which `fits`.
template <typename Fits>
std::vector<std::string> FirstLine(const char* path, size_t field_count, const Fits& fits) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = absl::StrSplit(line, ':');
    if (fields.size() == field_count && fits(fields)) return fields;
  }
  return {};
}

TEST(Accounts, RootIsUserZero) {
  const auto by_name = FindUser("root");
  ASSERT_TRUE(by_name);
  EXPECT_EQ(by_name->number, 0U);
  const auto by_number = FindUser(uid_t{0});
  ASSERT_TRUE(by_number);
  EXPECT_EQ(by_number->name, "root");
}

TEST(Accounts, WhoIsNotThereIsNotFound) {
  EXPECT_FALSE(FindUser("cox-no-such-user"));
  EXPECT_FALSE(FindUser(uid_t{4'000'000'000}));
  EXPECT_FALSE(FindGroup("cox-no-such-group"));
  EXPECT_FALSE(FindGroup(gid_t{4'000'000'000}));
  EXPECT_FALSE(FindUser(""));
}

TEST(Accounts, AGroupHasTheMembersThatItsFileLists) {
  const std::vector<std::string> line =
      FirstLine("/etc/group", 4, [](const auto& fields) { return !fields[3].empty(); });
  if (line.empty()) GTEST_SKIP() << "no group of /etc/group has members";
  const auto found = FindGroup(line[0]);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::to_string(found->number), line[2]);
  const std::vector<std::string> members = absl::StrSplit(line[3], ',');
  EXPECT_THAT(found->members, ElementsAreArray(members));
  const auto by_number = FindGroup(found->number);
  ASSERT_TRUE(by_number);
  EXPECT_THAT(by_number->members, ElementsAreArray(members));
}

}  // namespace
}  // namespace cox::accounts
