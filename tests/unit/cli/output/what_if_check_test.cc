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
               {"max-rate", "rate", "byte/s"}};
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
    bool is_size = false;
    const auto change = ParseWhatIf(text, &is_size);
    EXPECT_TRUE(change.ok()) << text;
    options.changes.push_back(*change);
    if (is_size) options.sizes.insert(change->parameter());
  }
  return options;
}

TEST(CheckSizes, ASizeIsNoTime) {
  for (const char* text : {"max-rate.node.alpha=1MB", "alpha=4KiB", "hockney.beta=8B"}) {
    const absl::Status status = CheckSizes(ModelsOfRates(), OptionsOf({text}));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("not in bytes")) << text;
  }
  for (const char* text :
       {"max-rate.node.rate=1GiB", "alpha=1us", "alpha=5", "alpha*8", "nosuch.alpha=1KiB"}) {
    EXPECT_TRUE(CheckSizes(ModelsOfRates(), OptionsOf({text})).ok()) << text;
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
