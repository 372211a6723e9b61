#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "daemon/stored_profile.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "domain/profile.h"
#include "model/profile.h"
#include "service/convert/checks.h"
#include "service/convert/observation.h"
#include "service/convert/profile.h"
#include "service/convert/sample.h"

namespace cox::service {
namespace {

v1::Observation GoodObservation() {
  v1::Observation observation;
  observation.set_machine("delta");
  observation.set_library("openmpi-4.1");
  observation.set_collective("alltoall");
  observation.set_algorithm("pairwise");
  observation.set_nodes(2);
  observation.set_ppn(4);
  observation.set_ranks(8);
  observation.set_block_bytes(1024);
  observation.set_time_s(1e-3);
  return observation;
}

TEST(Convert, AnObservationSurvivesTheWayThereAndBack) {
  v1::Observation observation = GoodObservation();
  observation.mutable_at()->set_seconds(1'700'000'000);
  observation.mutable_at()->set_nanos(123'456'000);
  observation.set_stddev_s(1e-5);
  observation.set_count(9);
  observation.set_statistic("median");
  observation.set_run("r1");
  observation.set_type_bytes(8);
  observation.set_measurement(v1::MEASUREMENT_BENCHMARK);
  const auto record = ToRecord(observation, 1'800'000'000'000'000);
  ASSERT_TRUE(record.ok()) << record.status();
  v1::Observation back;
  FromRecord(*record, &back);
  EXPECT_EQ(back.SerializeAsString(), observation.SerializeAsString());
}

TEST(Convert, DefaultsOfAnObservation) {
  const auto record = ToRecord(GoodObservation(), 77);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->count, 1);
  EXPECT_EQ(record->scenario.type_bytes, 4);
  EXPECT_EQ(record->at_us, 77);
}

TEST(Convert, AnObservationWasNotMeasuredAfterNow) {
  v1::Observation observation = GoodObservation();
  observation.mutable_at()->set_seconds(253'402'300'799);
  const auto record = ToRecord(observation, 77);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->at_us, 77);
}

TEST(Convert, WhatIsWrongWithAnObservationIsNamed) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const struct {
    const char* field;
    std::function<void(v1::Observation*)> spoil;
  } cases[] = {
      {"machine", [](auto* o) { o->set_machine("No Such"); }},
      {"library", [](auto* o) { o->clear_library(); }},
      {"library", [](auto* o) { o->set_library(std::string(65, 'x')); }},
      {"collective", [](auto* o) { o->clear_collective(); }},
      {"algorithm", [](auto* o) { o->clear_algorithm(); }},
      {"algorithm", [](auto* o) { o->set_algorithm(std::string(129, 'x')); }},
      {"nodes", [](auto* o) { o->set_nodes(0); }},
      {"nodes", [](auto* o) { o->set_nodes(kMax); }},
      {"ppn", [](auto* o) { o->set_ppn(-1); }},
      {"ranks", [](auto* o) { o->set_ranks(0); }},
      {"ranks", [](auto* o) { o->set_ranks(9); }},
      {"ranks", [](auto* o) { o->set_ranks(kMax); }},
      {"block_bytes", [](auto* o) { o->set_block_bytes(-1); }},
      {"block_bytes", [](auto* o) { o->set_block_bytes(kMax); }},
      {"type_bytes", [](auto* o) { o->set_type_bytes(-4); }},
      {"time_s", [](auto* o) { o->set_time_s(0); }},
      {"time_s", [](auto* o) { o->set_time_s(-1e-6); }},
      {"time_s", [](auto* o) { o->set_time_s(kNan); }},
      {"time_s", [](auto* o) { o->set_time_s(kInf); }},
      {"stddev_s", [](auto* o) { o->set_stddev_s(-1); }},
      {"stddev_s", [](auto* o) { o->set_stddev_s(kNan); }},
      {"count", [](auto* o) { o->set_count(-1); }},
      {"statistic", [](auto* o) { o->set_statistic("mode"); }},
      {"run", [](auto* o) { o->set_run(std::string(129, 'x')); }},
      {"at.seconds", [](auto* o) { o->mutable_at()->set_seconds(kMax); }},
      {"at.seconds", [](auto* o) { o->mutable_at()->set_seconds(-1); }},
      {"at.nanos", [](auto* o) { o->mutable_at()->set_nanos(-1); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::Observation observation = GoodObservation();
    spoil(&observation);
    const auto record = ToRecord(observation, 0);
    ASSERT_FALSE(record.ok()) << field << ": " << observation.ShortDebugString();
    EXPECT_EQ(domain::FieldOf(record.status()), field) << record.status();
  }
}

TEST(Convert, WhatIsWrongWithASampleIsNamed) {
  v1::Sample sample;
  sample.set_kind("pingpong");
  sample.set_level("node");
  sample.set_time_s(1e-6);
  EXPECT_EQ(ToSample(sample)->pairs, 1);
  v1::Sample between_sockets = sample;
  between_sockets.set_level("socket");
  EXPECT_EQ(ToSample(between_sockets)->level, domain::Level::kSocket);
  const struct {
    const char* field;
    std::function<void(v1::Sample*)> spoil;
  } cases[] = {
      {"kind", [](auto* s) { s->clear_kind(); }},
      {"level", [](auto* s) { s->set_level("rack"); }},
      {"pairs", [](auto* s) { s->set_pairs(-1); }},
      {"block_bytes", [](auto* s) { s->set_block_bytes(-1); }},
      {"time_s", [](auto* s) { s->set_time_s(std::nan("")); }},
      {"time_s", [](auto* s) { s->set_time_s(0); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::Sample bad = sample;
    spoil(&bad);
    EXPECT_EQ(domain::FieldOf(ToSample(bad).status()), field) << bad.ShortDebugString();
  }
}

TEST(Checks, ControlCharactersAreRefused) {
  for (const char* const bad : {"\x1b[2J", "a\nb", "\x7f",
                                "a\xc2\x9b"
                                "31m",
                                "\xc2\x80"}) {
    EXPECT_EQ(domain::FieldOf(CheckName("job", bad)), "job") << bad;
  }
  for (const char* const good : {"", "job.1@node-7", "caf\xc3\xa9", "\xc2\xb5s", "\xe2\x82\xac"}) {
    EXPECT_TRUE(CheckName("job", good).ok()) << good;
  }
}

TEST(Convert, WhatIsWrongWithAProfileIsNamed) {
  v1::Profile profile;
  v1::Parameter* parameter = profile.add_parameters();
  parameter->set_model("hockney");
  parameter->set_level("network");
  parameter->set_name("alpha");
  parameter->set_value(1e-6);
  ASSERT_TRUE(ToRecord("delta", profile).ok()) << ToRecord("delta", profile).status();
  const std::function<void(v1::Parameter*)> spoils[] = {
      [](auto* p) { p->set_value(std::nan("")); }, [](auto* p) { p->set_value(-1); },
      [](auto* p) { p->set_level("rack"); },       [](auto* p) { p->set_model("guess"); },
      [](auto* p) { p->set_name("gamma"); },       [](auto* p) { p->set_stderr(-1); },
      [](auto* p) { p->set_value(INFINITY); },
  };
  for (const auto& spoil : spoils) {
    v1::Profile bad = profile;
    spoil(bad.mutable_parameters(0));
    const auto record = ToRecord("delta", bad);
    ASSERT_FALSE(record.ok()) << bad.ShortDebugString();
    EXPECT_EQ(domain::FieldOf(record.status()).find("profile.parameters[0]."), 0u)
        << record.status();
  }
}

TEST(Convert, AProfileOfTooManyPiecesIsRefusedWhenNewAndThinnedWhenStored) {
  v1::Profile profile;
  store::ProfileRecord stored;
  for (int i = 0; i < 40; ++i) {
    v1::Parameter* parameter = profile.add_parameters();
    parameter->set_model("hockney");
    parameter->set_level("network");
    parameter->set_name("alpha");
    parameter->set_value(1e-6 * (i + 1));
    parameter->set_above(64 * i);
    stored.parameters.push_back({.model = "hockney",
                                 .level = domain::Level::kNetwork,
                                 .name = "alpha",
                                 .value = parameter->value(),
                                 .source = {},
                                 .above = parameter->above()});
  }
  EXPECT_EQ(domain::FieldOf(ToRecord("delta", profile).status()), "profile.parameters[16].above");
  const domain::Profile read = daemon::ProfileOf(stored);
  EXPECT_TRUE(model::Validate(read).ok()) << model::Validate(read);
  EXPECT_EQ(read.parameters.size(), model::kMaxPieces);
  EXPECT_EQ(read.parameters.front().value, 1e-6);
  EXPECT_EQ(read.parameters.back().value, 1e-6 * 40);
}

}  // namespace
}  // namespace cox::service
