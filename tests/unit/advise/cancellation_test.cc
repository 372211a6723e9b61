// Each question that takes long ends soon after its caller has gone: between two of its own steps.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "advise/explain.h"
#include "advise/grid.h"
#include "advise/measure/suggest.h"
#include "advise/pattern.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/cell_key.h"
#include "domain/collective.h"
#include "domain/sharing/caller_watch.h"
#include "every_model.h"
#include "machines.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::advise {
namespace {

using Work = std::function<absl::Status(const domain::IsCancelled&)>;

// How often a whole answer asks; then the caller goes at the second time that it is asked. At least
// `least`: so many chances to end early has the answer.
void ExpectEndsEarly(const Work& work, int least) {
  int asked = 0;
  EXPECT_TRUE(work([&asked] { return ++asked == 0; }).ok());
  EXPECT_GE(asked, least);
  asked = 0;
  const absl::Status gone = work([&asked] { return ++asked == 2; });
  EXPECT_EQ(gone.code(), absl::StatusCode::kCancelled) << gone;
  EXPECT_EQ(asked, 2) << "it went on";
  EXPECT_TRUE(work({}).ok()) << "nobody to ask";
}

TEST(CancellationTest, OfAGrid) {
  const MachinePointer machine = EveryModelsMachine();
  std::vector<int64_t> ranks;
  std::vector<int64_t> sizes;
  for (int64_t i = 1; i <= 50; ++i) {
    ranks.push_back(i);
    sizes.push_back(i * 64);
  }
  GridQuestion question;
  question.scenario.collective = domain::Collective::kAllgather;
  question.scenario.ppn = 4;
  question.ranks = ranks;
  question.block_bytes = sizes;
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        return EvaluateGrid(*machine, question, is_cancelled).status();
      },
      100);
}

TEST(CancellationTest, OfAnExplanation) {
  const MachinePointer machine = EveryModelsMachine();
  ExplainQuestion question;
  question.scenario.collective = domain::Collective::kAlltoall;
  question.scenario.ranks = 31;
  question.scenario.ppn = 4;
  question.model = "hockney";
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        return Explain(*machine, question, is_cancelled).status();
      },
      4);
}

TEST(CancellationTest, OfSuggestions) {
  const MachinePointer machine = EveryModelsMachine();
  std::vector<Measurement> candidates;
  for (const char* algorithm : {"default", "direct", "slow"}) {
    for (int64_t bytes = 4; bytes <= 1'000; ++bytes) {
      candidates.push_back({"alltoall", algorithm, 8, 4, 32, bytes});
    }
  }
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        return SuggestMeasurements(*machine, "somebodys-mpi-1.0", candidates, 5, is_cancelled)
            .status();
      },
      100);
}

TEST(CancellationTest, OfAPattern) {
  const MachinePointer machine = EveryModelsMachine();
  const std::vector<model::Transfer> messages = *strategy::MessagesOf("all-to-all", 64, 8);
  PatternQuestion question;
  question.messages = messages;
  question.scenario.ranks = 64;
  question.scenario.ppn = 4;
  question.routes = {"all"};
  question.model = "hockney";
  // A price for each route, and a phase for each hop: two, three, and six.
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        return EvaluatePattern(*machine, question, is_cancelled).status();
      },
      4 + 2 + 3 + 6);
}

TEST(CancellationTest, OfDecisionTables) {
  const MachinePointer machine = EveryModelsMachine();
  TuningQuestion question;
  question.job = {"openmpi-4.1", 8, 4, {}};
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        return BuildDecisionTables(*machine, question, is_cancelled).status();
      },
      10);
}

TEST(CancellationTest, OfTrials) {
  std::vector<learn::Cell> cells;
  for (int64_t bytes = 64; bytes <= 65536; bytes *= 2) {
    cells.push_back(learn::MakeCell("alltoall", "default", 8, 4, bytes, 1e-3));
    cells.back().kind = domain::CellKind::kJob;
  }
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question;
  question.job = {"openmpi-4.1", 8, 4, {}};
  const auto by_size = [](domain::Collective) { return true; };
  ExpectEndsEarly(
      [&](const domain::IsCancelled& is_cancelled) {
        auto tables = BuildDecisionTables(*machine, question);
        return AddTrials(*machine, question, 0.5, by_size, absl::MakeSpan(*tables), is_cancelled);
      },
      10);
}

}  // namespace
}  // namespace cox::advise
