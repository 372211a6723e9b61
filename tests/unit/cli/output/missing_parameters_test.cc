#include "cli/output/missing_parameters.h"

#include <gtest/gtest.h>

namespace cox::cli {
namespace {

v1::ListModelsResponse TwoModels() {
  v1::ListModelsResponse models;
  for (const char* id : {"hockney", "postal"}) {
    v1::Model& model = *models.add_models();
    model.set_id(id);
    for (const char* level : {"node", "network"}) {
      v1::ParameterSpec& spec = *model.add_parameters();
      spec.set_name("alpha");
      spec.set_level(level);
      spec.set_required(true);
    }
    v1::ParameterSpec& spec = *model.add_parameters();
    spec.set_name("alpha_cpu");
    spec.set_level("network");
  }
  return models;
}

void AddTo(v1::Profile& profile, const char* model, const char* level, double above = 0) {
  v1::Parameter& parameter = *profile.add_parameters();
  parameter.set_model(model);
  parameter.set_level(level);
  parameter.set_name("alpha");
  parameter.set_above(above);
}

TEST(MissingParameters, NamesWhatTheNearestModelLacks) {
  v1::Profile profile;
  AddTo(profile, "hockney", "network");
  EXPECT_EQ(MissingParameters(TwoModels(), profile), "hockney needs node.alpha");
  AddTo(profile, "hockney", "node", 1024);
  EXPECT_EQ(MissingParameters(TwoModels(), profile), "hockney needs node.alpha")
      << "a later piece holds only above its border";
  AddTo(profile, "postal", "node");
  AddTo(profile, "postal", "network");
  EXPECT_EQ(MissingParameters(TwoModels(), profile), "") << "one model is enough";
}

TEST(MissingParameters, ListsAllThatAreMissing) {
  v1::Profile profile;
  AddTo(profile, "postal", "network", 8);
  EXPECT_EQ(MissingParameters(TwoModels(), profile), "postal needs node.alpha, network.alpha");
}

}  // namespace
}  // namespace cox::cli
