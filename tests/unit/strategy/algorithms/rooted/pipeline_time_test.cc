// The price of chains, beside a replay of their messages: a rank sends one message after
// the other, and passes on a segment when it has come.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "gtest/gtest.h"
#include "model/model.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

constexpr double kNodeAlpha = 1e-6;
constexpr double kNodeBeta = 1e-10;
constexpr double kNetworkAlpha = 1.5e-6;
constexpr double kNetworkBeta = 4e-10;

double ValueOf(const model::ParameterSpec& spec) {
  const bool in_node = spec.level == domain::Level::kNode;
  if (spec.name == "alpha" && in_node) return kNodeAlpha;
  if (spec.name == "beta" && in_node) return kNodeBeta;
  if (spec.level != domain::Level::kNetwork) return 0;
  return spec.name == "alpha" ? kNetworkAlpha : (spec.name == "beta" ? kNetworkBeta : 0);
}

double PriceOf(const std::string& strategy, const Scenario& scenario) {
  const model::Model& hockney = **model::FindModel("hockney");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : hockney.parameters()) values.push_back(ValueOf(spec));
  model::Schedule schedule;
  const Strategy parsed = *ParseStrategy(strategy);
  Scenario here = scenario;
  here.collective = parsed.algorithm->collective;
  Build(parsed, here, &schedule);
  return hockney.Price(values, schedule).TotalSeconds();
}

// The time of a message.
struct Hop {
  int64_t ppn;
  double bytes;
  double operator()(int64_t from, int64_t to) const {
    return from / ppn == to / ppn ? kNodeAlpha + kNodeBeta * bytes
                                  : kNetworkAlpha + kNetworkBeta * bytes;
  }
};

// Rank 0 feeds `fanout` chains: the other ranks, in consecutive runs, longer runs first.
double ReplayChains(int64_t ranks, int64_t fanout, int64_t segments, const Hop& hop) {
  std::vector<std::vector<int64_t>> chains;
  int64_t next = 1;
  for (int64_t left = fanout; left > 0; --left) {
    const int64_t length = (ranks - next + left - 1) / left;
    chains.emplace_back();
    for (int64_t i = 0; i < length; ++i) chains.back().push_back(next++);
  }
  std::vector<double> sent_s(static_cast<size_t>(ranks));  // when a rank has sent its last message
  double end_s = 0;
  for (int64_t segment = 0; segment < segments; ++segment) {
    for (const std::vector<int64_t>& chain : chains) {
      double arrived_s = 0;
      int64_t from = 0;
      for (const int64_t to : chain) {
        double& sender_s = sent_s[static_cast<size_t>(from)];
        sender_s = std::max(sender_s, arrived_s) + hop(from, to);
        arrived_s = sender_s;
        from = to;
      }
      end_s = std::max(end_s, arrived_s);
    }
  }
  return end_s;
}

struct Chained {
  int64_t ranks;
  int64_t ppn;
  int64_t fanout;
  int64_t segments;
  int64_t segment_bytes;
};

class ChainTime : public ::testing::TestWithParam<Chained> {};

TEST_P(ChainTime, IsThatOfItsMessages) {
  const Chained& here = GetParam();
  const Scenario scenario{
      .ranks = here.ranks, .ppn = here.ppn, .block_bytes = here.segments * here.segment_bytes};
  const double replayed_s = ReplayChains(here.ranks, here.fanout, here.segments,
                                         {here.ppn, static_cast<double>(here.segment_bytes)});
  for (const char* collective : {"bcast", "reduce"}) {
    const double price_s = PriceOf(
        absl::StrCat(collective, "/chain?segment=", here.segment_bytes, "&fanout=", here.fanout),
        scenario);
    EXPECT_GE(price_s, replayed_s * (1 - 1e-9)) << collective;
    // In a schedule the longest chain waits until the root has fed all chains.
    EXPECT_LE(price_s, replayed_s * (here.fanout == 1 ? 1 + 1e-9 : 1.2)) << collective;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ChainTime,
                         ::testing::Values(Chained{64, 1, 4, 1, 8}, Chained{64, 4, 4, 1, 65536},
                                           Chained{64, 1, 4, 8, 8192}, Chained{64, 4, 4, 8, 8192},
                                           Chained{256, 1, 4, 8, 8192}, Chained{7, 4, 1, 1, 65536},
                                           Chained{64, 4, 1, 1, 8}, Chained{64, 16, 1, 2, 65536},
                                           Chained{64, 1, 1, 8, 8192}));

}  // namespace
}  // namespace cox::strategy
