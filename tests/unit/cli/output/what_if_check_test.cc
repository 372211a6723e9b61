#include "cli/output/what_if_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"

namespace cox::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::ListModelsResponse ModelsOfRates() {
  v1::ListModelsResponse models;
  const struct {
    const char* model;
    const char* name;
    const char* unit;
  } kRows[] = {{"hockney", "alpha", "s"},
               {"hockney", "beta", "s/byte"},
               {"max-rate", "alpha", "s"},
               {"max-rate", "rate", "byte/s"},
               {"max-rate", "packet", "byte"}};
  for (const auto& row : kRows) {
    if (models.models().empty() || models.models().rbegin()->id() != row.model) {
      models.add_models()->set_id(row.model);
    }
    v1::ParameterSpec& spec = *models.mutable_models()->rbegin()->add_parameters();
    spec.set_name(row.name);
    spec.set_level("node");
    spec.set_unit(row.unit);
  }
  return models;
}

WhatIfOptions OptionsOf(const std::vector<const char*>& texts) {
  WhatIfOptions options;
  for (const char* text : texts) {
    EXPECT_TRUE(AddWhatIf(text, options).ok()) << text;
  }
  return options;
}

TEST(CheckUnits, AValueInAnotherUnitIsRefused) {
  const struct {
    const char* text;
    const char* message;
  } kRows[] = {
      {"max-rate.node.alpha=1MB",
       "--what-if: max-rate.node.alpha is in 's', not in 'byte': write for example "
       "max-rate.node.alpha=1us"},
      {"alpha=4KiB", "not in 'byte'"},
      {"alpha=1ns/B", "is in 's', not in 's/byte'"},
      {"hockney.beta=8B", "hockney.beta=1ns/B"},
      {"hockney.beta=1us", "is in 's/byte', not in 's'"},
      {"max-rate.rate=1us", "max-rate.rate=8"},
      {"packet=1us", "is in 'byte', not in 's': write for example packet=4KiB"},
  };
  for (const auto& row : kRows) {
    const absl::Status status = CheckUnits(ModelsOfRates(), OptionsOf({row.text}));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message)) << row.text;
  }
  for (const char* text : {"max-rate.node.rate=1GiB", "alpha=1us", "beta=1ns/B", "alpha=5",
                           "alpha*8", "nosuch.alpha=1KiB", "packet=1500", "packet=4KiB"}) {
    EXPECT_TRUE(CheckUnits(ModelsOfRates(), OptionsOf({text})).ok()) << text;
  }
}

TEST(IdleChanges, AreThoseOfOtherModels) {
  const WhatIfOptions options =
      OptionsOf({"hockney.node.alpha=1us", "alpha*2", "beta=1ns/B", "max-rate.rate=1"});
  EXPECT_THAT(IdleChanges(ModelsOfRates(), options, {"max-rate"}),
              ElementsAre("note: --what-if hockney.node.alpha changes nothing here: the answer is "
                          "of model max-rate; add --model hockney",
                          HasSubstr("--what-if beta changes nothing")));
  EXPECT_THAT(IdleChanges(ModelsOfRates(), options, {"hockney", "max-rate"}), IsEmpty());
  EXPECT_THAT(IdleChanges(ModelsOfRates(), options, {}), IsEmpty()) << "there is no answer";
}

}  // namespace
}  // namespace cox::cli
