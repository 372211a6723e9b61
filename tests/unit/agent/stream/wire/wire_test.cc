#include "agent/stream/wire/wire.h"

#include <gtest/gtest.h>

#include "cox/v1/observation.pb.h"

namespace cox::agent {
namespace {

Batch TwoObservations() {
  Observation first;
  first.machine = "abel";
  first.library = "openmpi-4.1";
  first.collective = "alltoall";
  first.algorithm = "modified_bruck";
  first.nodes = 2;
  first.ppn = 128;
  first.ranks = 200;
  first.block_bytes = int64_t{1} << 62;
  first.type_bytes = 8;
  first.count = 1000;
  first.time_s = 1.25e-5;
  first.stddev_s = 3e-6;
  first.statistic = "min";
  first.at_s = 1'800'000'000;
  Observation second = first;
  second.block_bytes = 0;
  second.stddev_s = 0;
  return {"job@node1", "ada@node1", int64_t{1} << 61, 42, {first, second}};
}

TEST(WireTest, GeneratedCodeReadsWhatIsWritten) {
  const Batch batch = TwoObservations();
  v1::StreamObservationsRequest request;
  ASSERT_TRUE(request.ParseFromString(EncodeRequest(batch)));

  EXPECT_EQ(request.batch().job(), "job@node1");
  EXPECT_EQ(request.batch().source(), "ada@node1");
  EXPECT_EQ(request.batch().sequence(), int64_t{1} << 61);
  EXPECT_EQ(request.batch().dropped_count(), 42);
  EXPECT_TRUE(request.batch().create_machines());
  EXPECT_FALSE(request.batch().await_learning());
  EXPECT_EQ(request.batch().measurement(), v1::MEASUREMENT_JOB);
  ASSERT_EQ(request.batch().observations_size(), 2);
  const v1::Observation& first = request.batch().observations(0);
  EXPECT_EQ(first.machine(), "abel");
  EXPECT_EQ(first.library(), "openmpi-4.1");
  EXPECT_EQ(first.collective(), "alltoall");
  EXPECT_EQ(first.algorithm(), "modified_bruck");
  EXPECT_EQ(first.nodes(), 2);
  EXPECT_EQ(first.ppn(), 128);
  EXPECT_EQ(first.ranks(), 200);
  EXPECT_EQ(first.block_bytes(), int64_t{1} << 62);
  EXPECT_EQ(first.type_bytes(), 8);
  EXPECT_EQ(first.count(), 1000);
  EXPECT_EQ(first.time_s(), 1.25e-5);
  EXPECT_EQ(first.stddev_s(), 3e-6);
  EXPECT_EQ(first.statistic(), "min");
  EXPECT_EQ(first.at().seconds(), 1'800'000'000);
  EXPECT_EQ(first.run(), "");
  EXPECT_EQ(request.batch().observations(1).block_bytes(), 0);
}

TEST(WireTest, SynchronisedSamplesAreMeasuredAsABenchmarkMeasures) {
  Batch batch = TwoObservations();
  batch.measurement = Measurement::kBenchmark;
  v1::StreamObservationsRequest request;
  ASSERT_TRUE(request.ParseFromString(EncodeRequest(batch)));
  EXPECT_EQ(request.batch().measurement(), v1::MEASUREMENT_BENCHMARK);
}

TEST(WireTest, GeneratedCodeReadsSketches) {
  Batch batch = TwoObservations();
  domain::PatternSketch& sketch = batch.sketches.emplace_back();
  sketch.key = {.machine = "abel",
                .application = "solver",
                .kind = domain::PatternKind::kNeighbour,
                .nodes = 2,
                .ppn = 4,
                .ranks = 8};
  sketch.phase_count = 100;
  sketch.sampled_count = 10;
  sketch.repeat_count = 9;
  sketch.total_bytes = 1.5e12;
  sketch.timed_count = 99;
  sketch.inside_s = 0.25;
  sketch.between_s = 2.5;
  sketch.destination_counts[3] = 10;
  sketch.size_counts[39] = int64_t{1} << 40;
  sketch.distance_counts[1] = 20;
  const std::string written = EncodeRequest(batch);
  v1::StreamObservationsRequest request;
  ASSERT_TRUE(request.ParseFromString(written));
  EXPECT_EQ(request.SerializeAsString(), written);
  ASSERT_EQ(request.batch().sketches_size(), 1);
  const v1::PatternSketch& read = request.batch().sketches(0);
  EXPECT_EQ(read.machine(), "abel");
  EXPECT_EQ(read.application(), "solver");
  EXPECT_EQ(read.kind(), "neighbour");
  EXPECT_EQ(read.nodes(), 2);
  EXPECT_EQ(read.ppn(), 4);
  EXPECT_EQ(read.ranks(), 8);
  EXPECT_EQ(read.phase_count(), 100);
  EXPECT_EQ(read.sampled_count(), 10);
  EXPECT_EQ(read.repeat_count(), 9);
  EXPECT_EQ(read.total_bytes(), 1.5e12);
  EXPECT_EQ(read.timed_count(), 99);
  EXPECT_EQ(read.inside_s(), 0.25);
  EXPECT_EQ(read.between_s(), 2.5);
  ASSERT_EQ(read.destination_counts_size(), 4);
  EXPECT_EQ(read.destination_counts(3), 10);
  ASSERT_EQ(read.size_counts_size(), 40);
  EXPECT_EQ(read.size_counts(39), int64_t{1} << 40);
  EXPECT_EQ(read.distance_counts_size(), 2);
}

// Everything that is written has a field in the API, and nothing is written twice.
TEST(WireTest, WritesExactlyWhatGeneratedCodeWrites) {
  const std::string written = EncodeRequest(TwoObservations());
  v1::StreamObservationsRequest request;
  ASSERT_TRUE(request.ParseFromString(written));
  EXPECT_EQ(request.SerializeAsString(), written);
  const auto& observation = request.batch().observations(0);
  EXPECT_EQ(observation.GetReflection()->GetUnknownFields(observation).field_count(), 0);
}

TEST(WireTest, ReadsWhatGeneratedCodeWrites) {
  v1::StreamObservationsResponse response;
  response.set_sequence(int64_t{1} << 61);
  response.mutable_result()->set_stored_count(3);
  response.mutable_result()->add_created_machines("abel");
  response.set_error_code(8);
  response.set_error_message("behind");
  response.set_retry_delay_s(2.5);
  const auto read = DecodeResponse(response.SerializeAsString());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->sequence, int64_t{1} << 61);
  EXPECT_EQ(read->error_code, 8);
  EXPECT_EQ(read->error_message, "behind");
  EXPECT_EQ(read->retry_delay_s, 2.5);
}

TEST(WireTest, ARefusalOfRowsIsRead) {
  v1::StreamObservationsResponse response;
  response.mutable_result()->set_stored_count(7);
  response.mutable_result()->add_created_machines("machines/m");
  response.mutable_result()->set_refused_count(3);
  response.mutable_result()->set_refused_reason("machine m has timings of 100 scenarios");
  const std::string whole = response.SerializeAsString();
  const auto read = DecodeResponse(whole);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->error_code, 0);
  EXPECT_EQ(read->refused_count, 3);
  EXPECT_EQ(read->refused_reason, "machine m has timings of 100 scenarios");
  std::string cut = whole;
  --cut[1];  // the length of the result
  cut.pop_back();
  EXPECT_FALSE(DecodeResponse(cut).has_value());
}

TEST(WireTest, AnEmptyMessageIsAllDefaults) {
  const auto read = DecodeResponse("");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->sequence, 0);
  EXPECT_EQ(read->error_code, 0);
}

TEST(WireTest, FieldsOfALaterVersionAreSkipped) {
  v1::StreamObservationsResponse response;
  response.set_sequence(7);
  // Fields 100 (varint), 101 (64 bits), 102 (bytes), 103 (32 bits).
  const std::string later("\xa0\x06\x05\xa9\x06\1\2\3\4\5\6\7\x08\xb2\x06\2hi\xbd\x06\1\2\3\4", 24);
  const auto read = DecodeResponse(later + response.SerializeAsString());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->sequence, 7);
}

TEST(WireTest, EveryTruncationIsSeen) {
  v1::StreamObservationsResponse response;
  response.set_error_message("a message that is cut somewhere");
  const std::string whole = response.SerializeAsString();
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodeResponse(std::string_view(whole).substr(0, size)).has_value()) << size;
  }
}

TEST(WireTest, WhatIsNoMessageIsRefused) {
  EXPECT_FALSE(DecodeResponse("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").has_value());
  EXPECT_FALSE(DecodeResponse(std::string_view("\0\0", 2)).has_value());  // field 0
  EXPECT_FALSE(DecodeResponse("\x0b").has_value());                       // a group
  EXPECT_FALSE(DecodeResponse("\x22\xff\xff\xff\xff\xff\xff\xff\xff\x7f").has_value());
}

}  // namespace
}  // namespace cox::agent
