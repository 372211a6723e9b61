#include "domain/sharing/shares.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace cox::domain {
namespace {

// How much the owner gets, one after another.
int64_t TakeAll(Shares& shares, absl::string_view owner) {
  int64_t taken = 0;
  while (shares.Take(owner, 1)) ++taken;
  return taken;
}

TEST(SharesTest, OneAloneLeavesAQuarterToOthers) {
  Shares shares(100);
  EXPECT_EQ(TakeAll(shares, "mallory"), 75);
  EXPECT_TRUE(shares.Take("ada", 1));
  EXPECT_EQ(shares.held(), 76);
}

TEST(SharesTest, TheNextOwnerFindsAPlaceBesideSeveralThatTakeAll) {
  Shares shares(1'000);
  for (int i = 0; i < 4; ++i) EXPECT_GT(TakeAll(shares, absl::StrCat("mallory", i)), 0);
  EXPECT_LT(shares.held(), 1'000);
  EXPECT_TRUE(shares.Take("ada", 1));
}

TEST(SharesTest, WhatIsGivenBackCanBeTakenAgain) {
  Shares shares(8);
  EXPECT_EQ(TakeAll(shares, "ada"), 6);
  EXPECT_FALSE(shares.Take("ada", 1));
  shares.GiveBack("ada", 2);
  EXPECT_EQ(shares.HeldBy("ada"), 4);
  EXPECT_TRUE(shares.Take("ada", 2));
  shares.GiveBack("ada", 6);
  EXPECT_EQ(shares.held(), 0);
  EXPECT_EQ(shares.HeldBy("ada"), 0);
}

TEST(SharesTest, WhatIsLargerThanTheLimitGetsItsTurnAlone) {
  Shares shares(10);
  EXPECT_TRUE(shares.Take("ada", 1'000));
  EXPECT_FALSE(shares.Take("bob", 1));
  shares.GiveBack("ada", 1'000);
  EXPECT_TRUE(shares.Take("bob", 1));
  EXPECT_FALSE(shares.Take("ada", 1'000));
  EXPECT_FALSE(shares.Take("ada", INT64_MAX));
}

TEST(SharesTest, AnOwnerWithoutAShareMayTakeAllThatIsFree) {
  Shares shares(4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(shares.TakeFree("admin", 1));
  EXPECT_FALSE(shares.TakeFree("admin", 1));
  EXPECT_FALSE(shares.Take("ada", 1));
}

}  // namespace
}  // namespace cox::domain
