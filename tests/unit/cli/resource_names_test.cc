#include "cli/resource_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ResourceNamesTest, TakesBareAndFullMachineNames) {
  EXPECT_EQ(MachineName("peak"), "machines/peak");
  EXPECT_EQ(MachineName("machines/peak"), "machines/peak");
  EXPECT_EQ(BareMachine("machines/peak"), "peak");
  EXPECT_TRUE(CheckMachineName("a.b_c-9").ok());
  EXPECT_TRUE(CheckMachineName(std::string(63, 'a')).ok());
  for (const std::string& bad :
       {std::string(), std::string("A"), std::string("-a"), std::string("a b"), std::string("a/b"),
        std::string(64, 'a'), std::string("machines/"), std::string("\xC3\xA4")}) {
    EXPECT_FALSE(CheckMachineName(bad).ok()) << bad;
  }
}

TEST(ResourceNamesTest, TakesRevisions) {
  EXPECT_EQ(*ProfileName("m@7", true), "machines/m/profiles/7");
  EXPECT_EQ(*ProfileName("m", false), "machines/m/profiles/-");
  EXPECT_THAT(std::string(ProfileName("m", true).status().message()), HasSubstr("write m@REV"));
  for (const char* bad : {"m@", "m@0", "m@-1", "m@x", "@3", "m@1@2", "m@99999999999999999999"}) {
    EXPECT_FALSE(ProfileName(bad, false).ok()) << bad;
  }
}

TEST(ResourceNamesTest, UuidsAreRandomOfVersion4) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = NewUuid();
    EXPECT_THAT(uuid, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                   "[0-9a-f]{12}"));
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

}  // namespace
}  // namespace cox::cli
