// Every model's parameters, recovered from samples that were made up with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "domain/level.h"
#include "domain/parameter.h"
#include "learn/calibrate/calibrate.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/sample_kinds.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using domain::Level;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kRanks = 16;

Sample TimedSample(const char* kind, int64_t block_bytes, int64_t ranks, int64_t messages,
                   int64_t senders) {
  Sample sample;
  sample.kind = kind;
  sample.level = Level::kNetwork;
  sample.block_bytes = block_bytes;
  sample.ranks = ranks;
  sample.messages = messages;
  sample.senders = senders;
  return sample;
}

// What cox-bench plans for a job of 16 nodes, about.
std::vector<Sample> Cells() {
  std::vector<Sample> cells;
  for (int64_t bytes = 1; bytes <= 4 << 20; bytes *= 4) {
    for (const int64_t pairs : {1, 2, 4}) {
      cells.push_back(TimedSample("pingpong", bytes, 2 * pairs, 1, pairs));
      cells.back().pairs = pairs;
    }
  }
  for (const int64_t bytes : {4, 8, 128, 1024, 8192, 65536}) {
    for (const int64_t train : {2, 8, 32}) cells.push_back(TimedSample("gap", bytes, 2, train, 1));
    for (const char* kind : {"overhead_send", "overhead_recv", "notice"}) {
      cells.push_back(TimedSample(kind, bytes, 2, 16, 1));
    }
    for (const int64_t senders : {2, 4, 8, 15}) {
      cells.push_back(TimedSample("converge", bytes, senders + 1, 8 * senders, senders));
    }
    for (const int64_t h : {1, 2, 4, 8, 15}) {
      cells.push_back(TimedSample("h_relation", bytes, kRanks, h, kRanks));
      cells.push_back(TimedSample("h_relation", bytes, kRanks, h, kRanks / 2));
    }
    cells.push_back(TimedSample("scatter", bytes, kRanks, kRanks - 1, 1));
    cells.push_back(TimedSample("block_permutation", bytes, kRanks, 1, kRanks));
  }
  for (const int64_t senders : {1, 2, 4, 8, 16}) {
    cells.push_back(TimedSample("permutation", 4, kRanks, 1, senders));
  }
  cells.push_back(TimedSample("barrier", 0, kRanks, 0, 0));
  return cells;
}

// One level's parameters by name; the network's unless it says otherwise.
using Truth = std::map<std::string, double>;

// Times of all cells under a model, several of each, with noise and outliers.
std::vector<Sample> MadeUp(const ModelPlan& plan, const Truth& truth, uint32_t seed) {
  std::vector<double> values;
  for (const model::ParameterSpec& spec : plan.model->parameters()) {
    const auto known = truth.find(std::string(spec.name));
    values.push_back(known != truth.end() && spec.level == Level::kNetwork ? known->second
                                                                           : spec.default_value);
  }
  Noise noise(seed, 0.02, 29);
  auto schedule = std::make_unique<model::Schedule>();
  std::vector<Sample> samples;
  for (const Sample& cell : Cells()) {
    double time_s = 0;
    for (const DirectKind& direct : plan.direct) {
      if (direct.kind != cell.kind) continue;
      time_s = truth.at(std::string(direct.parameter));
      if (!direct.per_byte.empty()) {
        time_s += truth.at(std::string(direct.per_byte)) * static_cast<double>(cell.block_bytes);
      }
    }
    const SampleKind* kind = FindSampleKind(cell.kind);
    if (time_s == 0 && kind->build != nullptr) {
      kind->build(cell, {}, schedule.get());
      time_s = plan.model->Price(values, *schedule).TotalSeconds();
    }
    if (!(time_s > 0)) continue;
    for (int i = 0; i < 4; ++i) {
      samples.push_back(cell);
      samples.back().time_s = noise(time_s);
    }
  }
  return samples;
}

const ModelPlan& PlanOf(const std::string& id) {
  const auto plans = CalibrationPlans();
  return *std::find_if(plans.begin(), plans.end(),
                       [&](const ModelPlan& plan) { return plan.model->id() == id; });
}

struct Case {
  std::string model;
  Truth truth;
  Truth also_set;  // ignored: the true parameters include their cost
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.model; }

class RecoveryTest : public ::testing::TestWithParam<Case> {};

TEST_P(RecoveryTest, FindsTheParameters) {
  const Case& one = GetParam();
  Truth all = one.truth;
  all.insert(one.also_set.begin(), one.also_set.end());
  const auto calibration = Calibrate(MadeUp(PlanOf(one.model), all, 11));
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  for (const auto& [name, value] : one.truth) {
    const domain::Parameter* found = calibration->profile.Find(one.model, Level::kNetwork, name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_NEAR(found->value, value, 0.08 * value + 3 * found->stderr_) << name;
    EXPECT_LT(found->stderr_, 0.5 * value) << name;
  }
  const auto fit = std::find_if(
      calibration->fits.begin(), calibration->fits.end(),
      [&](const ModelFit& fit) { return fit.model == one.model && fit.level == Level::kNetwork; });
  ASSERT_NE(fit, calibration->fits.end());
  EXPECT_LT(fit->median_relative_error, 0.04);
  EXPECT_GT(fit->median_relative_error, 0);
  for (const auto& [name, value] : one.truth) {
    EXPECT_THAT(fit->not_identified, Not(Contains(name)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, RecoveryTest,
    ::testing::Values(
        Case{"hockney", {{"alpha", 5e-6}, {"beta", 1e-9}}, {}},
        Case{"max-rate", {{"alpha", 5e-6}, {"beta", 1e-9}, {"injection", 6e-10}}, {}},
        Case{"logp", {{"L", 4e-6}, {"o", 5e-7}, {"g", 2e-6}}, {{"w", 4096}}},
        Case{"loggp", {{"L", 4e-6}, {"o", 5e-7}, {"g", 2e-6}, {"G", 1e-9}}, {}},
        Case{"postal",
             {{"lambda", 1e-5},
              {"lambda_byte", 2e-9},
              {"g", 2e-6},
              {"g_byte", 1e-9},
              {"packet", 16384}},
             {}},
        Case{"bsp", {{"g", 2e-9}, {"L", 4e-5}}, {}},
        Case{"e-bsp", {{"g", 2e-9}, {"L", 4e-5}, {"g_scatter", 1e-9}, {"L_scatter", 3e-5}}, {}},
        Case{"mp-bsp", {{"g", 4e-7}, {"L", 1e-5}}, {}},
        Case{"mp-e-bsp", {{"active", 2e-6}, {"root", 1e-5}, {"base", 2e-5}}, {}},
        Case{"bpram", {{"sigma", 2e-9}, {"ell", 1e-5}}, {}},
        Case{"bpram-1port", {{"sigma", 2e-9}, {"ell", 1e-5}}, {}},
        Case{"c3", {{"unit_time", 1e-6}, {"l", 1024}, {"s", 16}}, {}},
        Case{"hyperbolic", {{"a", 2e-5}, {"b", 1e-9}}, {}},
        Case{"hyperbolic",
             {{"a", 2e-5}, {"b", 1e-9}, {"a_channel", 1e-5}, {"b_channel", 8e-10}},
             {}},
        Case{"cluster",
             {{"O_s", 2e-6}, {"g_s", 6e-6}, {"g_r", 4e-6}, {"O_r", 3e-6}, {"U_r", 1e-6}},
             {{"O_s_byte", 2e-11},
              {"g_s_byte", 1e-9},
              {"g_r_byte", 1e-9},
              {"L", 2e-5},
              {"L_byte", 1e-9},
              {"O_r_byte", 4e-11},
              {"packet", 65536}}}),
    [](const auto& info) {
      std::string name = info.param.model + "_" + std::to_string(info.index);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(CalibrateModelsTest, PingPongsAloneSayWhatTheyCannotShow) {
  std::vector<Sample> samples;
  for (const Sample& sample :
       MadeUp(PlanOf("loggp"), {{"L", 4e-6}, {"o", 5e-7}, {"g", 2e-6}, {"G", 1e-9}}, 3)) {
    if (sample.kind == "pingpong") samples.push_back(sample);
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  for (const char* warning :
       {"bsp at level network: no h_relation, barrier was measured",
        "mp-e-bsp at level network: no permutation was measured",
        "logp at level network: these samples do not show g, without which it cannot be priced",
        "loggp at level network: these samples do not tell L from o"}) {
    EXPECT_THAT(calibration->warnings, Contains(HasSubstr(warning)));
  }
}

TEST(CalibrateModelsTest, AGapThatHidesIsBounded) {
  const auto calibration =
      Calibrate(MadeUp(PlanOf("logp"), {{"L", 4e-6}, {"o", 2e-6}, {"g", 1e-7}, {"w", 4096}}, 5));
  ASSERT_TRUE(calibration.ok());
  const domain::Parameter* gap = calibration->profile.Find("logp", Level::kNetwork, "g");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->relation, "<=");
  EXPECT_GT(gap->value, 1e-7);
  EXPECT_LT(gap->value, 1e-5);
  EXPECT_THAT(calibration->warnings, Contains(HasSubstr("only bounded")));
}

TEST(CalibrateModelsTest, FindsWhereTheProtocolChanges) {
  Noise noise(7, 0.03, 23);
  std::vector<Sample> samples;
  for (int64_t bytes = 1; bytes <= 4 << 20; bytes *= 2) {
    const auto size = static_cast<double>(bytes);
    const double time_s = bytes <= 8192 ? 2e-6 + 8e-10 * size : 9e-6 + 1e-10 * size;
    for (int i = 0; i < 4; ++i) {
      samples.push_back(TimedSample("pingpong", bytes, 2, 1, 1));
      samples.back().time_s = noise(time_s);
    }
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  const ModelFit& fit = calibration->fits.front();
  ASSERT_EQ(fit.model, "hockney");
  EXPECT_THAT(fit.breakpoints_bytes, ::testing::ElementsAre(8192.0));
  EXPECT_LT(fit.median_relative_error, 0.06);
  double above = 0;
  for (const domain::Parameter& parameter : calibration->profile.parameters) {
    if (parameter.model == "hockney" && parameter.level == Level::kNetwork &&
        parameter.name == "beta" && parameter.above > 0) {
      above = parameter.value;
    }
  }
  EXPECT_NEAR(above, 1e-10, 1e-11);
}

TEST(CalibrateModelsTest, LocalWorkIsOfAllModels) {
  std::vector<Sample> samples;
  for (int64_t bytes = 1024; bytes <= 1 << 22; bytes *= 4) {
    for (const auto& [kind, per_byte] : {std::pair("copy", 1e-10), std::pair("reduce", 3e-10)}) {
      samples.push_back(TimedSample(kind, bytes, 1, 1, 1));
      samples.back().level = Level::kSelf;
      samples.back().time_s = per_byte * static_cast<double>(bytes);
    }
  }
  const auto calibration = Calibrate(samples);
  ASSERT_TRUE(calibration.ok());
  for (const char* model : {"hockney", "bsp", "cluster"}) {
    const domain::Parameter* copy = calibration->profile.Find(model, Level::kSelf, "copy");
    const domain::Parameter* reduce = calibration->profile.Find(model, Level::kSelf, "reduce");
    ASSERT_TRUE(copy != nullptr && reduce != nullptr) << model;
    EXPECT_NEAR(copy->value, 1e-10, 1e-14);
    EXPECT_NEAR(reduce->value, 3e-10, 1e-14);
  }
}

}  // namespace
}  // namespace cox::learn
