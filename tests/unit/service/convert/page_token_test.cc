#include "service/convert/page_token.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::service {
namespace {

TEST(PageToken, GivesBackItsCursor) {
  for (const std::string& cursor :
       {std::string("delta"), std::string("42"), std::string("\0x", 2)}) {
    EXPECT_EQ(ParsePageToken("machines", MakePageToken("machines", cursor)).value(), cursor);
  }
  EXPECT_EQ(ParsePageToken("machines", "").value(), "");
}

// Another daemon of a fleet, or the next run, must take it.
TEST(PageToken, IsTheSameInEveryProcess) {
  EXPECT_EQ(MakePageToken("machines", "delta"), "NzUwNTNkZWQ0MTAzMzNmMWRlbHRh");
}

TEST(PageToken, OfAnotherListOrChangedIsRefused) {
  const std::string token = MakePageToken("machines", "delta");
  EXPECT_FALSE(ParsePageToken("profiles/delta", token).ok());
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ParsePageToken("machines", changed).ok()) << i;
  }
  EXPECT_FALSE(ParsePageToken("machines", token.substr(1)).ok());
  EXPECT_FALSE(ParsePageToken("machines", "!!!").ok());
}

TEST(OpenPage, StartsWhereTheTokenSays) {
  const absl::StatusOr<Page> first = OpenPage("drifts/delta", 0, "", 50, 500);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->size, 50);
  EXPECT_EQ(first->cursor, 0);
  const absl::StatusOr<Page> next =
      OpenPage("drifts/delta", 7, MakePageToken("drifts/delta", "123"), 50, 500);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->size, 7);
  EXPECT_EQ(next->cursor, 123);
  EXPECT_FALSE(OpenPage("drifts/other", 7, MakePageToken("drifts/delta", "123"), 50, 500).ok());
  EXPECT_FALSE(OpenPage("drifts/delta", -1, "", 50, 500).ok());
  // A client can make a token itself.
  for (const char* const cursor : {"abc", "-1", "9223372036854775808", "1 OR 1"}) {
    EXPECT_EQ(OpenPage("list", 0, MakePageToken("list", cursor), 50, 500).status().code(),
              absl::StatusCode::kInvalidArgument)
        << cursor;
  }
}

TEST(PageSize, HasADefaultAndALimit) {
  EXPECT_EQ(PageSize(0, 50, 500).value(), 50);
  EXPECT_EQ(PageSize(7, 50, 500).value(), 7);
  EXPECT_EQ(PageSize(2147483647, 50, 500).value(), 500);
  EXPECT_FALSE(PageSize(-1, 50, 500).ok());
}

}  // namespace
}  // namespace cox::service
