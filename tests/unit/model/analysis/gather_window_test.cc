#include "model/analysis/gather_window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/errors.h"
#include "gtest/gtest.h"

namespace cox::model {
namespace {

// Gaps in the ratio `ratio`, a buffer of `buffer`.
topology::GatherStage Stage(double ratio, double buffer) { return {ratio * 1e-6, 1e-6, buffer}; }

TEST(TransferRatio, IsThatOfAFullBuffer) {
  EXPECT_NEAR(TransferRatio(10000, 8000, 1935, 20000), 0.89675, 1e-12);
  EXPECT_NEAR(SaturationSeconds(10000, 8000, 1935), 0.9675, 1e-12);
  // Few packets fit into the buffer.
  EXPECT_EQ(TransferRatio(10000, 8000, 1935, 1000), 1);
  // Nothing piles up.
  EXPECT_EQ(TransferRatio(8000, 8000, 0, 20000), 1);
  EXPECT_TRUE(std::isinf(SaturationSeconds(8000, 8000, 10)));
  EXPECT_EQ(TransferRatio(10000, 8000, 0, 0), 1);
}

// Within the upper bound nothing is lost; one sender more loses.
TEST(GatherBounds, AreWhereLossBegins) {
  const topology::GatherStage stage = {122.427e-6, 123.186e-6, 1935};
  for (const int64_t packets : {1, 44, 175, 350, 700, 5000}) {
    const double most = topology::MostSenders(stage, packets);
    for (const double senders : {most, most + 1}) {
      const double ratio =
          TransferRatio(senders / stage.send_gap_s, 1 / stage.receive_gap_s, stage.buffer_packets,
                        senders * static_cast<double>(packets));
      const bool loses = ratio < 1 - 1e-12;
      EXPECT_EQ(loses, senders == most + 1) << packets << " " << senders;
    }
  }
}

TEST(GatherWindow, FollowsEachPartOfTheRule) {
  const auto window = [](double ratio, double buffer, int64_t senders, int64_t packets) {
    return *WindowOf(Stage(ratio, buffer), senders, packets);
  };
  EXPECT_EQ(window(1, 10, 0, 5).window, 0);
  EXPECT_EQ(window(1, 10, 15, 0).reason, topology::WindowReason::kNothingToSend);
  EXPECT_EQ(window(1, 1e9, 15, 5).window, 15);
  EXPECT_EQ(window(1, 1e9, 15, 5).reason, topology::WindowReason::kAllAtOnce);
  // The receiver is slower and has no buffer: even one sender is too many.
  EXPECT_EQ(window(0.5, 0, 15, 5).window, 1);
  EXPECT_EQ(window(0.5, 0, 15, 5).reason, topology::WindowReason::kMayLose);
  // Ga_u = 3 divides 15: a remainder of none is a full wave.
  EXPECT_EQ(window(1, 2 * 700, 15, 700).window, 3);
  EXPECT_EQ(window(1, 2 * 700, 15, 700).reason, topology::WindowReason::kFullWaves);
  // Ga_l = 3, Ga_u = 7: 15 = 2 x 7 + 1 and 2 x 6 + 3.
  EXPECT_EQ(window(3, 4, 15, 1).window, 6);
  // Ga_l = 5, Ga_u = 6: 14 leaves 2 and 4: none; the most that lose nothing.
  EXPECT_EQ(window(5, 1, 14, 1).window, 6);
  EXPECT_EQ(window(5, 1, 14, 1).reason, topology::WindowReason::kNoLoss);
  // Ga_l = 3 > Ga_u = 2.
  EXPECT_EQ(window(2.5, 0, 15, 1).window, 2);
  EXPECT_EQ(window(2.5, 0, 15, 1).reason, topology::WindowReason::kNoLoss);
}

// Against a walk over all x.
TEST(GatherWindow, IsTheLargestOfItsSet) {
  for (int64_t senders = 1; senders <= 60; ++senders) {
    for (int64_t least = 1; least <= 12; ++least) {
      for (int64_t more = 0; more <= 40; ++more) {
        const int64_t most = least + more;
        int64_t expected = most;
        for (int64_t x = least; x <= most; ++x) {
          if (senders % x == 0 || senders % x >= least) expected = x;
        }
        bool any = false;
        for (int64_t x = least; x <= most; ++x) {
          any = any || senders % x == 0 || senders % x >= least;
        }
        if (!any) expected = most;
        if (most >= senders) expected = senders;
        const topology::GatherWindow window =
            *WindowOf(Stage(static_cast<double>(least), static_cast<double>(more)), senders, 1);
        ASSERT_EQ(window.window, expected) << senders << " " << least << " " << most;
      }
    }
  }
}

TEST(GatherWindow, IsQuickForManySenders) {
  const int64_t senders = (int64_t{1} << 31) - 2;
  const topology::GatherWindow window = *WindowOf(Stage(1e6, 1e9), senders, 1);
  EXPECT_GE(window.window, 1000000);
  EXPECT_LE(window.window, 1001000000);
}

TEST(GatherTime, IsPacedByTheSlowerOfStageAndReceiver) {
  const topology::GatherStage stage = {122e-6, 123e-6, 1935};
  const PacketPath quick = {44e-6, 143e-6, 76e-6, 10e-6, 0};
  EXPECT_NEAR(*GatherLeastSeconds(stage, quick, 15, 700), 273e-6 - 123e-6 + 15 * 700 * 123e-6,
              1e-12);
  const PacketPath slow = {44e-6, 143e-6, 76e-6, 10e-6, 49e-6};
  EXPECT_NEAR(*GatherLeastSeconds(stage, slow, 15, 700), 322e-6 - 123e-6 + 15 * 700 * 135e-6,
              1e-12);
  EXPECT_EQ(*GatherLeastSeconds(stage, quick, 0, 700), 0);
  EXPECT_EQ(*GatherLeastSeconds(stage, quick, 15, 0), 0);
}

TEST(Broadcast, HasTheGuardsThatTheFormulasLack) {
  const PacketPath path = {0.4, 1.3, 0.6, 0.7, 0};
  EXPECT_EQ(*PostalBroadcastSeconds(path, 1, 1, 4), 0);
  EXPECT_EQ(*ClusterBroadcastSeconds(path, 1, 1, 4), 0);
  EXPECT_EQ(*PostalBroadcastSeconds(path, 1, 16, 0), 0);
  EXPECT_EQ(*ClusterBroadcastSeconds(path, 1, 16, 0), 0);
  // One packet: log p times the way; no power of two: as many rounds as the next one.
  EXPECT_NEAR(*PostalBroadcastSeconds(path, 1, 9, 1), 12, 1e-12);
  EXPECT_NEAR(*ClusterBroadcastSeconds(path, 1, 9, 1), 12, 1e-12);
  // Two processors: (k - 1) (O_r + U_r) + Lambda.
  EXPECT_NEAR(*ClusterBroadcastSeconds(path, 1, 2, 4), 3 * 1.3 + 3, 1e-12);
  EXPECT_TRUE(
      std::isfinite(*ClusterBroadcastSeconds(path, 1, std::numeric_limits<int64_t>::max(), 4)));
}

TEST(GatherWindow, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(domain::FieldOf(WindowOf({0, 1, 1}, 1, 1).status()), "stage.send_gap_s");
  EXPECT_EQ(domain::FieldOf(WindowOf({1, nan, 1}, 1, 1).status()), "stage.receive_gap_s");
  EXPECT_EQ(domain::FieldOf(WindowOf({1, 1, -1}, 1, 1).status()), "stage.buffer_packets");
  EXPECT_EQ(domain::FieldOf(WindowOf({1, 1, 1}, -1, 1).status()), "senders");
  EXPECT_EQ(domain::FieldOf(WindowOf({1, 1, 1}, 1, -1).status()), "packets_per_sender");
  EXPECT_EQ(domain::FieldOf(GatherLeastSeconds({1, 1, 1}, {1, 1, -1, 1, 1}, 1, 1).status()),
            "path.receive_s");
  EXPECT_EQ(domain::FieldOf(PostalBroadcastSeconds({}, nan, 2, 1).status()), "send_gap_s");
  EXPECT_EQ(domain::FieldOf(PostalBroadcastSeconds({}, 1, 0, 1).status()), "processors");
  EXPECT_EQ(domain::FieldOf(ClusterBroadcastSeconds({}, 1, 2, -1).status()), "packets");
}

}  // namespace
}  // namespace cox::model
