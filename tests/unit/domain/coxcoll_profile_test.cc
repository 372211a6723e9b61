// The lines of the profile that libcoxcoll reads: costs and decisions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "domain/coxcoll_costs.h"
#include "domain/coxcoll_decisions.h"
#include "domain/coxcoll_lines.h"

namespace cox::domain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CoxcollLines, NamesEachRefusedLine) {
  const auto read = [](const std::vector<std::string>& words) {
    return words[0] == "no" ? "refused" : "";
  };
  EXPECT_THAT(ReadLines("yes\nno 1\n\n# no\nno 2", read),
              ElementsAre("line 2: refused", "line 5: refused"));
  EXPECT_EQ(FirstRefused("yes\nno 1\nno 2", read), "line 2: refused");
  EXPECT_EQ(FirstRefused("yes # no", read), "");
}

TEST(CostProfile, ReadsWhatIsStatedAndKeepsTheRest) {
  CostProfile profile;
  EXPECT_EQ(ParseCostProfile("# a comment\n\n beta_s_per_byte  2e-9 # of the network\n"
                             "from_a_later_version yes and no\nalpha_s 3e-6",
                             &profile),
            "");
  EXPECT_EQ(profile.alpha_s, 3e-6);
  EXPECT_EQ(profile.beta_s_per_byte, 2e-9);
  EXPECT_EQ(profile.alpha_cpu_s, 0);
}

TEST(CostProfile, TellsTheLineThatIsWrong) {
  for (const std::string_view value : {"", "x", "-1", "nan", "inf", "1 2", "1e"}) {
    CostProfile profile;
    const std::string text = "alpha_s 1e-6\nbeta_s_per_byte " + std::string(value) + "\n";
    EXPECT_THAT(ParseCostProfile(text, &profile), HasSubstr("line 2: beta_s_per_byte")) << value;
  }
}

TEST(Decisions, IsOfASizeAndAllItsRanks) {
  Decisions decided;
  EXPECT_EQ(ParseDecisions("# of 8\nalpha_s 1\ndecided_ranks 8\ndecide alltoall 0 mesh2d\n"
                           "decide bcast 16 binomial # why\ndecide alltoall 100 windowed?window=4\n"
                           "decide alltoall 200 default\n",
                           &decided),
            "");
  using enum DecidedOperation;
  EXPECT_STREQ(decided.Find(kAlltoall, 8, 0), "mesh2d");
  EXPECT_STREQ(decided.Find(kAlltoall, 8, 99), "mesh2d");
  EXPECT_STREQ(decided.Find(kAlltoall, 8, 100), "windowed?window=4");
  EXPECT_EQ(decided.Find(kAlltoall, 8, 200), nullptr);
  EXPECT_EQ(decided.Find(kAlltoall, 7, 0), nullptr);
  EXPECT_EQ(decided.Find(kBcast, 8, 15), nullptr);
  EXPECT_STREQ(decided.Find(kBcast, 8, 16), "binomial");
  EXPECT_EQ(decided.Find(kGather, 8, 16), nullptr);
  EXPECT_EQ(Decisions().Find(kGather, 8, 16), nullptr);
}

TEST(Decisions, TellsTheLineThatIsWrong) {
  for (const std::string line :
       {"decided_ranks", "decided_ranks 0", "decided_ranks 8x", "decide", "decide alltoall 0",
        "decide allgather 0 ring", "decide alltoall -1 direct", "decide alltoall 1k direct",
        "decide alltoall 0 direct now", "decide bcast 5 binomial",
        "decide alltoall 0 a_name_that_is_longer_than_any_algorithm_has"}) {
    Decisions decided;
    EXPECT_THAT(ParseDecisions("decide bcast 5 postal\n" + line + "\n", &decided),
                HasSubstr("line 2: "))
        << line;
  }
  std::string many;
  for (int i = 0; i <= Decisions::kMostSizes; ++i) {
    many += "decide gather " + std::to_string(i) + " linear\n";
  }
  Decisions decided;
  EXPECT_THAT(ParseDecisions(many, &decided), HasSubstr("line 33: more than 32"));
}

TEST(Decisions, RefusedLinesChangeNothing) {
  Decisions decided;
  EXPECT_NE(ParseDecisions("decided_ranks 8x", &decided), "");
  EXPECT_EQ(decided.ranks(), 0);
  EXPECT_EQ(ParseDecisions("decided_ranks 8\ndecide bcast 5 binomial", &decided), "");
  EXPECT_NE(ParseDecisions("decide bcast 9 " + std::string(32, 'a'), &decided), "");
  EXPECT_STREQ(decided.Find(DecidedOperation::kBcast, 8, 9), "binomial");
}

TEST(Decisions, NamesHaveUpTo31Characters) {
  const std::string longest(Decisions::kMostNameCharacters, 'a');
  Decisions decided;
  EXPECT_EQ(ParseDecisions("decided_ranks 2\ndecide bcast 0 " + longest, &decided), "");
  EXPECT_EQ(decided.Find(DecidedOperation::kBcast, 2, 0), longest);
  EXPECT_THAT(ParseDecisions("decide gather 0 a" + longest, &decided),
              HasSubstr("more than 31 characters"));
}

}  // namespace
}  // namespace cox::domain
