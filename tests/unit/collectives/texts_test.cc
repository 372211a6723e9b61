// What the library reads: names of algorithms, and files of costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/choice/algorithm_name.h"
#include "collectives/choice/cost_profile.h"
#include "collectives/choice/decided.h"

namespace cox::collectives {
namespace {

using testing::HasSubstr;

constexpr AlgorithmRow kRows[] = {{3, "direct"}, {5, "windowed", "window", 1}};

std::string Wrong(std::string_view text) {
  AlgorithmChoice choice;
  return ParseAlgorithm(text, kRows, &choice);
}

TEST(AlgorithmName, ComesBackAsItWasWritten) {
  for (const std::string_view text : {"direct", "windowed", "windowed?window=12"}) {
    AlgorithmChoice choice;
    EXPECT_EQ(ParseAlgorithm(text, kRows, &choice), "") << text;
    EXPECT_EQ(FormatAlgorithm(choice, kRows), text);
  }
}

TEST(AlgorithmName, UnknownOnesAreToldWhatThereIs) {
  EXPECT_THAT(Wrong("mesh4d"), HasSubstr("\"mesh4d\" is none of direct, windowed"));
  EXPECT_THAT(Wrong(""), HasSubstr("none of"));
}

TEST(AlgorithmName, KnobsAreThoseOfTheRow) {
  EXPECT_THAT(Wrong("direct?window=3"), HasSubstr("\"direct\" has no knob \"window\""));
  EXPECT_THAT(Wrong("windowed?segment=3"), HasSubstr("has no knob \"segment\""));
  for (const std::string_view text :
       {"windowed?window=0", "windowed?window=-1", "windowed?window=", "windowed?window",
        "windowed?window=3x", "windowed?window=99999999999999999999"}) {
    EXPECT_THAT(Wrong(text), HasSubstr("window must be a whole number of at least 1")) << text;
  }
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

TEST(Decided, IsOfASizeAndAllItsRanks) {
  Decided decided;
  EXPECT_EQ(ParseDecided("# of 8\nalpha_s 1\ndecided_ranks 8\ndecide alltoall 0 mesh2d\n"
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
  EXPECT_EQ(Decided().Find(kGather, 8, 16), nullptr);
}

TEST(Decided, TellsTheLineThatIsWrong) {
  for (const std::string line :
       {"decided_ranks", "decided_ranks 0", "decided_ranks 8x", "decide", "decide alltoall 0",
        "decide allgather 0 ring", "decide alltoall -1 direct", "decide alltoall 1k direct",
        "decide alltoall 0 direct now", "decide bcast 5 binomial",
        "decide alltoall 0 a_name_that_is_longer_than_any_algorithm_has"}) {
    Decided decided;
    EXPECT_THAT(ParseDecided("decide bcast 5 postal\n" + line + "\n", &decided),
                HasSubstr("line 2: "))
        << line;
  }
  std::string many;
  for (int i = 0; i <= Decided::kMostRows; ++i) {
    many += "decide gather " + std::to_string(i) + " linear\n";
  }
  Decided decided;
  EXPECT_THAT(ParseDecided(many, &decided), HasSubstr("line 33: more than 32"));
}

}  // namespace
}  // namespace cox::collectives
