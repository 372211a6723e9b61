#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "daemon.h"

namespace cox {
namespace {

using CalibrationStub = v1::CalibrationService::Stub;

constexpr double kAlphaSeconds = 2e-6;
constexpr double kBetaSecondsPerByte = 1e-9;

v1::CalibrateRequest LearnedPingPong() {
  v1::CalibrateRequest request;
  request.set_parent("machines/delta");
  for (int repetition = 0; repetition < 5; ++repetition) {
    for (int64_t bytes = 0; bytes <= 1 << 20; bytes = bytes == 0 ? 1 : bytes * 4) {
      v1::Sample* sample = request.add_samples();
      sample->set_kind("pingpong");
      sample->set_level("node");
      sample->set_block_bytes(bytes);
      const double noise = 1 + 0.01 * std::sin(repetition * 7.0 + bytes);
      sample->set_time_s((kAlphaSeconds + kBetaSecondsPerByte * bytes) * noise);
    }
  }
  return request;
}

TEST(Calibrate, FindsTheParametersAndTheirErrors) {
  Daemon daemon;
  daemon.Register("delta");
  v1::CalibrateResponse response;
  const grpc::Status status =
      Call(&CalibrationStub::Calibrate, daemon.Calibrations(), LearnedPingPong(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.profile().provenance(), v1::PROVENANCE_CALIBRATED);
  std::map<std::string, v1::Parameter> hockney;
  for (const auto& parameter : response.profile().parameters()) {
    if (parameter.model() == "hockney" && parameter.level() == "node") {
      hockney[parameter.name()] = parameter;
    }
  }
  ASSERT_TRUE(hockney.contains("alpha"));
  ASSERT_TRUE(hockney.contains("beta"));
  EXPECT_NEAR(hockney["alpha"].value(), kAlphaSeconds, 0.05 * kAlphaSeconds);
  EXPECT_NEAR(hockney["beta"].value(), kBetaSecondsPerByte, 0.05 * kBetaSecondsPerByte);
  EXPECT_GT(hockney["alpha"].stderr(), 0);
  EXPECT_LT(hockney["alpha"].stderr(), 0.1 * kAlphaSeconds);
  bool fitted = false;
  for (const auto& fit : response.fits()) fitted |= fit.model() == "hockney";
  EXPECT_TRUE(fitted);
}

TEST(Calibrate, ARequestIdCountsOnce) {
  Daemon daemon;
  daemon.Register("delta");
  v1::CalibrateRequest request = LearnedPingPong();
  request.set_request_id("6e9f4f5e-0000-4000-8000-000000000003");
  for (int attempt = 0; attempt < 2; ++attempt) {
    v1::CalibrateResponse response;
    ASSERT_TRUE(Call(&CalibrationStub::Calibrate, daemon.Calibrations(), request, &response).ok());
    EXPECT_EQ(response.profile().revision(), 1);
  }
}

TEST(Calibrate, WhatIsWrongIsNamedAndAddsNothing) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Calibrations();
  const struct {
    const char* field;
    std::function<void(v1::CalibrateRequest*)> spoil;
  } cases[] = {
      {"parent", [](auto* r) { r->set_parent(""); }},
      {"samples", [](auto* r) { r->clear_samples(); }},
      {"samples[2].level", [](auto* r) { r->mutable_samples(2)->set_level("rack"); }},
      {"samples[2].time_s", [](auto* r) { r->mutable_samples(2)->set_time_s(std::nan("")); }},
      {"samples[0].time_s", [](auto* r) { r->mutable_samples(0)->set_time_s(0); }},
      {"samples[1].block_bytes", [](auto* r) { r->mutable_samples(1)->set_block_bytes(-1); }},
      {"samples[1].pairs", [](auto* r) { r->mutable_samples(1)->set_pairs(-1); }},
      {"samples[1].kind", [](auto* r) { r->mutable_samples(1)->clear_kind(); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::CalibrateRequest request = LearnedPingPong();
    spoil(&request);
    v1::CalibrateResponse response;
    const grpc::Status status = Call(&CalibrationStub::Calibrate, stub, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  v1::CalibrateRequest request = LearnedPingPong();
  request.set_parent("machines/nowhere");
  v1::CalibrateResponse response;
  EXPECT_EQ(Call(&CalibrationStub::Calibrate, stub, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::ListProfilesRequest list;
  list.set_parent("machines/delta");
  v1::ListProfilesResponse profiles;
  ASSERT_TRUE(
      Call(&v1::ProfileService::Stub::ListProfiles, daemon.Profiles(), list, &profiles).ok());
  EXPECT_EQ(profiles.profiles_size(), 0);
}

}  // namespace
}  // namespace cox
