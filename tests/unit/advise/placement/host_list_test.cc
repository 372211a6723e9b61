#include "advise/placement/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "domain/errors.h"

namespace cox::advise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HostListTest, ExpandsWhatSlurmWrites) {
  EXPECT_THAT(*ExpandHostList("n[1-3,7]", "f"), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(*ExpandHostList("login,n[08-10], gpu7-ib", "f"),
              ElementsAre("login", "n08", "n09", "n10", "gpu7-ib"));
  EXPECT_THAT(*ExpandHostList("r[0-1]n[1-2]x,a", "f"),
              ElementsAre("r0n1x", "r0n2x", "r1n1x", "r1n2x", "a"));
  EXPECT_THAT(*ExpandHostList("n[99-101]", "f"), ElementsAre("n99", "n100", "n101"));
}

TEST(HostListTest, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "empty name"},
      {"a,,b", "empty name"},
      {"n[1-3", "without a ]"},
      {"n1-3]", "without a ["},
      {"n[[1]]", "within"},
      {"n[3-1]", "falls"},
      {"n[a-b]", "numbers"},
      {"n[]", "numbers"},
      {"n[1-]", "numbers"},
      {"n[-3]", "numbers"},
      {"n 1", "space"},
      {"n[1-9999999]", "more than"},
      {"n[1-1000]x[1-1000]", "more than"},
  };
  for (const auto& one : cases) {
    const auto hosts = ExpandHostList(one.text, "node_list");
    ASSERT_FALSE(hosts.ok()) << one.text;
    EXPECT_EQ(domain::FieldOf(hosts.status()), "node_list") << one.text;
    EXPECT_THAT(std::string(hosts.status().message()), HasSubstr(one.why)) << one.text;
  }
}

// A megabyte of name times 99,999 hosts would be all memory.
TEST(HostListTest, NamesAreShort) {
  const std::string name(255, 'n');
  EXPECT_EQ(ExpandHostList(name, "f")->front(), name);
  EXPECT_TRUE(ExpandHostList(std::string(249, 'n') + "[1-99999]", "f").ok());
  std::string brackets;
  for (int i = 0; i < 1'000'000; ++i) brackets += "[1]";
  for (const std::string& text : {name + "n", std::string(1'000'000, 'n') + "[1-99999]",
                                  "[1-99999]" + std::string(1'000'000, 'n'), brackets}) {
    const auto hosts = ExpandHostList(text, "f");
    ASSERT_FALSE(hosts.ok());
    EXPECT_THAT(std::string(hosts.status().message()), HasSubstr("more than 255 characters"));
    EXPECT_LT(hosts.status().message().size(), 300U);
  }
}

}  // namespace
}  // namespace cox::advise
