#include "domain/words/counted.h"

#include <gtest/gtest.h>

namespace cox::domain {
namespace {

TEST(CountedTest, OnlyOneIsSingular) {
  EXPECT_EQ(Counted(0, "row"), "0 rows");
  EXPECT_EQ(Counted(1, "row"), "1 row");
  EXPECT_EQ(Counted(2, "row"), "2 rows");
  EXPECT_EQ(Counted(1, "switch", "switches"), "1 switch");
  EXPECT_EQ(Counted(2, "switch", "switches"), "2 switches");
}

TEST(CountedTest, VerbsAgree) {
  EXPECT_EQ(Plural(1, "is", "are"), "is");
  EXPECT_EQ(Plural(0, "is", "are"), "are");
}

}  // namespace
}  // namespace cox::domain
