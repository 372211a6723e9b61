#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model/model.h"
#include "model/schedule.h"

namespace cox::model {
namespace {

// One message between nodes and one inside a node, by different ranks unless `same_rank`.
Phase MixedPhase(double bytes, bool same_rank) {
  Phase phase;
  for (LevelTraffic* level : {&phase.traffic.node, &phase.traffic.network}) {
    level->sends_count = level->receives_count = 1;
    level->out_bytes = level->in_bytes = level->max_message_bytes = bytes;
    level->pairs_count = level->messages_count = 1;
    level->volume_bytes = bytes;
  }
  phase.traffic.network.node_out_bytes = phase.traffic.network.node_in_bytes = 4 * bytes;
  const double count = same_rank ? 2 : 1;
  phase.traffic.any = {count, count, count * bytes, count * bytes, bytes};
  phase.work = {3 * bytes, 2 * bytes};
  return phase;
}

// Schedules of every kind that matters: levels alone and together, many messages, many repetitions.
std::vector<Schedule> Schedules(double bytes) {
  std::vector<Schedule> schedules;
  for (double times : {1.0, 7.0}) {
    for (bool same_rank : {false, true}) {
      Schedule& schedule = schedules.emplace_back();
      schedule.Add() = MixedPhase(bytes, same_rank);
      Phase& many = schedule.Add();
      many = MixedPhase(bytes, same_rank);
      many.times = times;
      many.traffic.network.sends_count = many.traffic.any.sends_count = 9;
      many.traffic.network.out_bytes = many.traffic.any.out_bytes = 9 * bytes;
    }
  }
  return schedules;
}

double ScaleOf(absl::string_view unit) {
  if (unit == "s") return 1e-6;
  if (unit == "s/byte") return 1e-10;
  if (unit == "byte") return 100;
  return unit == "0 or 1" ? 0 : 1;
}

// Distinct values of plausible size: times per message in microseconds, times per byte below.
std::vector<double> DistinctValues(const Model& model) {
  std::vector<double> values;
  for (const ParameterSpec& spec : model.parameters()) {
    values.push_back(ScaleOf(spec.unit) * (1.0 + 0.37 * static_cast<double>(values.size())));
  }
  return values;
}

bool IsTime(const ParameterSpec& spec) { return spec.unit == "s" || spec.unit == "s/byte"; }

// The same with times at nothing.
std::vector<double> ZeroTimes(const Model& model) {
  std::vector<double> values = DistinctValues(model);
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsTime(model.parameters()[i])) values[i] = 0;
  }
  return values;
}

// A what-if may make alpha and beta less than the parts in which the processor is busy.
TEST(Hockney, TheProcessorIsNotBusyLongerThanTheMessageTakes) {
  const Model& hockney = **FindModel("hockney");
  std::vector<double> values = DistinctValues(hockney);
  for (size_t i = 0; i < values.size(); ++i) {
    const absl::string_view name = hockney.parameters()[i].name;
    if (name == "alpha_cpu" || name == "beta_cpu") values[i] *= 1000;
  }
  Schedule schedule;
  schedule.Add() = MixedPhase(4000, true);
  const Cost cost = hockney.Price(values, schedule);
  EXPECT_DOUBLE_EQ(cost.cpu_s, cost[Term::kStartup] + cost[Term::kBandwidth]);
}

// A scan from rank to rank: its steps are alike, but at most two of the 16 ranks take part in one.
TEST(Cluster, StepsOfARelayCostTheSameOneByOne) {
  const Model& cluster = **FindModel("cluster");
  Phase step;
  LevelTraffic& network = step.traffic.network;
  network.sends_count = network.receives_count = 1;
  network.out_bytes = network.in_bytes = network.max_message_bytes = 1500;
  network.pairs_count = network.messages_count = 1;
  network.volume_bytes = 1500;
  step.traffic.any = network;
  step.traffic.disjoint = true;
  Schedule together;
  together.Clear({16, 8, 1});
  Schedule one_by_one = together;
  for (int i = 0; i < 15; ++i) one_by_one.Add() = step;
  step.times = 15;
  together.Add() = step;
  const std::vector<double> values = DistinctValues(cluster);
  EXPECT_NEAR(cluster.Price(values, together).TotalSeconds() /
                  cluster.Price(values, one_by_one).TotalSeconds(),
              1, 1e-12);
}

// A receiver's gap of twice the sender's, and a buffer of 32 packets: floor(1/2 + 32 / i) senders
// of i packets lose nothing (Tam and Wang, Eq. (6)). Of 65 packets not even one.
TEST(Cluster, EvenOneSenderMayOverrunTheSwitch) {
  const Model& cluster = **FindModel("cluster");
  std::vector<double> values;
  for (const ParameterSpec& spec : cluster.parameters()) {
    values.push_back(spec.name == "g_s"      ? 1e-4
                     : spec.name == "g_r"    ? 2e-4
                     : spec.name == "B_L"    ? 32
                     : spec.name == "packet" ? 1500
                                             : 0);
  }
  const auto caveat_of = [&](double senders, double packets) {
    Phase phase;
    LevelTraffic& network = phase.traffic.network;
    network.sends_count = 1;
    network.receives_count = network.pairs_count = network.messages_count = senders;
    network.out_bytes = network.max_message_bytes = 1500 * packets;
    network.in_bytes = network.volume_bytes = senders * 1500 * packets;
    phase.traffic.any = network;
    Schedule schedule;
    schedule.Clear({16, 8, 1});
    schedule.Add() = phase;
    return cluster.Caveat(values, schedule);
  };
  const std::string even_one =
      "even one sender overruns the switch's buffer: packets are lost and sent again";
  EXPECT_EQ(caveat_of(1, 64).find("overrun"), std::string::npos);
  EXPECT_EQ(caveat_of(1, 65), even_one);
  EXPECT_EQ(caveat_of(5, 65), even_one);
  EXPECT_NE(caveat_of(5, 10).find("more than 3 overrun"), std::string::npos) << caveat_of(5, 10);
}

class EveryModel : public ::testing::TestWithParam<const Model*> {
 protected:
  const Model& model() const { return *GetParam(); }
  double Seconds(const std::vector<double>& values, const Schedule& schedule) const {
    return model().Price(values, schedule).TotalSeconds();
  }
};

TEST_P(EveryModel, SaysWhatItIs) {
  EXPECT_FALSE(model().id().empty());
  EXPECT_FALSE(model().description().empty());
  EXPECT_FALSE(model().source().empty());
  EXPECT_FALSE(model().sees().empty());
  EXPECT_FALSE(model().blind_to().empty());
  EXPECT_LE(model().parameters().size(), kMaxParameters);
  std::set<std::string> names;
  for (const ParameterSpec& spec : model().parameters()) {
    EXPECT_TRUE(
        names.insert(std::to_string(static_cast<int>(spec.level)) + std::string(spec.name)).second)
        << spec.name;
    // Times are fitted; sizes, counts and switches are stated.
    EXPECT_TRUE(spec.stated || IsTime(spec)) << spec.unit;
    EXPECT_FALSE(spec.description.empty());
  }
  ASSERT_TRUE(FindModel(model().id()).ok());
  EXPECT_EQ(*FindModel(model().id()), &model());
}

TEST_P(EveryModel, ChargesNothingForNothing) {
  const std::vector<double> values = DistinctValues(model());
  Schedule schedule;
  EXPECT_EQ(Seconds(values, schedule), 0);
  schedule.Add();
  EXPECT_EQ(Seconds(values, schedule), 0) << "a phase without messages or work";
}

TEST_P(EveryModel, ChargesZeroBytesTheStartUp) {
  const std::vector<double> values = DistinctValues(model());
  for (const Schedule& schedule : Schedules(0)) EXPECT_GT(Seconds(values, schedule), 0);
}

TEST_P(EveryModel, TermsAreNotNegativeAndAddUp) {
  const std::vector<double> values = DistinctValues(model());
  for (double bytes : {0.0, 1.0, 1e4, 1e9}) {
    for (const Schedule& schedule : Schedules(bytes)) {
      const Cost cost = model().Price(values, schedule);
      double sum_s = 0;
      for (double term_s : cost.terms_s) {
        EXPECT_GE(term_s, 0);
        sum_s += term_s;
      }
      EXPECT_EQ(sum_s, cost.TotalSeconds());
    }
  }
}

TEST_P(EveryModel, IsMonotoneInBytes) {
  const std::vector<double> values = DistinctValues(model());
  double last_s = 0;
  for (double bytes = 1; bytes < 1e12; bytes *= 3) {
    const double here_s = Seconds(values, Schedules(bytes).back());
    EXPECT_GE(here_s, last_s) << bytes;
    last_s = here_s;
  }
}

TEST_P(EveryModel, StaysFiniteForTheLargestMessages) {
  const std::vector<double> values = DistinctValues(model());
  for (const Schedule& schedule : Schedules(std::ldexp(1.0, 62) * 2147483647.0)) {
    EXPECT_TRUE(std::isfinite(Seconds(values, schedule)));
  }
}

TEST_P(EveryModel, PricesZeroParametersAtZero) {
  const std::vector<double> zeros = ZeroTimes(model());
  std::vector<double> gradient(zeros.size());
  for (double bytes : {0.0, 1e6}) {
    for (const Schedule& schedule : Schedules(bytes)) {
      EXPECT_EQ(Seconds(zeros, schedule), 0);
      model().Coefficients(zeros, schedule, absl::MakeSpan(gradient));
      for (double slope : gradient) EXPECT_TRUE(std::isfinite(slope));
    }
  }
}

TEST_P(EveryModel, CoefficientsAreTheGradient) {
  const std::vector<double> values = DistinctValues(model());
  for (double bytes : {0.0, 100.0, 1e6}) {
    for (const Schedule& schedule : Schedules(bytes)) {
      std::vector<double> gradient(values.size());
      model().Coefficients(values, schedule, absl::MakeSpan(gradient));
      for (size_t i = 0; i < values.size(); ++i) {
        if (!IsTime(model().parameters()[i])) {
          EXPECT_EQ(gradient[i], 0) << model().parameters()[i].name;
          continue;
        }
        std::vector<double> up = values;
        std::vector<double> down = values;
        const double step = values[i] * 1e-5;
        up[i] += step;
        down[i] -= step;
        const double slope = (Seconds(up, schedule) - Seconds(down, schedule)) / (2 * step);
        EXPECT_NEAR(gradient[i], slope, 1e-4 * std::max(std::abs(slope), 1e-3 * gradient[i]) + 1e-6)
            << model().parameters()[i].name << " at " << bytes << " bytes";
      }
    }
  }
}

// Scaling every time scales the price, so the gradient times the values is the price itself:
// for linear models this is the design row that calibration uses, for the others Euler's theorem.
TEST_P(EveryModel, CoefficientsTimesValuesIsThePrice) {
  const std::vector<double> values = DistinctValues(model());
  for (double bytes : {0.0, 1000.0, 1e7}) {
    for (const Schedule& schedule : Schedules(bytes)) {
      std::vector<double> gradient(values.size());
      model().Coefficients(values, schedule, absl::MakeSpan(gradient));
      double sum_s = 0;
      for (size_t i = 0; i < values.size(); ++i) sum_s += gradient[i] * values[i];
      EXPECT_NEAR(sum_s, Seconds(values, schedule), 1e-12 * sum_s);
    }
  }
}

TEST_P(EveryModel, ChargesRepetitionsOneByOne) {
  const std::vector<double> values = DistinctValues(model());
  Schedule once;
  once.Add() = MixedPhase(500, false);
  Schedule often;
  often.Add() = MixedPhase(500, false);
  often.Add() = MixedPhase(500, false);
  Schedule repeated;
  Phase& phase = repeated.Add();
  phase = MixedPhase(500, false);
  phase.times = 2;
  EXPECT_DOUBLE_EQ(Seconds(values, often), 2 * Seconds(values, once));
  EXPECT_DOUBLE_EQ(Seconds(values, repeated), Seconds(values, often));
}

TEST_P(EveryModel, ChargesABusiestRankOnce) {
  const std::vector<double> values = DistinctValues(model());
  Schedule apart;
  apart.Add() = MixedPhase(1000, false);
  Schedule same_rank;
  same_rank.Add() = MixedPhase(1000, true);
  // Two ranks with a message each work at the same time; one rank with two does not.
  EXPECT_LT(Seconds(values, apart), Seconds(values, same_rank));
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel, ::testing::ValuesIn(Models().begin(), Models().end()),
                         [](const auto& info) {
                           std::string name(info.param->id());
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FindModel, NamesTheKnownOnesForAnUnknown) {
  const auto missing = FindModel("hokney");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  for (const Model* model : Models()) {
    EXPECT_NE(missing.status().message().find(model->id()), absl::string_view::npos);
  }
}

TEST(LinearModels, HaveConstantCoefficients) {
  int linear_count = 0;
  for (const Model* model : Models()) {
    if (!model->linear()) continue;
    ++linear_count;
    const std::vector<double> values = DistinctValues(*model);
    const std::vector<double> zeros = ZeroTimes(*model);
    std::vector<double> here(values.size());
    std::vector<double> at_zero(values.size());
    for (const Schedule& schedule : Schedules(1e5)) {
      model->Coefficients(values, schedule, absl::MakeSpan(here));
      model->Coefficients(zeros, schedule, absl::MakeSpan(at_zero));
      EXPECT_EQ(here, at_zero);
    }
  }
  EXPECT_GT(linear_count, 0);
}

TEST(MaxRate, IsHockneyWithoutAnInjectionLimit) {
  const Model& hockney = **FindModel("hockney");
  const Model& max_rate = **FindModel("max-rate");
  const std::vector<double> of_hockney = {1e-6, 2e-10, 3e-6, 4e-10, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> of_max_rate = {1e-6, 2e-10, 3e-6, 4e-10, 0, 0, 0, 0};
  for (const Schedule& schedule : Schedules(1e5)) {
    EXPECT_DOUBLE_EQ(hockney.Price(of_hockney, schedule).TotalSeconds(),
                     max_rate.Price(of_max_rate, schedule).TotalSeconds());
  }
}

TEST(Terms, HaveDistinctNames) {
  std::set<std::string> names;
  for (size_t i = 0; i < kTermCount; ++i) {
    names.insert(std::string(TermName(static_cast<Term>(i))));
  }
  EXPECT_EQ(names.size(), kTermCount);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace cox::model
