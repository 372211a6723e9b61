// The processor's time for a message is that of sending it and of receiving one.
#include <gtest/gtest.h>

#include <vector>

#include "domain/level.h"
#include "learn/calibrate/calibrate.h"
#include "strategy/catalogue.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

std::vector<Sample> Samples() {
  Noise noise(7, 0.02);
  std::vector<Sample> samples;
  for (const int64_t bytes : {1, 64, 1024, 16384, 65536}) {
    const auto size = static_cast<double>(bytes);
    for (const auto& [kind, time_s] : {std::pair("pingpong", 5e-6 + 1e-9 * size),
                                       std::pair("overhead_send", 1e-6 + 1e-10 * size),
                                       std::pair("overhead_recv", 2e-6 + 2e-10 * size)}) {
      for (int i = 0; i < 5; ++i) {
        Sample& sample = samples.emplace_back();
        sample.kind = kind;
        sample.level = domain::Level::kNetwork;
        sample.block_bytes = bytes;
        sample.time_s = noise(time_s);
      }
    }
  }
  return samples;
}

TEST(ProcessorTime, IsFittedToOverheads) {
  const auto calibration = Calibrate(Samples());
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  const domain::Profile& profile = calibration->profile;
  const auto* alpha = profile.Find("hockney", domain::Level::kNetwork, "alpha_cpu");
  const auto* beta = profile.Find("hockney", domain::Level::kNetwork, "beta_cpu");
  ASSERT_NE(alpha, nullptr);
  ASSERT_NE(beta, nullptr);
  EXPECT_NEAR(alpha->value, 3e-6, 0.1e-6);
  EXPECT_NEAR(beta->value, 3e-10, 0.1e-10);
  EXPECT_GT(alpha->stderr_, 0);
}

TEST(ProcessorTime, OfACollectiveIsThatOfItsMessages) {
  const auto calibration = Calibrate(Samples());
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  const auto hockney = model::FindModel("hockney");
  const auto values = model::ValuesFor(**hockney, calibration->profile);
  ASSERT_TRUE(values.ok()) << values.status();
  strategy::Scenario scenario;
  scenario.collective = domain::Collective::kAlltoall;
  scenario.ranks = 16;
  scenario.block_bytes = 1024;
  auto schedule = std::make_unique<model::Schedule>();
  strategy::Build(*strategy::ParseStrategy("alltoall/linear"), scenario, schedule.get());
  const double expected_s = 15 * (3e-6 + 3e-10 * 1024);
  EXPECT_NEAR((*hockney)->Price(*values, *schedule).cpu_s, expected_s, 0.05 * expected_s);
}

}  // namespace
}  // namespace cox::learn
