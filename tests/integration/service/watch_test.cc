#include <gtest/gtest.h>

#include "daemon.h"

namespace cox {
namespace {

using Reader = std::unique_ptr<grpc::ClientReader<v1::Profile>>;

void AddHockney(const Daemon& daemon, double alpha_s) {
  v1::CreateProfileRequest request;
  request.set_parent("machines/delta");
  for (const char* name : {"alpha", "beta"}) {
    v1::Parameter* parameter = request.mutable_profile()->add_parameters();
    parameter->set_model("hockney");
    parameter->set_level("network");
    parameter->set_name(name);
    parameter->set_value(alpha_s);
  }
  v1::Profile profile;
  ASSERT_TRUE(
      Call(&v1::ProfileService::Stub::CreateProfile, daemon.Profiles(), request, &profile).ok());
}

struct Watch {
  Watch(const Daemon& daemon, const std::string& parent) : stub(daemon.Profiles()) {
    v1::WatchProfileRequest request;
    request.set_parent(parent);
    reader = stub->WatchProfile(&context, request);
  }
  std::unique_ptr<v1::ProfileService::Stub> stub;
  grpc::ClientContext context;
  Reader reader;
};

TEST(WatchProfile, SendsTheOneThatSpeaksAndEveryOneAfterIt) {
  Daemon daemon;
  daemon.Register("delta");
  AddHockney(daemon, 1e-6);
  Watch watch(daemon, "machines/delta");
  v1::Profile profile;
  ASSERT_TRUE(watch.reader->Read(&profile));
  EXPECT_EQ(profile.revision(), 1);
  EXPECT_TRUE(profile.active());
  AddHockney(daemon, 2e-6);
  ASSERT_TRUE(watch.reader->Read(&profile));
  EXPECT_EQ(profile.revision(), 2);
  watch.context.TryCancel();
  while (watch.reader->Read(&profile)) {
  }
  EXPECT_EQ(watch.reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST(WatchProfile, WaitsForTheFirstProfileOfAMachineWithoutOne) {
  Daemon daemon;
  daemon.Register("delta");
  Watch watch(daemon, "machines/delta");
  watch.reader->WaitForInitialMetadata();
  AddHockney(daemon, 1e-6);
  v1::Profile profile;
  ASSERT_TRUE(watch.reader->Read(&profile));
  EXPECT_EQ(profile.revision(), 1);
  watch.context.TryCancel();
}

TEST(WatchProfile, EndsWithUnavailableWhenTheDaemonDrains) {
  Daemon daemon;
  daemon.Register("delta");
  AddHockney(daemon, 1e-6);
  Watch watch(daemon, "machines/delta");
  v1::Profile profile;
  ASSERT_TRUE(watch.reader->Read(&profile));
  daemon.server().Drain();
  EXPECT_FALSE(watch.reader->Read(&profile));
  EXPECT_EQ(watch.reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(WatchProfile, RefusesAMachineThatIsNotThere) {
  Daemon daemon;
  v1::Profile profile;
  Watch unknown(daemon, "machines/nowhere");
  EXPECT_FALSE(unknown.reader->Read(&profile));
  EXPECT_EQ(unknown.reader->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
  Watch malformed(daemon, "machines/No Where");
  EXPECT_FALSE(malformed.reader->Read(&profile));
  EXPECT_EQ(FieldOf(malformed.reader->Finish()), "parent");
}

TEST(WatchProfile, OverTheBoundOfStreamsClientsAreToldToRetry) {
  Daemon daemon(daemon::ConfigValues{{"max-streams", "2"}});
  daemon.Register("delta");
  AddHockney(daemon, 1e-6);
  v1::Profile profile;
  Watch first(daemon, "machines/delta");
  Watch second(daemon, "machines/delta");
  ASSERT_TRUE(first.reader->Read(&profile));
  ASSERT_TRUE(second.reader->Read(&profile));
  Watch third(daemon, "machines/delta");
  EXPECT_FALSE(third.reader->Read(&profile));
  EXPECT_EQ(third.reader->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  first.context.TryCancel();
  second.context.TryCancel();
}

}  // namespace
}  // namespace cox
