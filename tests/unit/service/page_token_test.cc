#include "service/page_token.h"

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

TEST(PageSize, HasADefaultAndALimit) {
  EXPECT_EQ(PageSize(0, 50, 500).value(), 50);
  EXPECT_EQ(PageSize(7, 50, 500).value(), 7);
  EXPECT_EQ(PageSize(2147483647, 50, 500).value(), 500);
  EXPECT_FALSE(PageSize(-1, 50, 500).ok());
}

}  // namespace
}  // namespace cox::service
