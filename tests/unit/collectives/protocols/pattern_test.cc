// Persistent patterns: the ranks' reports, and the choice from them.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "collectives/choice/pattern_chooser.h"
#include "collectives/choice/pattern_report.h"
#include "gtest/gtest.h"

namespace cox::collectives {
namespace {

constexpr int kRanks = 16;

std::string_view NameOf(int candidate) {
  return PatternCandidates()[static_cast<size_t>(candidate)].name;
}

// Every rank sends to the next `degree` ranks.
std::vector<Transfer> Neighbours(int degree, double bytes) {
  std::vector<Transfer> transfers;
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 1; i <= degree; ++i) transfers.push_back({rank, (rank + i) % kRanks, bytes});
  }
  return transfers;
}

const domain::CostProfile kDearStarts{.alpha_s = 1, .beta_s_per_byte = 1e-9};

TEST(PatternChooser, BeginsWithTheCheapestOnPaper) {
  PatternChooser dense(kRanks);
  const auto all = dense.Decide(Neighbours(kRanks - 1, 8), 0, kDearStarts);
  EXPECT_EQ(NameOf(all.candidate), "hypercube");
  EXPECT_NEAR(all.predicted_s, 4, 1e-3);
  EXPECT_EQ(all.measured_s, 0);
  EXPECT_EQ(all.next_in, PatternChooser::kSoon);
  PatternChooser sparse(kRanks);
  // Each round of the end costs a further message.
  EXPECT_EQ(NameOf(sparse.Decide({}, 0, {.alpha_s = 0}).candidate), "direct");
}

TEST(PatternChooser, RoutesNothingOfVeryManyRanks) {
  PatternChooser chooser(kMostRanksToRoute + 1);
  const auto decision = chooser.Decide(Neighbours(kRanks - 1, 8), 0, kDearStarts);
  EXPECT_EQ(NameOf(decision.candidate), "direct");
  EXPECT_GT(decision.predicted_s, 15);
}

TEST(PatternChooser, LooksLessOftenWhereNothingChanges) {
  PatternChooser chooser(kRanks);
  std::vector<int> due;
  for (int i = 0; i < 6; ++i) {
    due.push_back(chooser.Decide(Neighbours(3, 8), i == 0 ? 0 : 1e-3, kDearStarts).next_in);
  }
  EXPECT_EQ(due, (std::vector<int>{4, 8, 16, 32, 32, 32}));
}

// A machine whose times do not follow the prices.
class Machine {
 public:
  explicit Machine(std::array<double, 4> times_s) : times_s_(times_s) {}

  // Returns the last candidate of `decisions` decisions.
  int Run(PatternChooser* chooser, const std::vector<Transfer>& transfers, int decisions,
          const domain::CostProfile& costs) {
    for (int i = 0; i < decisions; ++i) {
      present_ = chooser->Decide(transfers, measured_s(), costs).candidate;
    }
    return present_;
  }

 private:
  double measured_s() const { return present_ < 0 ? 0 : times_s_[static_cast<size_t>(present_)]; }
  std::array<double, 4> times_s_;
  int present_ = -1;
};

TEST(PatternChooser, ConvergesToTheCheapestByItsOwnMeasure) {
  const domain::CostProfile cheap{.alpha_s = 1e-9, .beta_s_per_byte = 0};  // each is tried
  std::array<double, 4> times_s = {1e-3, 2e-3, 3e-3, 4e-3};
  do {
    PatternChooser chooser(kRanks);
    const int last = Machine(times_s).Run(&chooser, Neighbours(5, 8), 8, cheap);
    EXPECT_EQ(times_s[static_cast<size_t>(last)], 1e-3) << NameOf(last);
  } while (std::next_permutation(times_s.begin(), times_s.end()));
}

TEST(PatternChooser, TriesNothingThatIsDearerOnPaperThanWhatRunsTakes) {
  PatternChooser chooser(kRanks);
  const int last =
      Machine({1e-3, 1e-3, 1e-3, 2}).Run(&chooser, Neighbours(kRanks - 1, 8), 8, kDearStarts);
  EXPECT_EQ(NameOf(last), "hypercube") << "a price of 4, and the others' are more than 2";
}

TEST(PatternChooser, ForgetsTimesOfAnotherPattern) {
  const domain::CostProfile cheap{.alpha_s = 1e-9, .beta_s_per_byte = 1e-9};
  PatternChooser chooser(kRanks);
  Machine machine({1e-3, 2e-3, 3e-3, 4e-3});
  EXPECT_EQ(NameOf(machine.Run(&chooser, Neighbours(5, 8), 8, cheap)), "direct");
  const auto grown = chooser.Decide(Neighbours(5, 8000), 1e-3, cheap);
  EXPECT_EQ(grown.measured_s, 0) << "nothing is known of this one";
  EXPECT_EQ(grown.next_in, grown.candidate == 0 ? 32 : PatternChooser::kSoon);
}

TEST(PatternChooser, ForgetsTheOthersTimesWhenItsOwnChange) {
  const domain::CostProfile cheap{.alpha_s = 1e-9, .beta_s_per_byte = 0};
  PatternChooser chooser(kRanks);
  Machine({1e-3, 2e-3, 3e-3, 4e-3}).Run(&chooser, Neighbours(5, 8), 8, cheap);
  // Now the network changes: the present algorithm is slow, so the others are tried again.
  const int last = Machine({9e-3, 2e-3, 1e-3, 4e-3}).Run(&chooser, Neighbours(5, 8), 8, cheap);
  EXPECT_EQ(NameOf(last), "grid3d");
}

TEST(PatternReport, SurvivesTheWay) {
  const std::vector<Transfer> messages = {{3, 1, 10}, {3, 3, 0}, {3, 1, 20}};
  std::vector<char> bytes = WritePatternReport(messages, 0.5);
  const std::vector<char> other = WritePatternReport({}, 0.25);
  bytes.insert(bytes.end(), other.begin(), other.end());
  PatternReports reports;
  ASSERT_TRUE(ReadPatternReports(bytes, &reports));
  EXPECT_EQ(reports.slowest_s, 0.5);
  ASSERT_EQ(reports.transfers.size(), 3U);
  EXPECT_EQ(reports.transfers[2].bytes, 20);
  EXPECT_EQ(reports.transfers[1].destination, 3);
  bytes.pop_back();
  EXPECT_FALSE(ReadPatternReports(bytes, &reports));
}

TEST(PatternReport, OfManyMessagesKeepsTheirNumberAndBytes) {
  std::vector<Transfer> messages;
  double total = 0;
  for (int i = 0; i < 1000; ++i) {
    messages.push_back({0, i % 100, static_cast<double>(i)});
    total += i;
  }
  const std::vector<char> bytes = WritePatternReport(messages, 0);
  EXPECT_LT(bytes.size(), 2000U);
  PatternReports reports;
  ASSERT_TRUE(ReadPatternReports(bytes, &reports));
  EXPECT_EQ(reports.transfers.size(), 1000U);
  double told = 0;
  for (const Transfer& transfer : reports.transfers) told += transfer.bytes;
  EXPECT_NEAR(told, total, 1e-6);
}

TEST(PatternReport, MedianIsTheMiddle) {
  EXPECT_EQ(MedianOf({}), 0);
  EXPECT_EQ(MedianOf({3}), 3);
  EXPECT_EQ(MedianOf({9, 1, 5}), 5);
}

}  // namespace
}  // namespace cox::collectives
