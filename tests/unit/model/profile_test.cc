#include "domain/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/errors.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "gtest/gtest.h"
#include "model/models/socket_level.h"
#include "model/profile.h"
#include "model/schedule.h"

namespace cox::model {
namespace {

domain::Parameter Hockney(domain::Level level, const char* name, double value) {
  return {"hockney", level, name, value, 0, "test"};
}

domain::Profile CompleteHockney() {
  domain::Profile profile;
  profile.Set(Hockney(domain::Level::kNode, "alpha", 1e-6));
  profile.Set(Hockney(domain::Level::kNode, "beta", 1e-10));
  profile.Set(Hockney(domain::Level::kNetwork, "alpha", 3e-6));
  profile.Set(Hockney(domain::Level::kNetwork, "beta", 5e-10));
  return profile;
}

TEST(Profile, SetReplacesTheSameParameterOnly) {
  domain::Profile profile = CompleteHockney();
  profile.Set(Hockney(domain::Level::kNode, "alpha", 7e-6));
  EXPECT_EQ(profile.parameters.size(), 4U);
  EXPECT_EQ(profile.Find("hockney", domain::Level::kNode, "alpha")->value, 7e-6);
  EXPECT_EQ(profile.Find("hockney", domain::Level::kNetwork, "alpha")->value, 3e-6);
  EXPECT_EQ(profile.Find("loggp", domain::Level::kNode, "alpha"), nullptr);
}

TEST(ValuesFor, GivesTheModelsOrderWithDefaults) {
  const Model& model = **FindModel("hockney");
  const auto values = ValuesFor(model, CompleteHockney());
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->base,
            (std::vector<double>{1e-6, 1e-10, 3e-6, 5e-10, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(values->pieces.empty());
}

TEST(ValuesFor, TakesPiecesInOrder) {
  domain::Profile profile = CompleteHockney();
  domain::Parameter piece = {"hockney", domain::Level::kNetwork, "alpha", 9e-6, 0, "rendezvous",
                             65536};
  profile.Set(piece);
  piece.value = 5e-6;
  piece.above = 4096;
  profile.Set(piece);
  const auto owned = ValuesFor(**FindModel("hockney"), profile);
  ASSERT_TRUE(owned.ok()) << owned.status();
  const Values values = *owned;
  constexpr size_t kNetworkAlpha = 2;
  EXPECT_EQ(values.At(kNetworkAlpha, 0), 3e-6);
  EXPECT_EQ(values.At(kNetworkAlpha, 4096), 3e-6) << "the border belongs to the piece below";
  EXPECT_EQ(values.At(kNetworkAlpha, 4097), 5e-6);
  EXPECT_EQ(values.At(kNetworkAlpha, 65536), 5e-6);
  EXPECT_EQ(values.At(kNetworkAlpha, 1e12), 9e-6);
  EXPECT_EQ(values.At(kNetworkAlpha + 1, 1e12), 5e-10) << "another parameter";
}

TEST(ValuesFor, NamesWhatIsMissing) {
  domain::Profile profile = CompleteHockney();
  profile.parameters.pop_back();
  const auto values = ValuesFor(**FindModel("hockney"), profile);
  EXPECT_EQ(values.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(values.status().message().find("network.beta"), absl::string_view::npos);
}

TEST(ValuesFor, RefusesAnEmptyProfileForEveryModel) {
  for (const Model* model : Models()) {
    EXPECT_EQ(ValuesFor(*model, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(Level, NamesGoBothWays) {
  for (domain::Level level : {domain::Level::kSelf, domain::Level::kNode, domain::Level::kSocket,
                              domain::Level::kNetwork}) {
    ASSERT_TRUE(domain::ParseLevel(domain::LevelName(level)).ok());
    EXPECT_EQ(*domain::ParseLevel(domain::LevelName(level)), level);
  }
  EXPECT_EQ(domain::ParseLevel("switch").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(domain::ParseLevel("").status()), "level");
}

// A start-up between sockets without a time per byte: a byte costs what it costs in a node.
TEST(AtSockets, KeepsTheNodesValueOfWhatNobodyMeasured) {
  const Model& hockney = **FindModel("hockney");
  domain::Profile profile = CompleteHockney();
  profile.Set(Hockney(domain::Level::kSocket, "alpha", 2e-6));
  const auto sockets = AtSockets(hockney, *ValuesFor(hockney, profile));
  ASSERT_TRUE(sockets.has_value());
  EXPECT_EQ(sockets->base[0], 2e-6);
  EXPECT_EQ(sockets->base[1], 1e-10);
}

// The pieces of a parameter take the place of the node's, too.
TEST(AtSockets, PutsTheLevelInThePlaceOfTheNode) {
  const Model& hockney = **FindModel("hockney");
  domain::Profile profile = CompleteHockney();
  const auto set = [&](domain::Level level, const char* name, double value, double above) {
    domain::Parameter parameter;
    parameter.model = "hockney";
    parameter.level = level;
    parameter.name = name;
    parameter.value = value;
    parameter.above = above;
    profile.Set(parameter);
  };
  const auto without = ValuesFor(hockney, profile);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_FALSE(AtSockets(hockney, *without).has_value());
  EXPECT_FALSE(AtSockets(**FindModel("loggp"), ParameterValues{std::vector<double>(20, 1.0), {}})
                   .has_value());

  set(domain::Level::kNode, "alpha", 7, 100);
  set(domain::Level::kSocket, "alpha", 2, 0);
  set(domain::Level::kSocket, "alpha", 3, 500);
  set(domain::Level::kSocket, "beta", 4, 0);
  ASSERT_TRUE(Validate(profile).ok()) << Validate(profile);
  const auto values = ValuesFor(hockney, profile);
  ASSERT_TRUE(values.ok()) << values.status();
  const auto sockets = AtSockets(hockney, *values);
  ASSERT_TRUE(sockets.has_value());
  Schedule schedule;
  schedule.Clear();
  Phase& phase = schedule.Add();
  LevelTraffic& node = phase.traffic.node;
  node.sends_count = node.receives_count = node.messages_count = node.pairs_count = 1;
  for (const auto& [bytes, expected] : {std::pair(200.0, 2.0), std::pair(600.0, 3.0)}) {
    node.out_bytes = node.in_bytes = node.max_message_bytes = node.volume_bytes = bytes;
    phase.traffic.any = node;
    EXPECT_EQ(hockney.Price(*sockets, schedule).TotalSeconds(), expected + 4 * bytes);
    EXPECT_NE(hockney.Price(*values, schedule).TotalSeconds(), expected + 4 * bytes);
  }
}

struct Wrong {
  const char* what;
  domain::Parameter parameter;
  const char* field;
};

class WrongProfile : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongProfile, IsRefusedWithItsField) {
  domain::Profile profile = CompleteHockney();
  profile.parameters.push_back(GetParam().parameter);
  const absl::Status status = Validate(profile);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << GetParam().what;
  EXPECT_EQ(domain::FieldOf(status), GetParam().field);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    All, WrongProfile,
    ::testing::Values(
        Wrong{
            "unknown model", {"logp3", domain::Level::kNode, "L", 1, 0, ""}, "parameters[4].model"},
        Wrong{"unknown name",
              {"hockney", domain::Level::kNode, "gamma", 1, 0, ""},
              "parameters[4].name"},
        Wrong{"wrong level",
              {"hockney", domain::Level::kSelf, "alpha", 1, 0, ""},
              "parameters[4].name"},
        Wrong{"a model without sockets",
              {"loggp", domain::Level::kSocket, "L", 1, 0, ""},
              "parameters[4].name"},
        Wrong{"negative",
              {"hockney", domain::Level::kNode, "alpha", -1e-9, 0, ""},
              "parameters[4].value"},
        Wrong{
            "NaN", {"hockney", domain::Level::kNode, "alpha", kNan, 0, ""}, "parameters[4].value"},
        Wrong{"infinite",
              {"hockney", domain::Level::kNode, "beta", kInfinity, 0, ""},
              "parameters[4].value"},
        Wrong{"pieces of a constant",
              {"loggp", domain::Level::kNode, "L", 1, 0, "", 8},
              "parameters[4].above"},
        Wrong{"NaN argument",
              {"hockney", domain::Level::kNode, "beta", 1, 0, "", kNan},
              "parameters[4].above"},
        Wrong{"twice", {"hockney", domain::Level::kNode, "beta", 1, 0, ""}, "parameters[4].above"},
        Wrong{"unknown relation",
              {"hockney", domain::Level::kNode, "beta", 1, 0, "", 0, "<"},
              "parameters[4].relation"},
        Wrong{"NaN error",
              {"hockney", domain::Level::kNode, "beta", 1, kNan, ""},
              "parameters[4].stderr"},
        Wrong{"negative error",
              {"hockney", domain::Level::kNode, "beta", 1, -1, ""},
              "parameters[4].stderr"}));

TEST(Validate, LimitsThePiecesOfAParameter) {
  domain::Profile profile = CompleteHockney();
  domain::Parameter piece = Hockney(domain::Level::kNetwork, "alpha", 1e-6);
  while (profile.parameters.size() < CompleteHockney().parameters.size() + kMaxPieces - 1) {
    piece.above += 8;
    profile.parameters.push_back(piece);
  }
  EXPECT_TRUE(Validate(profile).ok());
  piece.above += 8;
  profile.parameters.push_back(piece);
  const absl::Status status = Validate(profile);
  EXPECT_EQ(domain::FieldOf(status), "parameters[19].above");
  EXPECT_NE(status.message().find("more than 16 pieces"), std::string::npos) << status;
  profile.parameters.back().level = domain::Level::kNode;
  EXPECT_TRUE(Validate(profile).ok()) << "another parameter";
}

// alpha and beta between nodes in this many pieces of 8 bytes, the last one first.
domain::Profile InPieces(size_t count) {
  domain::Profile profile = CompleteHockney();
  for (size_t i = count - 1; i > 0; --i) {
    for (const char* name : {"alpha", "beta"}) {
      domain::Parameter piece =
          Hockney(domain::Level::kNetwork, name, 1e-6 * static_cast<double>(i));
      piece.above = 8 * static_cast<double>(i);
      profile.parameters.push_back(std::move(piece));
    }
  }
  return profile;
}

std::vector<double> BordersOf(const domain::Profile& profile, const std::string& name) {
  std::vector<double> borders;
  for (const domain::Parameter& parameter : profile.parameters) {
    if (parameter.level == domain::Level::kNetwork && parameter.name == name) {
      borders.push_back(parameter.above);
    }
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

TEST(LimitPieces, LeavesAsManyAsThereMayBeSpreadOverAllSizes) {
  for (const size_t count : {17, 18, 31, 32, 33, 500}) {
    domain::Profile profile = InPieces(count);
    ASSERT_FALSE(Validate(profile).ok());
    LimitPieces(&profile);
    EXPECT_TRUE(Validate(profile).ok()) << count;
    const std::vector<double> borders = BordersOf(profile, "alpha");
    ASSERT_EQ(borders.size(), kMaxPieces) << count;
    EXPECT_EQ(borders, BordersOf(profile, "beta"));
    EXPECT_EQ(borders.front(), 0);
    EXPECT_EQ(borders.back(), 8 * static_cast<double>(count - 1));
    const double widest = 8 * std::ceil(static_cast<double>(count - 1) / (kMaxPieces - 1));
    for (size_t i = 1; i < borders.size(); ++i) EXPECT_LE(borders[i] - borders[i - 1], widest);
    EXPECT_TRUE(ValuesFor(**FindModel("hockney"), profile).ok());
  }
}

TEST(LimitPieces, LeavesAloneWhatIsRight) {
  for (const size_t count : {1, 2, 15, 16}) {
    const domain::Profile before = InPieces(count);
    domain::Profile after = before;
    LimitPieces(&after);
    ASSERT_EQ(after.parameters.size(), before.parameters.size());
    for (size_t i = 0; i < after.parameters.size(); ++i) {
      EXPECT_EQ(after.parameters[i].name, before.parameters[i].name);
      EXPECT_EQ(after.parameters[i].above, before.parameters[i].above);
    }
  }
  domain::Profile none;
  LimitPieces(&none);
  EXPECT_TRUE(none.empty());
}

TEST(LimitPieces, OfTwoValuesForOneTheFirstStays) {
  domain::Profile profile = InPieces(3);
  domain::Parameter again = profile.parameters.back();
  again.value = 1;
  profile.parameters.push_back(again);
  LimitPieces(&profile);
  EXPECT_TRUE(Validate(profile).ok());
  EXPECT_NE(profile.parameters.back().value, 1);
  EXPECT_EQ(profile.parameters.size(), InPieces(3).parameters.size());
}

// Sizes are at least a byte, and switches are 0 or 1.
TEST(Validate, KnowsWhichValuesAreAllowed) {
  for (const Model* model : Models()) {
    for (const ParameterSpec& spec : model->parameters()) {
      const auto is_valid = [&](double value) {
        domain::Profile profile;
        profile.Set({std::string(model->id()), spec.level, std::string(spec.name), value, 0, ""});
        const absl::Status status = Validate(profile);
        EXPECT_EQ(domain::FieldOf(status), status.ok() ? "" : "parameters[0].value");
        return status.ok();
      };
      const bool is_size = spec.unit == "byte";
      const bool is_switch = spec.unit == "0 or 1";
      EXPECT_EQ(is_valid(0), !is_size) << model->id() << "." << spec.name;
      EXPECT_EQ(is_valid(0.5), !is_size && !is_switch) << model->id() << "." << spec.name;
      EXPECT_TRUE(is_valid(1)) << model->id() << "." << spec.name;
      EXPECT_EQ(is_valid(2), !is_switch) << model->id() << "." << spec.name;
    }
  }
}

// The sizes and switches by name, so that none loses its unit.
TEST(Validate, KnowsSizesAndSwitches) {
  for (const auto& [model, name, value] :
       {std::tuple("c3", "l", 0.5), std::tuple("postal", "packet", 0.5),
        std::tuple("cluster", "packet", 0.), std::tuple("logp", "w", 0.),
        std::tuple("mp-bsp", "word", 0.5), std::tuple("mp-e-bsp", "word", 0.5),
        std::tuple("c3", "blocking", 0.5), std::tuple("c3", "store_and_forward", 2.),
        std::tuple("hyperbolic", "half_duplex", 2.)}) {
    domain::Profile profile;
    profile.Set({model, domain::Level::kNetwork, name, value, 0, ""});
    EXPECT_EQ(domain::FieldOf(Validate(profile)), "parameters[0].value") << model << "." << name;
  }
}

// alpha between nodes, above a border of its pieces or everywhere.
TEST(KeepsTimesFinite, RefusesOnlyWhatIsBeyondADouble) {
  const Model& hockney = **FindModel("hockney");
  const auto with_alpha = [&](double alpha, double above) {
    domain::Profile profile = CompleteHockney();
    domain::Parameter parameter = Hockney(domain::Level::kNetwork, "alpha", alpha);
    parameter.above = above;
    profile.Set(parameter);
    return KeepsTimesFinite(hockney, *ValuesFor(hockney, profile));
  };
  for (const double above : {0., 4096.}) {
    EXPECT_TRUE(with_alpha(1, above));
    EXPECT_TRUE(with_alpha(1e100, above));
    EXPECT_FALSE(with_alpha(1e308, above));
  }
  // Only for the messages between two borders.
  domain::Profile profile = CompleteHockney();
  for (const auto& [above, alpha] : {std::pair(64., 1e308), std::pair(128., 1e-6)}) {
    domain::Parameter piece = Hockney(domain::Level::kNetwork, "alpha", alpha);
    piece.above = above;
    profile.Set(piece);
  }
  EXPECT_FALSE(KeepsTimesFinite(hockney, *ValuesFor(hockney, profile)));
}

TEST(KeepsTimesFinite, HoldsForPlausibleValuesOfEveryModel) {
  for (const Model* model : Models()) {
    ParameterValues values;
    for (const ParameterSpec& spec : model->parameters()) {
      values.base.push_back(spec.unit == "s"        ? 1
                            : spec.unit == "s/byte" ? 1e-3
                            : spec.unit == "0 or 1" ? 0
                                                    : 1000);
    }
    EXPECT_TRUE(KeepsTimesFinite(*model, values)) << model->id();
  }
}

TEST(Validate, RefusesTimesLargerThanADouble) {
  domain::Profile profile = CompleteHockney();
  profile.Set(Hockney(domain::Level::kNetwork, "alpha", 1e100));
  EXPECT_TRUE(Validate(profile).ok());
  profile.Set(Hockney(domain::Level::kNetwork, "alpha", 1e308));
  EXPECT_EQ(domain::FieldOf(Validate(profile)), "parameters");
  EXPECT_NE(Validate(profile).message().find("hockney"), absl::string_view::npos);
}

TEST(Validate, AcceptsWhatIsRight) {
  EXPECT_TRUE(Validate(CompleteHockney()).ok());
  EXPECT_TRUE(Validate({}).ok());
}

TEST(Errors, CarryTheirField) {
  const absl::Status status = domain::InvalidField("ranks", "0 is not between 1 and 9");
  EXPECT_EQ(status.message(), "ranks: 0 is not between 1 and 9");
  EXPECT_EQ(domain::FieldOf(status), "ranks");
  const absl::Status inner = domain::WithFieldPrefix(status, "requests[3].");
  EXPECT_EQ(domain::FieldOf(inner), "requests[3].ranks");
  EXPECT_EQ(inner.message(), "requests[3].ranks: 0 is not between 1 and 9");
  EXPECT_EQ(inner.code(), absl::StatusCode::kInvalidArgument);
}

TEST(Errors, WithoutFieldStayAsTheyAre) {
  EXPECT_EQ(domain::FieldOf(absl::NotFoundError("x")), "");
  EXPECT_EQ(domain::WithFieldPrefix(absl::NotFoundError("x"), "a."), absl::NotFoundError("x"));
  EXPECT_TRUE(domain::WithFieldPrefix(absl::OkStatus(), "a.").ok());
}

}  // namespace
}  // namespace cox::model
