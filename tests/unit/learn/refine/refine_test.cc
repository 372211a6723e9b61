#include "learn/refine/refine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/fitted_models.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

using domain::Level;
using ::testing::HasSubstr;

// The median over `cells` of |ln(price / time)|.
double MedianMiss(const std::vector<Cell>& cells, const domain::Profile& profile) {
  std::vector<double> misses;
  misses.reserve(cells.size());
  for (const Cell& cell : cells) {
    misses.push_back(std::abs(std::log(PriceOf(cell, profile)) - cell.mean_log_time));
  }
  std::sort(misses.begin(), misses.end());
  return misses[misses.size() / 2];
}

domain::Profile TrueMachine() { return HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10); }
// Each parameter off by a factor of two or three, with a standard error to match.
domain::Profile FarPrior() { return HockneyProfile(1.2e-6, 4e-11, 1e-6, 1.2e-9, 0.7); }

TEST(RefineTest, ConvergesToWhatProducedTheObservations) {
  Noise noise(11, 0.05);
  const std::vector<Cell> clean = [] {
    Noise none(1, 0);
    return PricedCells(TrueMachine(), none);
  }();
  domain::Profile profile = FarPrior();
  const double miss_before = MedianMiss(clean, profile);
  double last_change = 1;
  for (int round = 0; round < 12; ++round) {
    const Refinement refinement = Refine(profile, PricedCells(TrueMachine(), noise));
    EXPECT_EQ(refinement.skipped_count, 0);
    profile = refinement.profile;
    last_change = refinement.median_change;
  }
  EXPECT_GT(miss_before, 0.4);
  EXPECT_LT(MedianMiss(clean, profile), 0.06);
  EXPECT_LT(last_change, 0.05);
  // Most of the cells depend on the network's parameters.
  EXPECT_NEAR(profile.Find("hockney", Level::kNetwork, "alpha")->value / 3e-6, 1, 0.25);
  EXPECT_NEAR(profile.Find("hockney", Level::kNetwork, "beta")->value / 4e-10, 1, 0.25);
}

TEST(RefineTest, StandardErrorsShrink) {
  Noise noise(12, 0.05);
  const domain::Profile prior = FarPrior();
  const Refinement refinement = Refine(prior, PricedCells(TrueMachine(), noise));
  for (const char* name : {"alpha", "beta"}) {
    const domain::Parameter* before = prior.Find("hockney", Level::kNetwork, name);
    const domain::Parameter* after = refinement.profile.Find("hockney", Level::kNetwork, name);
    EXPECT_LT(after->stderr_ / after->value, before->stderr_ / before->value);
    EXPECT_GT(after->stderr_, 0);
  }
}

TEST(RefineTest, ProvenanceNamesTheObservations) {
  Noise noise(13, 0.05);
  std::vector<Cell> cells = PricedCells(TrueMachine(), noise);
  const auto used = static_cast<int64_t>(cells.size());
  cells.push_back(MakeCell("bcast", "scatter_allgather", 3, 2, 64, 1e-5));  // no known structure
  cells.push_back(MakeCell("neighbor_allgather", "ring", 2, 2, 64, 1e-5));  // no known collective
  cells.push_back(MakeCell("alltoall", "pairwise", 1, 1, 64, 1e-5));        // moves nothing
  const Refinement refinement = Refine(FarPrior(), cells);
  EXPECT_EQ(refinement.used_count, used);
  EXPECT_EQ(refinement.skipped_count, 3);
  EXPECT_THAT(refinement.profile.Find("hockney", Level::kNetwork, "alpha")->source,
              HasSubstr("refined: " + std::to_string(used) + " observations"));
}

// Calls with several ranks on a node tell the sum of two unknown rates, and tie these together. The
// calls after them have one rank on each node, and prove one of the rates wrong by orders of
// magnitude.
TEST(RefineTest, CallsThatDoNotUseAParameterHardlyMoveIt) {
  const domain::Profile prior = HockneyProfile(5e-7, 1e-9, 3e-6, 1e-9, 3);
  std::vector<Cell> cells(5, MakeCell("bcast", "binomial", 4, 4, 1 << 20, 6e-3));
  const auto node_byte_s = [&prior, &cells] {
    return Refine(prior, cells).profile.Find("hockney", Level::kNode, "beta")->value;
  };
  const double before_s = node_byte_s();
  cells.insert(cells.end(), 200, MakeCell("bcast", "binomial", 4, 1, 1 << 20, 1e-6));
  EXPECT_LE(std::abs(std::log(node_byte_s() / before_s)), 1 + 1e-9);
}

TEST(RefineTest, ParametersThatNoObservationTouchesKeepValueAndSource) {
  // One node: the network's parameters stay as they were.
  const std::vector<Cell> cells(20, MakeCell("alltoall", "pairwise", 1, 4, 1024, 2e-5));
  const domain::Profile prior = FarPrior();
  const Refinement refinement = Refine(prior, cells);
  const domain::Parameter* network = refinement.profile.Find("hockney", Level::kNetwork, "beta");
  EXPECT_EQ(network->value, prior.Find("hockney", Level::kNetwork, "beta")->value);
  EXPECT_EQ(network->source, "made up");
  EXPECT_THAT(refinement.profile.Find("hockney", Level::kNode, "alpha")->source,
              HasSubstr("refined: 20"));
}

TEST(RefineTest, StaysPositiveAndFinite) {
  // Times that no parameters could explain, in an order that pulls both ways.
  std::vector<Cell> cells;
  cells.reserve(200);
  for (int i = 0; i < 200; ++i) {
    cells.push_back(MakeCell("alltoall", i % 2 == 0 ? "pairwise" : "modified_bruck", 1 << (i % 6),
                             2, int64_t{1} << (i % 20), i % 3 == 0 ? 1e-9 : 1e2));
  }
  cells.push_back(MakeCell("alltoall", "pairwise", 1 << 15, 1 << 15, int64_t{1} << 62, 1e300));
  cells.push_back(MakeCell("allgather", "ring", 2, 2, 0, 1e-300));
  const Refinement refinement = Refine(FarPrior(), cells);
  EXPECT_TRUE(model::Validate(refinement.profile).ok());
  for (const domain::Parameter& parameter : refinement.profile.parameters) {
    EXPECT_GT(parameter.value, 0) << parameter.model << " " << parameter.name;
  }
}

TEST(RefineTest, OneWildReportHardlyMovesWhatManyHaveTaught) {
  Noise noise(14, 0.05);
  domain::Profile profile = FarPrior();
  for (int round = 0; round < 6; ++round) {
    profile = Refine(profile, PricedCells(TrueMachine(), noise)).profile;
  }
  Cell wild = MakeCell("alltoall", "pairwise", 8, 4, 512, 1);
  wild.mean_log_time = std::log(PriceOf(wild, profile) * 1e6);
  const Refinement refinement = Refine(profile, {wild});
  const Cell asked = MakeCell("alltoall", "pairwise", 8, 4, 512, 1);
  EXPECT_NEAR(PriceOf(asked, refinement.profile) / PriceOf(asked, profile), 1, 0.05);
}

TEST(RefineTest, ARealChangeIsLearnedInTheEnd) {
  // The network becomes three times slower (a cable, a new firmware): certain parameters must move.
  Noise noise(15, 0.05);
  domain::Profile profile = TrueMachine();
  for (domain::Parameter& parameter : profile.parameters)
    parameter.stderr_ = 0.02 * parameter.value;
  const domain::Profile slower = HockneyProfile(5e-7, 1e-10, 9e-6, 1.2e-9);
  std::vector<Cell> clean = [&] {
    Noise none(1, 0);
    return PricedCells(slower, none);
  }();
  std::erase_if(clean, [](const Cell& cell) { return cell.nodes == 1; });
  for (int round = 0; round < 30; ++round) {
    profile = Refine(profile, PricedCells(slower, noise)).profile;
  }
  EXPECT_LT(MedianMiss(clean, profile), 0.15);
}

TEST(RefineTest, NothingKnownAndNothingUsableGivesNothing) {
  EXPECT_TRUE(Refine({}, {}).profile.empty());
  const Refinement refinement =
      Refine({}, {MakeCell("bcast", "scatter_allgather", 3, 2, 64, 1e-5)});
  EXPECT_TRUE(refinement.profile.empty());
  EXPECT_EQ(refinement.used_count, 0);
  EXPECT_EQ(refinement.skipped_count, 1);
}

TEST(RefineTest, LearnsFromNothing) {
  Noise noise(16, 0.05);
  domain::Profile profile;
  for (int round = 0; round < 12; ++round) {
    profile = Refine(profile, PricedCells(TrueMachine(), noise)).profile;
  }
  EXPECT_TRUE(model::Validate(profile).ok());
  Noise none(1, 0);
  EXPECT_LT(MedianMiss(PricedCells(TrueMachine(), none), profile), 0.15);
  // Every model learned, not only the one that made the times.
  for (const model::Model* model : FittedModels()) {
    EXPECT_TRUE(model::ValuesFor(*model, profile).ok()) << model->id();
  }
}

TEST(RefineTest, LearnsFromTheDefaultAlone) {
  // The reports of an untuned application.
  std::vector<Cell> cells;
  for (const char* collective : {"alltoall", "allgather", "allreduce"}) {
    for (int64_t nodes : {2, 8, 16}) {
      for (int64_t bytes : {8, 512, 16384, 524288}) {
        Cell cell = MakeCell(collective, "default", nodes, 4, bytes, 1);
        cell.mean_log_time = std::log(PriceOf(cell, TrueMachine()));
        cells.push_back(std::move(cell));
      }
    }
  }
  domain::Profile profile = FarPrior();
  const double miss_before = MedianMiss(cells, profile);
  for (int round = 0; round < 12; ++round) {
    const Refinement refinement = Refine(profile, cells);
    EXPECT_EQ(refinement.skipped_count, 0);
    profile = refinement.profile;
  }
  EXPECT_GT(miss_before, 0.4);
  EXPECT_LT(MedianMiss(cells, profile), 0.1);
}

// Hockney's network in two pieces: eager messages up to `border` bytes, others above.
struct TwoPieces {
  double alpha_s, beta_s, long_alpha_s, long_beta_s;
};
constexpr double kBorder = 4096;

domain::Profile TwoPieceProfile(const TwoPieces& network, double relative_error = 0) {
  domain::Profile profile =
      HockneyProfile(5e-7, 1e-10, network.alpha_s, network.beta_s, relative_error);
  for (const auto& [name, value] :
       {std::pair("alpha", network.long_alpha_s), std::pair("beta", network.long_beta_s)}) {
    domain::Parameter piece =
        MakeParameter("hockney", Level::kNetwork, name, value, relative_error * value);
    piece.above = kBorder;
    profile.Set(std::move(piece));
  }
  return profile;
}

const domain::Parameter* SecondPiece(const domain::Profile& profile, const std::string& name) {
  for (const domain::Parameter& parameter : profile.parameters) {
    if (parameter.model == "hockney" && parameter.level == Level::kNetwork &&
        parameter.name == name && parameter.above == kBorder) {
      return &parameter;
    }
  }
  return nullptr;
}

TEST(RefineTest, ADriftOfLongMessagesIsFoundInTheirPiece) {
  // The rate of long messages halves; short ones stay as they are.
  const TwoPieces before = {3e-6, 4e-10, 9e-6, 2e-10};
  TwoPieces after = before;
  after.long_beta_s *= 2;
  Noise noise(17, 0.05);
  domain::Profile profile = TwoPieceProfile(before, 0.2);
  for (int round = 0; round < 12; ++round) {
    profile = Refine(profile, PricedCells(TwoPieceProfile(after), noise)).profile;
  }
  EXPECT_NEAR(SecondPiece(profile, "beta")->value / after.long_beta_s, 1, 0.15);
  EXPECT_THAT(SecondPiece(profile, "beta")->source, HasSubstr("refined: "));
  EXPECT_NEAR(profile.Find("hockney", Level::kNetwork, "alpha")->value / before.alpha_s, 1, 0.15);
  Noise none(1, 0);
  EXPECT_LT(MedianMiss(PricedCells(TwoPieceProfile(after), none), profile), 0.06);
}

TEST(RefineTest, ShortMessagesTeachNothingOfLongOnes) {
  const TwoPieces truth = {6e-6, 8e-10, 9e-6, 2e-10};
  const domain::Profile prior = TwoPieceProfile({3e-6, 4e-10, 2e-5, 2e-10}, 0.3);
  std::vector<Cell> cells;
  Noise noise(18, 0.05);
  for (Cell& cell : PricedCells(TwoPieceProfile(truth), noise)) {
    if (cell.block_bytes == 8) cells.push_back(std::move(cell));
  }
  std::erase_if(cells, [](const Cell& cell) { return cell.algorithm != "recursive_doubling"; });
  domain::Profile profile = prior;
  for (int round = 0; round < 12; ++round) profile = Refine(profile, cells).profile;
  EXPECT_NEAR(profile.Find("hockney", Level::kNetwork, "alpha")->value / truth.alpha_s, 1, 0.25);
  for (const char* name : {"alpha", "beta"}) {
    EXPECT_EQ(SecondPiece(profile, name)->value, SecondPiece(prior, name)->value) << name;
    EXPECT_EQ(SecondPiece(profile, name)->source, "made up") << name;
  }
}

TEST(RefineTest, APriceDoesNotFallFromOnePieceToTheNext) {
  // Observations say that long messages cost next to nothing.
  std::vector<Cell> cells;
  for (const int64_t bytes : {8192, 65536, 524288}) {
    for (int i = 0; i < 60; ++i) cells.push_back(MakeCell("bcast", "binomial", 8, 1, bytes, 1e-7));
  }
  const domain::Profile prior = TwoPieceProfile({3e-6, 4e-10, 9e-6, 2e-10}, 0.5);
  const domain::Profile profile = Refine(prior, cells).profile;
  EXPECT_LT(SecondPiece(profile, "beta")->value, 0.5 * SecondPiece(prior, "beta")->value);
  const auto message_s = [&profile](double bytes) {
    return PriceOf(MakeCell("bcast", "binomial", 2, 1, static_cast<int64_t>(bytes), 1), profile);
  };
  EXPECT_GE(message_s(kBorder + 1), 0.999 * message_s(kBorder));
}

TEST(RefineTest, AFallThatWasCalibratedIsLetStand) {
  const TwoPieces falling = {3e-6, 2e-9, 4e-6, 2e-10};
  Noise noise(19, 0.05);
  domain::Profile profile = TwoPieceProfile(falling, 0.1);
  for (int round = 0; round < 6; ++round) {
    profile = Refine(profile, PricedCells(TwoPieceProfile(falling), noise)).profile;
  }
  Noise none(1, 0);
  EXPECT_LT(MedianMiss(PricedCells(TwoPieceProfile(falling), none), profile), 0.06);
}

TEST(RefineTest, TheUnitsOfC3AreRefinedAndItsSizesStay) {
  const auto units = [](double unit_s, double relative_error) {
    domain::Profile profile;
    for (const auto& [name, value] : {std::pair("s", 3.0), std::pair("l", 512.0)}) {
      profile.Set(MakeParameter("c3", Level::kNetwork, name, value));
    }
    profile.Set(MakeParameter("c3", Level::kNetwork, "unit_time", unit_s, relative_error * unit_s));
    return profile;
  };
  Noise noise(20, 0.05);
  domain::Profile profile = units(1e-6, 0.3);
  for (int round = 0; round < 6; ++round) {
    profile = Refine(profile, PricedCells(units(2e-6, 0), noise, "c3")).profile;
  }
  EXPECT_NEAR(profile.Find("c3", Level::kNetwork, "unit_time")->value / 2e-6, 1, 0.1);
  EXPECT_EQ(profile.Find("c3", Level::kNetwork, "l")->value, 512);
  EXPECT_EQ(profile.Find("c3", Level::kNetwork, "s")->source, "made up");
  // Sizes that no profile states stay unknown.
  EXPECT_EQ(Refine({}, PricedCells(TrueMachine(), noise))
                .profile.Find("c3", Level::kNetwork, "unit_time"),
            nullptr);
}

TEST(RefineTest, WithoutACommunicationUnitC3LearnsNothing) {
  domain::Profile prior;
  prior.Set(MakeParameter("c3", Level::kNetwork, "s", 3));
  prior.Set(MakeParameter("c3", Level::kNetwork, "l", 512));
  prior.Set(MakeParameter("c3", Level::kNetwork, "compute_unit_time", 1e-7, 1e-7));
  Noise noise(21, 0.05);
  const domain::Profile profile = Refine(prior, PricedCells(TrueMachine(), noise)).profile;
  EXPECT_EQ(profile.Find("c3", Level::kNetwork, "compute_unit_time")->value, 1e-7);
  EXPECT_EQ(profile.Find("c3", Level::kNetwork, "compute_unit_time")->source, "made up");
  EXPECT_EQ(profile.Find("c3", Level::kNetwork, "unit_time"), nullptr);
}

TEST(RefineTest, WhatIsStatedOfFittedModelsStays) {
  int stated_times = 0;
  domain::Profile prior;
  for (const model::Model* model : FittedModels()) {
    for (const model::ParameterSpec& spec : model->parameters()) {
      if (!spec.stated || spec.unit != "s") continue;
      ++stated_times;
      prior.Set(
          MakeParameter(std::string(model->id()), spec.level, std::string(spec.name), 1e-5, 5e-6));
    }
  }
  ASSERT_GT(stated_times, 0);
  Noise noise(22, 0.05);
  const domain::Profile profile = Refine(prior, PricedCells(TrueMachine(), noise)).profile;
  for (const domain::Parameter& given : prior.parameters) {
    const domain::Parameter* kept = profile.Find(given.model, given.level, given.name);
    EXPECT_EQ(kept->value, given.value) << given.model << " " << given.name;
    EXPECT_EQ(kept->source, "made up") << given.model << " " << given.name;
  }
}

TEST(RefineTest, TheSameCallTenThousandTimesIsLearnedAndLeavesErrors) {
  // It shows one sum of parameters; the others are forgotten meanwhile.
  Cell cell = MakeCell("allreduce", "recursive_doubling", 8, 4, 512, 1);
  cell.mean_log_time = std::log(PriceOf(cell, TrueMachine()));
  const Refinement refinement = Refine({}, std::vector<Cell>(10'000, cell));
  EXPECT_EQ(refinement.used_count, 10'000);
  int priced = 0;
  for (const model::Model* model : FittedModels()) {
    // Skips models with parameters that this call does not depend on.
    if (!model::ValuesFor(*model, refinement.profile).ok()) continue;
    ++priced;
    const double ratio =
        PriceOf(cell, refinement.profile, std::string(model->id())) / std::exp(cell.mean_log_time);
    EXPECT_NEAR(ratio, 1, 0.1) << model->id();
  }
  EXPECT_GE(priced, 10);
  for (const domain::Parameter& parameter : refinement.profile.parameters) {
    if (parameter.source.find("refined: ") == std::string::npos) continue;
    EXPECT_GT(parameter.stderr_, 0) << parameter.model << " " << parameter.name;
  }
}

TEST(RefineTest, ALevelWithoutObservationsIsAssumedAloud) {
  const std::vector<Cell> cells(10, MakeCell("alltoall", "pairwise", 1, 4, 1024, 2e-5));
  const Refinement refinement = Refine({}, cells);
  const domain::Parameter* assumed = refinement.profile.Find("hockney", Level::kNetwork, "alpha");
  ASSERT_NE(assumed, nullptr);
  EXPECT_THAT(assumed->source, HasSubstr("assumed: as at level node"));
}

}  // namespace
}  // namespace cox::learn
