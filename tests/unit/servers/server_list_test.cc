#include "servers/server_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace cox::servers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(ServerListTest, KeepsTheOrder) {
  const auto servers =
      ParseServers("head1:7077,10.0.0.1:1,[::1]:65535,unix:/run/coxd.sock,dns:coxd.site:7077");
  ASSERT_TRUE(servers.ok()) << servers.status();
  EXPECT_THAT(*servers, ElementsAre("head1:7077", "10.0.0.1:1", "[::1]:65535",
                                    "unix:/run/coxd.sock", "dns:coxd.site:7077"));
}

struct Wrong {
  const char* text;
  const char* message;
};

TEST(ServerListTest, SaysWhichEntryIsWrongAndWhy) {
  constexpr const char* kForm = "must be HOST:PORT with a port within 1..65535, or unix:PATH";
  const Wrong wrongs[] = {
      {"", "the address '' must be"},
      {"a:1,", "'a:1,' has an empty entry"},
      {",a:1", "has an empty entry"},
      {"a:1,,b:1", "has an empty entry"},
      {"a:1,b:2,a:1", "names 'a:1' twice"},
      {"a:1,b:65536", "the address 'b:65536'"},
      {"a:1,b:65536", kForm},
      {"a:0", kForm},
      {"a:+7", kForm},
      {"a:", kForm},
      {":7077", kForm},
      {"a", kForm},
      {"unix:", kForm},
      {"dns:a", kForm},
      {"dns::7077", kForm},
      {"a:1, b:1", "the address ' b:1'"},
      {"http://a:7077", kForm},
  };
  for (const Wrong& wrong : wrongs) {
    const absl::Status status = ParseServers(wrong.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << wrong.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(wrong.message)) << wrong.text;
  }
}

TEST(ServerListTest, BoundsTheirNumber) {
  std::vector<std::string> many;
  for (size_t i = 0; i < kMostServers; ++i) many.push_back(absl::StrCat("host", i, ":7077"));
  EXPECT_TRUE(ParseServers(absl::StrJoin(many, ",")).ok());
  many.emplace_back("another:7077");
  EXPECT_THAT(std::string(ParseServers(absl::StrJoin(many, ",")).status().message()),
              HasSubstr("name at most 16"));
}

TEST(ServerListTest, ClientsBeginWithDifferentDaemons) {
  std::set<std::string> firsts;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const std::vector<std::string> servers = Shuffled({"a:1", "b:1", "c:1"}, seed);
    EXPECT_THAT(servers, UnorderedElementsAre("a:1", "b:1", "c:1"));
    firsts.insert(servers[0]);
  }
  EXPECT_EQ(firsts.size(), 3U);
  EXPECT_NE(RandomSeed(), RandomSeed());
}

TEST(ServerListTest, KnowsWhatStaysOnThisHost) {
  for (const char* local :
       {"unix:/s", "unix-abstract:s", "127.0.0.1:1", "localhost:1", "[::1]:1"}) {
    EXPECT_TRUE(IsLocal(local)) << local;
  }
  for (const char* remote : {"head:1", "10.0.0.1:1", "dns:localhost:1", "127.example.org:1",
                             "127.1.evil:1", "localhost.example.org:1"}) {
    EXPECT_FALSE(IsLocal(remote)) << remote;
  }
}

}  // namespace
}  // namespace cox::servers
