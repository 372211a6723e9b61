#include "advise/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "advise/predict.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "every_model.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ValueOf(const MachineView& machine, const char* model, domain::Level level,
               const char* name) {
  const domain::Parameter* parameter = machine.profile.Find(model, level, name);
  return parameter == nullptr ? std::nan("") : parameter->value;
}

double PriceOf(const MachineView& machine) {
  strategy::Scenario scenario;
  scenario.ranks = 64;
  scenario.ppn = 4;
  scenario.block_bytes = 100;
  return Predict(machine, scenario, "alltoall/pairwise", "hockney")->front().cost.TotalSeconds();
}

TEST(WhatIfTest, WithoutChangesItIsTheSameMachine) {
  const MachinePointer machine = MachineWith({});
  EXPECT_EQ(*WithChanges(machine, {}), machine);
}

TEST(WhatIfTest, AFactorAndAValueChangeThePrice) {
  const MachinePointer machine = MachineWith({});
  const auto faster = WithChanges(machine, {{"hockney.network.alpha", Change::Kind::kFactor, 0.1}});
  ASSERT_TRUE(faster.ok()) << faster.status();
  EXPECT_DOUBLE_EQ(ValueOf(**faster, "hockney", domain::Level::kNetwork, "alpha"), 3e-7);
  EXPECT_DOUBLE_EQ(ValueOf(**faster, "hockney", domain::Level::kNode, "alpha"), 5e-7);
  EXPECT_LT(PriceOf(**faster), PriceOf(*machine));
  EXPECT_EQ((*faster)->model, machine->model);
  const auto same = WithChanges(machine, {{"hockney.network.alpha", Change::Kind::kValue, 3e-6}});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(PriceOf(**same), PriceOf(*machine));
}

TEST(WhatIfTest, ShortNamesChangeAllThatTheProfileHas) {
  const MachinePointer machine = MachineWith({});
  for (const char* name : {"alpha", "hockney.alpha"}) {
    const auto changed = WithChanges(machine, {{name, Change::Kind::kValue, 1e-3}});
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(ValueOf(**changed, "hockney", domain::Level::kNetwork, "alpha"), 1e-3);
    EXPECT_EQ(ValueOf(**changed, "hockney", domain::Level::kNode, "alpha"), 1e-3);
    EXPECT_EQ((*changed)->profile.parameters.size(), machine->profile.parameters.size());
  }
}

TEST(WhatIfTest, AValueMayComeInThePlaceOfNone) {
  const MachinePointer machine = MachineWith({});
  const auto changed = WithChanges(machine, {{"bpram.ell", Change::Kind::kValue, 1e-3},
                                             {"bpram.sigma", Change::Kind::kValue, 1e-9}});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(ModelFor(**changed, "bpram").ok());
  EXPECT_FALSE(ModelFor(*machine, "bpram").ok());
  // Where no model was selected, the first that can now be priced is selected.
  const auto from_nothing = WithChanges(
      MachineWith({}, {}),
      {{"bpram.ell", Change::Kind::kValue, 1e-3}, {"bpram.sigma", Change::Kind::kValue, 1e-9}});
  ASSERT_TRUE(from_nothing.ok()) << from_nothing.status();
  ASSERT_NE((*from_nothing)->model, nullptr);
  EXPECT_EQ((*from_nothing)->model->id(), "bpram");
}

TEST(WhatIfTest, PiecesAreMultipliedOrReplaced) {
  domain::Profile profile = KnownProfile();
  domain::Parameter piece = learn::MakeParameter("hockney", domain::Level::kNetwork, "alpha", 9e-6);
  piece.above = 1000;
  profile.Set(piece);
  const MachinePointer machine = MachineWith({}, profile);
  const auto multiplied =
      WithChanges(machine, {{"hockney.network.alpha", Change::Kind::kFactor, 2}});
  ASSERT_TRUE(multiplied.ok());
  ASSERT_EQ((*multiplied)->model_values->pieces.size(), 1U);
  EXPECT_DOUBLE_EQ((*multiplied)->model_values->pieces[0].value, 18e-6);
  const auto replaced = WithChanges(machine, {{"hockney.network.alpha", Change::Kind::kValue, 2}});
  ASSERT_TRUE(replaced.ok());
  EXPECT_TRUE((*replaced)->model_values->pieces.empty());
}

TEST(WhatIfTest, WhatIsWrongIsNamed) {
  const MachinePointer machine = MachineWith({});
  const struct {
    Change change;
    const char* field;
    const char* says;
  } cases[] = {
      {{"hockney.network.omega", Change::Kind::kValue, 1},
       "what_if[1].parameter",
       "hockney.network.alpha"},
      {{"omega", Change::Kind::kValue, 1}, "what_if[1].parameter", "hockney.node.beta"},
      {{"nothing.alpha", Change::Kind::kValue, 1}, "what_if[1].parameter", "hockney, max-rate"},
      {{"", Change::Kind::kValue, 1}, "what_if[1].parameter", "\"\""},
      {{"a.b.c.d", Change::Kind::kValue, 1}, "what_if[1].parameter", "model.level.name"},
      {{"c3.s", Change::Kind::kFactor, 2}, "what_if[1].parameter", "give a value"},
      {{"alpha", Change::Kind::kValue, std::nan("")}, "what_if[1].value", "finite"},
      {{"alpha", Change::Kind::kValue, -1}, "what_if[1].value", ">= 0"},
      {{"c3.l", Change::Kind::kValue, 0.5}, "what_if[1].value", "less than 1"},
      {{"postal.packet", Change::Kind::kValue, 0.5}, "what_if[1].value", "less than 1"},
      {{"c3.blocking", Change::Kind::kValue, 0.5}, "what_if[1].value", "not 0 or 1"},
      {{"half_duplex", Change::Kind::kValue, 2}, "what_if[1].value", "not 0 or 1"},
      {{"hockney.alpha", Change::Kind::kValue, 1e308}, "what_if", "larger than a double"},
      {{"hockney.network.beta", Change::Kind::kFactor, 1e300}, "what_if", "larger than a double"},
      {{"alpha", Change::Kind::kFactor, kInfinity}, "what_if[1].factor", "finite"},
  };
  for (const auto& [change, field, says] : cases) {
    const absl::Status status =
        WithChanges(machine, {{"beta", Change::Kind::kFactor, 1}, change}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(domain::FieldOf(status), field) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
  // Far beyond any machine, but a time.
  EXPECT_TRUE(WithChanges(machine, {{"alpha", Change::Kind::kFactor, 1e100}}).ok());
  const Change huge{"alpha", Change::Kind::kFactor, 1e200};
  EXPECT_EQ(domain::FieldOf(WithChanges(machine, {huge, huge}).status()), "what_if[1].factor");
  EXPECT_EQ(domain::FieldOf(WithChanges(machine, std::vector<Change>(65, huge)).status()),
            "what_if");
}

}  // namespace
}  // namespace cox::advise
