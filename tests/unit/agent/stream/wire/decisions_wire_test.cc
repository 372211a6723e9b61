#include "agent/stream/wire/decisions_wire.h"

#include <gtest/gtest.h>

#include "cox/v1/advice.pb.h"

namespace cox::agent {
namespace {

TEST(DecisionsWireTest, GeneratedCodeReadsTheRequest) {
  v1::GetDecisionsRequest request;
  ASSERT_TRUE(request.ParseFromString(EncodeDecisionsRequest(
      {"abel", "openmpi-4.1", 4, 8, "e1", true, true, true, "coxcoll", 0.25})));
  EXPECT_EQ(request.machine(), "abel");
  EXPECT_EQ(request.library(), "openmpi-4.1");
  EXPECT_EQ(request.nodes(), 4);
  EXPECT_EQ(request.ppn(), 8);
  EXPECT_EQ(request.etag(), "e1");
  EXPECT_TRUE(request.collectives().empty());
  EXPECT_TRUE(request.assume_commutative());
  EXPECT_TRUE(request.assume_elements_at_least_ranks());
  EXPECT_TRUE(request.assume_same_counts());
  EXPECT_EQ(request.second_library(), "coxcoll");
  EXPECT_EQ(request.explore_ratio(), 0.25);
}

TEST(DecisionsWireTest, ReadsWhatGeneratedCodeWrites) {
  v1::GetDecisionsResponse written;
  written.set_etag("e2");
  written.set_profile_revision(7);
  auto* row = written.add_decisions();
  row->set_collective("bcast");
  row->set_from_block_bytes(1024);
  row->set_algorithm("pipeline");
  row->set_predicted_time_s(1e-3);
  row->set_default_time_s(2e-3);
  row->set_trial("because");
  row->set_library("coxcoll");
  written.add_decisions()->set_collective("barrier");
  const auto read = DecodeDecisionsResponse(written.SerializeAsString());
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->is_complete());
  EXPECT_EQ(read->etag, "e2");
  EXPECT_EQ(read->profile_revision, 7);
  EXPECT_FALSE(read->not_modified);
  ASSERT_EQ(read->rows.size(), 2);
  EXPECT_EQ(read->rows[0].collective, "bcast");
  EXPECT_EQ(read->rows[0].from_block_bytes, 1024);
  EXPECT_EQ(read->rows[0].algorithm, "pipeline");
  EXPECT_EQ(read->rows[0].library, "coxcoll");
  written.Clear();
  written.set_not_modified(true);
  EXPECT_TRUE(DecodeDecisionsResponse(written.SerializeAsString())->not_modified);
}

TEST(DecisionsWireTest, AnswersWithoutRowsAreCompleteAndThoseWithoutAnEtagAreNot) {
  v1::GetDecisionsResponse written;
  EXPECT_FALSE(DecodeDecisionsResponse(written.SerializeAsString())->is_complete());
  written.set_etag("e");
  EXPECT_TRUE(DecodeDecisionsResponse(written.SerializeAsString())->is_complete());
  written.set_not_modified(true);
  EXPECT_FALSE(DecodeDecisionsResponse(written.SerializeAsString())->is_complete());
}

TEST(DecisionsWireTest, RefusesWhatIsNoAnswer) {
  EXPECT_FALSE(DecodeDecisionsResponse("\xff\xff").has_value());
  v1::GetDecisionsResponse endless;
  for (size_t i = 0; i <= DecisionsResponse::kMostRows; ++i) endless.add_decisions();
  EXPECT_FALSE(DecodeDecisionsResponse(endless.SerializeAsString()).has_value());
}

}  // namespace
}  // namespace cox::agent
