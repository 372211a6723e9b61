#include "agent/stream/wire/tuning_wire.h"

#include <gtest/gtest.h>

#include "agent/steering/decisions.h"
#include "agent/stream/decide.h"
#include "agent/timing/collectives.h"
#include "cox/v1/advice.pb.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"
#include "strategy/scenario.h"

namespace cox::agent {
namespace {

TEST(TuningWireTest, GeneratedCodeReadsTheRequest) {
  v1::GetTuningRequest request;
  ASSERT_TRUE(request.ParseFromString(
      EncodeTuningRequest({"abel", "openmpi-4.1", 4, 8, "e1", true, true, true, "coxcoll", 0.25})));
  EXPECT_EQ(request.machine(), "abel");
  EXPECT_EQ(request.library(), "openmpi-4.1");
  EXPECT_EQ(request.nodes(), 4);
  EXPECT_EQ(request.ppn(), 8);
  EXPECT_EQ(request.format(), v1::TUNING_FORMAT_FILE);
  EXPECT_EQ(request.etag(), "e1");
  EXPECT_TRUE(request.assume_commutative());
  EXPECT_TRUE(request.assume_elements_at_least_ranks());
  EXPECT_TRUE(request.assume_same_counts());
  EXPECT_FALSE(request.command().empty());
  EXPECT_EQ(request.second_library(), "coxcoll");
  EXPECT_EQ(request.explore_ratio(), 0.25);
  EXPECT_TRUE(request.by_call());
}

TEST(TuningWireTest, ReadsWhatGeneratedCodeWrites) {
  v1::GetTuningResponse written;
  written.set_text("rules");
  written.set_etag("e2");
  written.set_profile_revision(7);
  auto* row = written.add_rows();
  row->set_collective("bcast");
  row->set_block_bytes(1024);
  row->set_algorithm("pipeline");
  row->set_predicted_time_s(1e-3);
  row->set_library("coxcoll");
  written.add_rows()->set_collective("barrier");
  const auto read = DecodeTuningResponse(written.SerializeAsString());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->text_bytes, 5);
  EXPECT_EQ(read->etag, "e2");
  EXPECT_EQ(read->profile_revision, 7);
  EXPECT_FALSE(read->not_modified);
  ASSERT_EQ(read->rows.size(), 2);
  EXPECT_EQ(read->rows[0].collective, "bcast");
  EXPECT_EQ(read->rows[0].block_bytes, 1024);
  EXPECT_EQ(read->rows[0].algorithm, "pipeline");
  EXPECT_EQ(read->rows[0].library, "coxcoll");
  written.Clear();
  written.set_not_modified(true);
  EXPECT_TRUE(DecodeTuningResponse(written.SerializeAsString())->not_modified);
  EXPECT_FALSE(DecodeTuningResponse("\xff\xff").has_value());
}

TEST(TuningWireTest, RowsBecomeNumbers) {
  const std::vector<TuningRow> rows = {{"bcast", 0, "default"},
                                       {"bcast", 1024, "pipeline"},
                                       {"bcast", 4096, "no such"},
                                       {"no such", 0, "ring"}};
  const auto decisions = DecisionsOf("openmpi-4.1", rows);
  ASSERT_EQ(decisions.size(), 3);
  const int numbers[] = {0, 3, 0};
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].collective, static_cast<int32_t>(domain::Collective::kBcast));
    EXPECT_EQ(decisions[i].block_bytes, rows[i].block_bytes);
    EXPECT_EQ(decisions[i].number, numbers[i]);
  }
}

TEST(TuningWireTest, RowsOfOurOwnLibraryHaveNumbersAndNames) {
  const std::vector<TuningRow> rows = {{"alltoall", 0, "mesh2d", "coxcoll"},
                                       {"alltoall", 64, "windowed?window=16", "coxcoll"},
                                       {"alltoall", 128, "pairwise"},
                                       // Counts differ from rank to rank.
                                       {"alltoallv", 0, "direct", "coxcoll"},
                                       {"alltoall", 256, "pairwise", "another"}};
  const auto number_of = [](const std::string& name) {
    return library::OwnNumber(domain::Collective::kAlltoall, name);
  };
  const auto decisions = DecisionsOf("openmpi-4.1", rows);
  ASSERT_EQ(decisions.size(), rows.size());
  const char* const names[] = {"mesh2d", "windowed?window=16", "", "", ""};
  const int numbers[] = {number_of("mesh2d"), number_of("windowed?window=16"), 2, 0, 0};
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_STREQ(decisions[i].name, names[i]);
    EXPECT_EQ(decisions[i].number, numbers[i]);
  }
}

TEST(TuningWireTest, EveryRowOfOurOwnLibraryFitsIntoTheTable) {
  int count = 0;
  for (const library::Algorithm& row : library::AlgorithmsOf(library::kOwnLibrary)) {
    const std::string collective(domain::CollectiveName(row.collective));
    const auto read =
        DecisionsOf("mpich-4.0", {{collective, 64, std::string(row.native_name), "coxcoll"}});
    ASSERT_EQ(read.size(), 1) << row.native_name;
    if (!CanBeReplaced(static_cast<domain::Collective>(read[0].collective))) continue;
    ++count;
    Decisions table;
    table.Add(read[0].collective, read[0].block_bytes, read[0].number, read[0].name);
    const auto place = static_cast<domain::Collective>(read[0].collective);
    ASSERT_TRUE(table.HasCoxcoll()) << row.native_name;
    EXPECT_EQ(table.NameOf(place, table.Find(place, 64)), row.native_name);
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace cox::agent
