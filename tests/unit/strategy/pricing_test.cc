// Properties of every strategy under every model, at every number of ranks. Prices are finite, not
// negative and the sum of their terms. They grow with bytes and with each time among the
// parameters, and equal the prices of the messages themselves.
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/shape.h"
#include "gtest/gtest.h"
#include "model/model.h"
#include "rank_counts.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::strategy {
namespace {

const domain::Shape& Mesh() {
  static const auto& mesh = *new domain::Shape{domain::Topology::kMesh, {}};
  return mesh;
}

// Plausible and distinct: microseconds, nanoseconds per byte, packets of 512 bytes.
std::vector<double> ValuesOf(const model::Model& model) {
  std::vector<double> values;
  for (const model::ParameterSpec& spec : model.parameters()) {
    const double factor = 1 + 0.1 * static_cast<double>(values.size());
    double value = 1;
    if (spec.unit == "s") value = 1e-6 * factor;
    if (spec.unit == "s/byte") value = 1e-9 * factor;
    if (spec.unit == "byte") value = 512;
    if (spec.unit == "0 or 1") value = 0;
    values.push_back(value);
  }
  return values;
}

bool IsTime(const model::ParameterSpec& spec) { return spec.unit == "s" || spec.unit == "s/byte"; }

// A slower sender relieves an overloaded switch.
bool MayFall(const model::Model& model, const model::ParameterSpec& spec) {
  return model.id() == "cluster" && (spec.name == "g_s" || spec.name == "g_s_byte");
}

struct Case {
  Strategy strategy;
  Scenario scenario;
  std::string Describe(const model::Model& model) const {
    return absl::StrCat(FormatStrategy(strategy), " p=", scenario.ranks, " ppn=", scenario.ppn,
                        " bytes=", scenario.block_bytes, " ", model.id());
  }
};

// Every row that applies, a rank on a node of its own and four together.
std::vector<Case> CasesOf(int64_t ranks, int64_t block_bytes) {
  std::vector<Case> cases;
  for (const Algorithm& algorithm : Catalogue()) {
    for (const int64_t ppn : {1, 4}) {
      const Case here{{&algorithm, {}},
                      {.collective = algorithm.collective,
                       .ranks = ranks,
                       .ppn = ppn,
                       .block_bytes = block_bytes,
                       .shape = &Mesh()}};
      if (algorithm.applies(here.scenario, {}).ok()) cases.push_back(here);
    }
  }
  return cases;
}

double Communication(const model::Cost& cost) {
  return cost.TotalSeconds() - cost[model::Term::kCopy] - cost[model::Term::kCompute];
}

class EveryPrice : public ::testing::TestWithParam<int64_t> {};

TEST_P(EveryPrice, IsFiniteAndMadeOfItsTerms) {
  auto& schedule = *new model::Schedule;
  for (const int64_t bytes : {0, 1000}) {
    for (const Case& here : CasesOf(GetParam(), bytes)) {
      Build(here.strategy, here.scenario, &schedule);
      for (const model::Model* model : model::Models()) {
        const model::Cost cost = model->Price(ValuesOf(*model), schedule);
        double sum_s = 0;
        for (const double term_s : cost.terms_s) {
          ASSERT_TRUE(std::isfinite(term_s) && term_s >= 0) << here.Describe(*model);
          sum_s += term_s;
        }
        ASSERT_EQ(sum_s, cost.TotalSeconds());
        // One rank alone communicates nothing; several pay a start-up even without bytes.
        if (GetParam() == 1) {
          ASSERT_EQ(Communication(cost), 0) << here.Describe(*model);
        } else {
          ASSERT_GT(Communication(cost), 0) << here.Describe(*model);
        }
      }
    }
  }
  delete &schedule;
}

TEST_P(EveryPrice, GrowsWithEachTime) {
  auto& schedule = *new model::Schedule;
  for (const Case& here : CasesOf(GetParam(), 3000)) {
    Build(here.strategy, here.scenario, &schedule);
    for (const model::Model* model : model::Models()) {
      std::vector<double> values = ValuesOf(*model);
      const double before_s = model->Price(values, schedule).TotalSeconds();
      for (size_t i = 0; i < values.size(); ++i) {
        const model::ParameterSpec& spec = model->parameters()[i];
        if (!IsTime(spec) || MayFall(*model, spec)) continue;
        const double value = std::exchange(values[i], 1.5 * values[i]);
        ASSERT_GE(model->Price(values, schedule).TotalSeconds(), before_s * (1 - 1e-12))
            << here.Describe(*model) << " " << spec.name;
        values[i] = value;
      }
    }
  }
  delete &schedule;
}

bool Equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), 1e-9); }

// The messages of each repetition of each phase.
using Repetitions = std::map<std::pair<int64_t, int64_t>, std::vector<model::Transfer>>;

Repetitions MessagesOfStrategy(const Case& here) {
  Repetitions repetitions;
  here.strategy.algorithm->enumerate(here.scenario, here.strategy.knobs,
                                     [&](const Message& message) {
                                       repetitions[{message.phase, message.repetition}].push_back(
                                           {message.source, message.destination, message.bytes});
                                     });
  return repetitions;
}

// A strategy costs the same as its messages priced as an arbitrary pattern, one pattern for each
// repetition that is alone in its phase. (A phase of many repetitions holds means; the closed-form
// tests check those.)
TEST_P(EveryPrice, IsThatOfItsMessages) {
  auto& schedule = *new model::Schedule;
  auto& single = *new model::Schedule;
  int compared = 0;
  for (const Case& here : CasesOf(GetParam(), 3000)) {
    Build(here.strategy, here.scenario, &schedule);
    for (const auto& [where, messages] : MessagesOfStrategy(here)) {
      const auto& phase = schedule[static_cast<size_t>(where.first)];
      if (phase.times != 1) continue;
      ++compared;
      const auto pattern = TrafficOf(messages, here.scenario);
      ASSERT_TRUE(pattern.ok()) << pattern.status();
      for (const model::Model* model : model::Models()) {
        const std::vector<double> values = ValuesOf(*model);
        single.Clear(schedule.whole());
        single.Add() = phase;
        const double own_s = model->Price(values, single).TotalSeconds();
        model::Phase as_pattern = phase;
        as_pattern.traffic = pattern->traffic;
        single.Clear(schedule.whole());
        single.Add() = as_pattern;
        ASSERT_TRUE(Equal(model->Price(values, single).TotalSeconds(), own_s))
            << here.Describe(*model) << " phase " << where.first;
      }
    }
  }
  if (GetParam() > 4) {
    EXPECT_GE(compared, 20);
  }
  delete &single;
  delete &schedule;
}

INSTANTIATE_TEST_SUITE_P(UpTo64, EveryPrice, ::testing::ValuesIn(RankCountsUpTo(64)));

}  // namespace
}  // namespace cox::strategy
