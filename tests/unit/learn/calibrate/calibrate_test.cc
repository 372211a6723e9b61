#include "learn/calibrate/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <tuple>

#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/sharing/caller_watch.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/model_calibration.h"
#include "model/profile.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using domain::Level;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Sample MakeSample(Level level, int64_t pairs, int64_t block_bytes, double time_s) {
  Sample sample;
  sample.kind = "pingpong";
  sample.level = level;
  sample.pairs = pairs;
  sample.block_bytes = block_bytes;
  sample.time_s = time_s;
  return sample;
}

const std::vector<int64_t> kSizes = {0,    1,     8,     64,     256,     1024,   4096,
                                     8192, 16384, 65536, 262144, 1048576, 4194304};

// alpha + bytes * max(beta, pairs * injection), the max-rate model's one way.
std::vector<Sample> MaxRateSamples(double alpha_s, double beta_s, double injection_s,
                                   const std::vector<int64_t>& pair_counts, Noise noise,
                                   int repetitions = 3) {
  std::vector<Sample> samples;
  for (int64_t pairs : pair_counts) {
    for (int64_t bytes : kSizes) {
      for (int i = 0; i < repetitions; ++i) {
        const double rate = std::max(beta_s, static_cast<double>(pairs) * injection_s);
        samples.push_back(MakeSample(Level::kNetwork, pairs, bytes,
                                     noise(alpha_s + rate * static_cast<double>(bytes))));
      }
    }
  }
  return samples;
}

std::string WarningsOf(const Calibration& calibration) {
  std::string all;
  for (const std::string& warning : calibration.warnings) all += warning + "\n";
  return all;
}

// The value of a network parameter; NaN, which equals nothing, where it is missing.
double ValueOf(const Calibration& calibration, const std::string& model, const std::string& name) {
  const domain::Parameter* parameter = calibration.profile.Find(model, Level::kNetwork, name);
  return parameter == nullptr ? std::nan("") : parameter->value;
}
double ErrorOf(const Calibration& calibration, const std::string& model, const std::string& name) {
  const domain::Parameter* parameter = calibration.profile.Find(model, Level::kNetwork, name);
  return parameter == nullptr ? std::nan("") : parameter->stderr_;
}

// The parameter's distance from the truth in its own standard errors.
double ErrorsAway(const Calibration& calibration, const std::string& model, const std::string& name,
                  double truth) {
  return std::abs(ValueOf(calibration, model, name) - truth) / ErrorOf(calibration, model, name);
}

TEST(CalibrateTest, ExactTimesGiveExactParameters) {
  const auto calibration = Calibrate(MaxRateSamples(2e-6, 1e-10, 0, {1}, Noise(1, 0)));
  ASSERT_TRUE(calibration.ok());
  for (const std::string model : {"hockney", "max-rate"}) {
    EXPECT_NEAR(ValueOf(*calibration, model, "alpha"), 2e-6, 2e-10) << model;
    EXPECT_NEAR(ValueOf(*calibration, model, "beta"), 1e-10, 1e-14) << model;
  }
}

// Samples of a machine whose messages take twice as long to the other socket (as on Summit's nodes)
// give the sockets parameters of their own. The node's hold both kinds, because most questions do
// not say which messages cross sockets.
TEST(CalibrateTest, SocketsHaveParametersOfTheirOwn) {
  std::vector<Sample> samples;
  for (const int64_t bytes : kSizes) {
    const auto x = static_cast<double>(bytes);
    samples.push_back(MakeSample(Level::kNode, 1, bytes, 5e-7 + 1e-10 * x));
    samples.push_back(MakeSample(Level::kSocket, 1, bytes, 1e-6 + 3e-10 * x));
    samples.push_back(MakeSample(Level::kNetwork, 1, bytes, 2e-6 + 2e-10 * x));
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  const std::tuple<Level, double, double> expected[] = {{Level::kSocket, 1e-6, 3e-10},
                                                        {Level::kNetwork, 2e-6, 2e-10}};
  for (const std::string model : {"hockney", "max-rate"}) {
    for (const auto& [level, alpha_s, beta_s] : expected) {
      const domain::Parameter* alpha = calibration->profile.Find(model, level, "alpha");
      const domain::Parameter* beta = calibration->profile.Find(model, level, "beta");
      ASSERT_TRUE(alpha != nullptr && beta != nullptr) << model << domain::LevelName(level);
      EXPECT_NEAR(alpha->value, alpha_s, 1e-3 * alpha_s) << model << domain::LevelName(level);
      EXPECT_NEAR(beta->value, beta_s, 1e-3 * beta_s) << model << domain::LevelName(level);
    }
    const domain::Parameter* in_node = calibration->profile.Find(model, Level::kNode, "alpha");
    ASSERT_NE(in_node, nullptr) << model;
    EXPECT_GT(in_node->value, 5.5e-7) << model;
    EXPECT_LT(in_node->value, 1e-6) << model;
    EXPECT_EQ(std::count_if(calibration->fits.begin(), calibration->fits.end(),
                            [&](const auto& fit) {
                              return fit.model == model && fit.level == Level::kSocket;
                            }),
              1);
  }
  EXPECT_TRUE(model::Validate(calibration->profile).ok());
  EXPECT_EQ(calibration->profile.Find("loggp", Level::kSocket, "L"), nullptr);
}

// Without samples inside a socket, the node's parameters are those between sockets, as it says.
TEST(CalibrateTest, SamplesBetweenSocketsAloneStandForTheNode) {
  std::vector<Sample> samples;
  for (const int64_t bytes : kSizes) {
    samples.push_back(
        MakeSample(Level::kSocket, 1, bytes, 1e-6 + 3e-10 * static_cast<double>(bytes)));
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  const domain::Parameter* node = calibration->profile.Find("hockney", Level::kNode, "alpha");
  ASSERT_NE(node, nullptr);
  EXPECT_NEAR(node->value, 1e-6, 1e-9);
  EXPECT_THAT(node->source, HasSubstr("at level socket"));
}

TEST(CalibrateTest, RecoversAlphaAndBetaWithinTheStatedErrors) {
  // Over many noisy runs with an outlier in 25, the truth must lie within 1.96 standard errors
  // about as often as that promises, and the errors must be small enough to be useful.
  int near_alpha = 0;
  int near_beta = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    const auto calibration =
        Calibrate(MaxRateSamples(2e-6, 1e-10, 0, {1}, Noise(100 + run, 0.05, 25)));
    ASSERT_TRUE(calibration.ok());
    near_alpha += ErrorsAway(*calibration, "hockney", "alpha", 2e-6) < 1.96 ? 1 : 0;
    near_beta += ErrorsAway(*calibration, "hockney", "beta", 1e-10) < 1.96 ? 1 : 0;
    EXPECT_LT(ErrorOf(*calibration, "hockney", "alpha"), 2e-7);
    EXPECT_LT(ErrorOf(*calibration, "hockney", "beta"), 1e-11);
  }
  EXPECT_GE(near_alpha, kRuns * 85 / 100);
  EXPECT_GE(near_beta, kRuns * 85 / 100);
}

TEST(CalibrateTest, RecoversTheInjectionLimitOfANode) {
  const auto calibration =
      Calibrate(MaxRateSamples(3e-6, 1e-10, 4e-11, {1, 2, 4, 8, 16}, Noise(5, 0.04, 40)));
  ASSERT_TRUE(calibration.ok());
  EXPECT_LT(ErrorsAway(*calibration, "max-rate", "alpha", 3e-6), 3);
  EXPECT_LT(ErrorsAway(*calibration, "max-rate", "beta", 1e-10), 3);
  EXPECT_LT(ErrorsAway(*calibration, "max-rate", "injection", 4e-11), 3);
  EXPECT_NEAR(ValueOf(*calibration, "max-rate", "injection"), 4e-11, 4e-12);
}

TEST(CalibrateTest, RecoversTheHyperbola) {
  Noise noise(7, 0.03);
  std::vector<Sample> samples;
  constexpr double kA = 5e-6;
  constexpr double kB = 2e-10;
  for (int64_t bytes : kSizes) {
    for (int i = 0; i < 3; ++i) {
      const double bytes_s = kB * static_cast<double>(bytes);
      samples.push_back(
          MakeSample(Level::kNetwork, 1, bytes, noise(kA * kA / (kA + bytes_s) + bytes_s)));
    }
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  EXPECT_LT(ErrorsAway(*calibration, "hyperbolic", "a", kA), 3);
  EXPECT_LT(ErrorsAway(*calibration, "hyperbolic", "b", kB), 3);
  // The other models fit worse, and the report says so.
  double hyperbolic_error = 0;
  double max_rate_error = 0;
  for (const ModelFit& fit : calibration->fits) {
    if (fit.model == "max-rate") {
      EXPECT_EQ(fit.sample_count, static_cast<int64_t>(samples.size()));
    }
    if (fit.model == "hyperbolic") hyperbolic_error = fit.median_relative_error;
    if (fit.model == "max-rate") max_rate_error = fit.median_relative_error;
  }
  EXPECT_GT(hyperbolic_error, 0);
  EXPECT_LT(hyperbolic_error, max_rate_error);
}

TEST(CalibrateTest, SaysWhatASinglePairCannotShow) {
  const auto calibration = Calibrate(MaxRateSamples(2e-6, 1e-10, 0, {1}, Noise(3, 0.02)));
  ASSERT_TRUE(calibration.ok());
  // A ping-pong shows L + 2 o, never L or o alone.
  EXPECT_THAT(calibration->warnings, Contains(AllOf(HasSubstr("loggp at level network"),
                                                    HasSubstr("do not tell L from o"))));
  const domain::Parameter* latency = calibration->profile.Find("loggp", Level::kNetwork, "L");
  const domain::Parameter* overhead = calibration->profile.Find("loggp", Level::kNetwork, "o");
  ASSERT_NE(latency, nullptr);
  ASSERT_NE(overhead, nullptr);
  EXPECT_NEAR(latency->value + 2 * overhead->value, 2e-6, 1e-7);
  EXPECT_THAT(latency->source, HasSubstr("cost shared evenly with o"));
  // One message at a time shows no gap between messages.
  EXPECT_EQ(calibration->profile.Find("loggp", Level::kNetwork, "g"), nullptr);
  EXPECT_THAT(calibration->warnings, Contains(HasSubstr("do not show g; it is left out")));
  // It shows no limit of what a node's ranks send together: the time per byte is each pair's own.
  EXPECT_NEAR(ValueOf(*calibration, "max-rate", "beta"), 1e-10, 1e-11);
  EXPECT_EQ(calibration->profile.Find("max-rate", Level::kNetwork, "injection"), nullptr);
}

TEST(CalibrateTest, SaysWhatASingleSizeCannotShow) {
  std::vector<Sample> samples;
  for (double time_s : {1.01e-6, 1.0e-6, 0.99e-6}) {
    samples.push_back(MakeSample(Level::kNode, 1, 1024, time_s));
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  EXPECT_THAT(calibration->warnings, Contains(AllOf(HasSubstr("hockney at level node"),
                                                    HasSubstr("do not tell alpha from beta"))));
  const domain::Parameter* alpha = calibration->profile.Find("hockney", Level::kNode, "alpha");
  const domain::Parameter* beta = calibration->profile.Find("hockney", Level::kNode, "beta");
  ASSERT_TRUE(alpha != nullptr && beta != nullptr);
  EXPECT_NEAR(alpha->value + 1024 * beta->value, 1e-6, 1e-8);
}

TEST(CalibrateTest, WithoutBytesNoTimePerByte) {
  const auto calibration =
      Calibrate({MakeSample(Level::kNode, 1, 0, 1e-6), MakeSample(Level::kNode, 1, 0, 1.1e-6)});
  ASSERT_TRUE(calibration.ok());
  EXPECT_EQ(calibration->profile.Find("hockney", Level::kNode, "beta"), nullptr);
  EXPECT_THAT(calibration->warnings,
              Contains(AllOf(HasSubstr("hockney"), HasSubstr("do not show beta"),
                             HasSubstr("cannot be priced"))));
}

TEST(CalibrateTest, OneSampleIsAsUncertainAsItIsLarge) {
  const auto calibration = Calibrate({MakeSample(Level::kNode, 1, 0, 1e-6)});
  ASSERT_TRUE(calibration.ok());
  const domain::Parameter* alpha = calibration->profile.Find("hockney", Level::kNode, "alpha");
  ASSERT_NE(alpha, nullptr);
  EXPECT_NEAR(alpha->value, 1e-6, 1e-9);
  EXPECT_EQ(alpha->stderr_, alpha->value);
}

TEST(CalibrateTest, ALevelThatWasNotMeasuredIsAssumedAloud) {
  std::vector<Sample> samples;
  for (int64_t bytes : kSizes) {
    samples.push_back(
        MakeSample(Level::kNode, 1, bytes, 1e-6 + 1e-10 * static_cast<double>(bytes)));
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  const domain::Parameter* alpha = calibration->profile.Find("hockney", Level::kNetwork, "alpha");
  ASSERT_NE(alpha, nullptr);
  EXPECT_EQ(alpha->stderr_, alpha->value);
  EXPECT_THAT(alpha->source, HasSubstr("assumed: as at level node"));
  EXPECT_THAT(calibration->warnings,
              Contains(HasSubstr("hockney: no measurement at level network")));
}

TEST(CalibrateTest, SamplesToOneselfAreNotUsedAndThatIsSaid) {
  const auto calibration = Calibrate({MakeSample(Level::kSelf, 1, 8, 1e-7)});
  ASSERT_TRUE(calibration.ok());
  EXPECT_THAT(calibration->profile.parameters, IsEmpty());
  EXPECT_THAT(calibration->warnings, Contains(HasSubstr("1 sample at level self is not used")));
}

TEST(CalibrateTest, ParametersAreNeverNegative) {
  // Longer messages that take less time would need a negative beta.
  std::vector<Sample> samples;
  for (int64_t bytes : kSizes) {
    samples.push_back(
        MakeSample(Level::kNetwork, 1, bytes, 1e-5 / (1 + 1e-6 * static_cast<double>(bytes))));
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  EXPECT_FALSE(calibration->profile.empty());
  EXPECT_TRUE(model::Validate(calibration->profile).ok());
}

TEST(CalibrateTest, ExtremeSizesAndTimesStayFinite) {
  const auto calibration =
      Calibrate({MakeSample(Level::kNetwork, 1, 0, std::numeric_limits<double>::min()),
                 MakeSample(Level::kNetwork, int64_t{1} << 31, int64_t{1} << 62, 1e300),
                 MakeSample(Level::kNetwork, 1, 1, 1e-6)});
  ASSERT_TRUE(calibration.ok());
  EXPECT_TRUE(model::Validate(calibration->profile).ok()) << WarningsOf(*calibration);
}

TEST(CalibrateTest, NamesTheSampleAndFieldAtFault) {
  const Sample good = MakeSample(Level::kNode, 1, 8, 1e-6);
  const auto field_of = [&](auto spoil) {
    Sample bad = good;
    spoil(bad);
    const auto calibration = Calibrate({good, bad});
    EXPECT_EQ(calibration.status().code(), absl::StatusCode::kInvalidArgument);
    return domain::FieldOf(calibration.status());
  };
  EXPECT_EQ(field_of([](Sample& s) { s.kind = "deluge"; }), "samples[1].kind");
  EXPECT_EQ(field_of([](Sample& s) { s.kind = "flood"; }), "samples[1].ranks");
  EXPECT_EQ(field_of([](Sample& s) { s.pairs = 0; }), "samples[1].pairs");
  EXPECT_EQ(field_of([](Sample& s) { s.block_bytes = -1; }), "samples[1].block_bytes");
  EXPECT_EQ(field_of([](Sample& s) { s.block_bytes = (int64_t{1} << 62) + 1; }),
            "samples[1].block_bytes");
  for (double time_s : {0.0, -1e-6, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(field_of([&](Sample& s) { s.time_s = time_s; }), "samples[1].time_s");
  }
  EXPECT_EQ(domain::FieldOf(Calibrate({}).status()), "samples");
}

constexpr double kBorderBytes = 8192;

// Ping-pongs of two regimes. No two have the same size and ranks, so that none are alike.
std::vector<Sample> ManyPingPongs(size_t count) {
  std::mt19937 random(7);
  Noise noise(11, 0.03);
  std::vector<Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.kind = "pingpong";
    sample.level = Level::kNetwork;
    sample.block_bytes = static_cast<int64_t>(std::exp2(random() % 20'000 / 1000.0));
    sample.ranks = 2 + 2 * static_cast<int64_t>(i);
    const auto bytes = static_cast<double>(sample.block_bytes);
    sample.time_s = noise(bytes <= kBorderBytes ? 2e-6 + 1e-9 * bytes : 2e-5 + 2e-10 * bytes);
    samples.push_back(sample);
  }
  return samples;
}

Calibration CalibrateOne(const std::string& model, const std::vector<Sample>& samples,
                         double* processor_s) {
  std::vector<const Sample*> all;
  for (const Sample& sample : samples) all.push_back(&sample);
  const domain::IsCancelled never;
  domain::CallerWatch watch(never, 1);
  Calibration calibration;
  const std::clock_t begin = std::clock();
  for (const ModelPlan& plan : CalibrationPlans()) {
    if (plan.model->id() == model) {
      CalibrateModel(plan, Level::kNetwork, {}, all, &watch, &calibration);
    }
  }
  *processor_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return calibration;
}

TEST(CalibrateTest, SevenTimesAsManyCostAboutAsMuch) {
  double few_s = 0, many_s = 0;
  CalibrateOne("hockney", ManyPingPongs(570), &few_s);
  const Calibration many = CalibrateOne("hockney", ManyPingPongs(4000), &many_s);
  EXPECT_LT(many_s, 3 * few_s);

  ASSERT_EQ(many.fits.size(), 1U);
  ASSERT_EQ(many.fits[0].breakpoints_bytes.size(), 1U);
  // One of 64 groups of sizes spans a factor of 2^(20 / 64) = 1.24.
  EXPECT_NEAR(std::log2(many.fits[0].breakpoints_bytes[0] / kBorderBytes), 0, 20.0 / 64);
  const double border = many.fits[0].breakpoints_bytes[0];
  const auto value = [&](const std::string& name, double above) {
    for (const domain::Parameter& one : many.profile.parameters) {
      if (one.name == name && one.above == above) return one.value;
    }
    return std::nan("");
  };
  EXPECT_NEAR(value("alpha", 0), 2e-6, 0.02 * 2e-6);
  EXPECT_NEAR(value("beta", 0), 1e-9, 0.02 * 1e-9);
  EXPECT_NEAR(value("alpha", border), 2e-5, 0.05 * 2e-5);
  EXPECT_NEAR(value("beta", border), 2e-10, 0.02 * 2e-10);
}

// Both of BSP's parameters are required, so there is nothing to start from several limits.
TEST(CalibrateTest, EqualStartsAreTriedOnce) {
  double hockney_s = 0, bsp_s = 0;
  const std::vector<Sample> samples = ManyPingPongs(300);
  CalibrateOne("hockney", samples, &hockney_s);
  CalibrateOne("bsp", samples, &bsp_s);
  EXPECT_LT(bsp_s, 5 * hockney_s);
}

TEST(CalibrateTest, ACallerWhoIsGoneEndsTheCalibration) {
  const std::vector<Sample> samples = ManyPingPongs(60);
  int questions = 0;
  const auto stays = [&] {
    ++questions;
    return false;
  };
  ASSERT_TRUE(Calibrate(samples, {}, stays).ok());
  ASSERT_GT(questions, 100);
  for (const int last : {1, questions / 2, questions}) {
    int asked = 0;
    const auto goes = [&] { return ++asked >= last; };
    EXPECT_EQ(Calibrate(samples, {}, goes).status().code(), absl::StatusCode::kCancelled) << last;
    EXPECT_EQ(asked, last);
  }
}

}  // namespace
}  // namespace cox::learn
