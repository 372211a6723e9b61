#include "agent/steering/decisions.h"

#include <gtest/gtest.h>

#include <string>

#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr auto kBcast = static_cast<int32_t>(domain::Collective::kBcast);

TEST(DecisionsTest, TheLastRowThatIsNotAboveTheSizeDecides) {
  Decisions decisions;
  EXPECT_FALSE(decisions.HasAny());
  decisions.Add(kBcast, 0, 0);
  EXPECT_FALSE(decisions.Has(domain::Collective::kBcast));
  decisions.Add(kBcast, 64, 6);
  decisions.Add(kBcast, 1024, 0);
  decisions.Add(kBcast, 4096, 3);
  EXPECT_TRUE(decisions.Has(domain::Collective::kBcast));
  EXPECT_TRUE(decisions.HasAny());
  const int64_t sizes[] = {0, 63, 64, 1023, 1024, 4095, 4096, int64_t{1} << 62};
  const int numbers[] = {0, 0, 6, 6, 0, 0, 3, 3};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(decisions.Find(domain::Collective::kBcast, sizes[i]), numbers[i]) << sizes[i];
  }
  EXPECT_EQ(decisions.Find(domain::Collective::kReduce, 64), 0);
  decisions.Forget(domain::Collective::kBcast);
  EXPECT_EQ(decisions.Find(domain::Collective::kBcast, 64), 0);
  EXPECT_FALSE(decisions.HasAny());
}

TEST(DecisionsTest, WhatIsBeyondItsBoundsIsLeftToTheLibrary) {
  Decisions full;
  for (int i = 0; i <= Decisions::kMostRows; ++i) full.Add(kBcast, i, 1);
  EXPECT_FALSE(full.Has(domain::Collective::kBcast));
  EXPECT_EQ(full.Find(domain::Collective::kBcast, 5), 0);
  Decisions disordered;
  disordered.Add(kBcast, 64, 1);
  disordered.Add(kBcast, 64, 2);
  disordered.Add(kBcast, 65, 2);
  EXPECT_EQ(disordered.Find(domain::Collective::kBcast, 64), 0);
  Decisions wild;
  wild.Add(kBcast, 0, Decisions::kMostNumber + 1);
  wild.Add(-1, 0, 1);
  wild.Add(domain::kCollectiveCount, 0, 1);
  EXPECT_FALSE(wild.HasAny());
}

TEST(DecisionsTest, LibcoxcollsNumbersHaveNames) {
  constexpr auto kAlltoall = static_cast<int32_t>(domain::Collective::kAlltoall);
  Decisions decisions;
  decisions.Add(kBcast, 0, 3);
  EXPECT_FALSE(decisions.HasCoxcoll());
  decisions.Add(kBcast, 64, Decisions::kFirstCoxcoll, "binomial");
  decisions.Add(kAlltoall, 0, Decisions::kMostNumber, "hypercube");
  EXPECT_TRUE(decisions.HasCoxcoll());
  EXPECT_EQ(decisions.Find(domain::Collective::kBcast, 64), Decisions::kFirstCoxcoll);
  EXPECT_STREQ(decisions.NameOf(domain::Collective::kBcast, Decisions::kFirstCoxcoll), "binomial");
  EXPECT_STREQ(decisions.NameOf(domain::Collective::kAlltoall, Decisions::kMostNumber),
               "hypercube");
  decisions.DropCoxcoll();
  EXPECT_FALSE(decisions.HasCoxcoll());
  EXPECT_EQ(decisions.Find(domain::Collective::kBcast, 8), 3) << "the library's own stays";
  EXPECT_EQ(decisions.Find(domain::Collective::kBcast, 64), 0);
  EXPECT_FALSE(decisions.Has(domain::Collective::kAlltoall));
  // Names that are missing, or have no room.
  Decisions nameless;
  nameless.Add(kBcast, 0, Decisions::kFirstCoxcoll);
  nameless.Add(kAlltoall, 0, Decisions::kFirstCoxcoll,
               std::string(Decisions::kNameBytes, 'x').c_str());
  EXPECT_FALSE(nameless.HasAny());
}

}  // namespace
}  // namespace cox::agent
