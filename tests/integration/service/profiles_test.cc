#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

using ProfileStub = v1::ProfileService::Stub;

v1::CreateProfileRequest Hockney(const std::string& machine, double alpha_s) {
  v1::CreateProfileRequest request;
  request.set_parent(absl::StrCat("machines/", machine));
  request.mutable_profile()->set_provenance(v1::PROVENANCE_IMPORTED);
  for (const char* level : {"node", "network"}) {
    const std::pair<const char*, double> parameters[] = {{"alpha", alpha_s}, {"beta", 1e-9}};
    for (const auto& [name, value] : parameters) {
      v1::Parameter* parameter = request.mutable_profile()->add_parameters();
      parameter->set_model("hockney");
      parameter->set_level(level);
      parameter->set_name(name);
      parameter->set_value(value);
    }
  }
  return request;
}

v1::Profile Add(const Daemon& daemon, const v1::CreateProfileRequest& request) {
  v1::Profile profile;
  const grpc::Status status =
      Call(&ProfileStub::CreateProfile, daemon.Profiles(), request, &profile);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return profile;
}

v1::Profile Active(const Daemon& daemon, const std::string& machine) {
  v1::GetProfileRequest request;
  request.set_name(absl::StrCat("machines/", machine, "/profiles/-"));
  v1::Profile profile;
  EXPECT_TRUE(Call(&ProfileStub::GetProfile, daemon.Profiles(), request, &profile).ok());
  return profile;
}

TEST(Profiles, EachRevisionIsKeptAndTheNewestSpeaks) {
  Daemon daemon;
  daemon.Register("delta");
  for (int i = 1; i <= 3; ++i) {
    const v1::Profile added = Add(daemon, Hockney("delta", i * 1e-6));
    EXPECT_EQ(added.revision(), i);
    EXPECT_EQ(added.name(), absl::StrCat("machines/delta/profiles/", i));
    EXPECT_EQ(added.parameters_size(), 4);
    EXPECT_EQ(added.parameters(0).unit(), "s");
  }
  EXPECT_EQ(Active(daemon, "delta").revision(), 3);
  v1::ListProfilesRequest list;
  list.set_parent("machines/delta");
  list.set_page_size(2);
  std::vector<int64_t> revisions;
  do {
    v1::ListProfilesResponse page;
    ASSERT_TRUE(Call(&ProfileStub::ListProfiles, daemon.Profiles(), list, &page).ok());
    for (const auto& profile : page.profiles()) {
      revisions.push_back(profile.revision());
      EXPECT_EQ(profile.active(), profile.revision() == 3);
    }
    list.set_page_token(page.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_EQ(revisions, (std::vector<int64_t>{3, 2, 1}));
}

TEST(Profiles, ARequestIdCountsOnce) {
  Daemon daemon;
  daemon.Register("delta");
  v1::CreateProfileRequest request = Hockney("delta", 1e-6);
  request.set_request_id("6e9f4f5e-0000-4000-8000-000000000002");
  EXPECT_EQ(Add(daemon, request).revision(), 1);
  EXPECT_EQ(Add(daemon, request).revision(), 1);
  EXPECT_EQ(Active(daemon, "delta").revision(), 1);
}

TEST(Profiles, APinHoldsUntilItIsTakenAway) {
  Daemon daemon;
  daemon.Register("delta");
  Add(daemon, Hockney("delta", 1e-6));
  Add(daemon, Hockney("delta", 2e-6));
  v1::PinProfileRequest pin;
  pin.set_name("machines/delta/profiles/1");
  v1::Profile profile;
  ASSERT_TRUE(Call(&ProfileStub::PinProfile, daemon.Profiles(), pin, &profile).ok());
  EXPECT_EQ(Active(daemon, "delta").revision(), 1);
  Add(daemon, Hockney("delta", 3e-6));
  EXPECT_EQ(Active(daemon, "delta").revision(), 1);
  daemon.Stop();
  daemon.Start();
  EXPECT_EQ(Active(daemon, "delta").revision(), 1);
  pin.set_name("machines/delta/profiles/-");
  ASSERT_TRUE(Call(&ProfileStub::PinProfile, daemon.Profiles(), pin, &profile).ok());
  EXPECT_EQ(profile.revision(), 3);
}

// Even with more to learn than is learned in one step.
TEST(Profiles, TheNextQuestionSeesTheProfileThatSpeaks) {
  Daemon daemon(daemon::ConfigValues{{"refine-interval", "1h"}});
  daemon.Register("delta");
  Add(daemon, Hockney("delta", 1e-6));
  Add(daemon, Hockney("delta", 1e-3));
  v1::PinProfileRequest pin;
  pin.set_name("machines/delta/profiles/1");
  v1::Profile profile;
  ASSERT_TRUE(Call(&ProfileStub::PinProfile, daemon.Profiles(), pin, &profile).ok());
  v1::ReportObservationsRequest report;
  for (int i = 0; i < 5'000; ++i) *report.add_observations() = MakeObservation("delta", i);
  for (int sequence = 1; sequence <= 6; ++sequence) {
    report.set_job("long");
    report.set_sequence(sequence);
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(),
                     report, &response)
                    .ok());
  }
  v1::Observation other = MakeObservation("delta", 0);
  other.set_library("mpich-4.0");
  EXPECT_LT(PredictedTime(daemon.Advice(), other), 1e-3);
  pin.set_name("machines/delta/profiles/-");
  ASSERT_TRUE(Call(&ProfileStub::PinProfile, daemon.Profiles(), pin, &profile).ok());
  EXPECT_EQ(profile.revision(), 2);
  v1::RecommendRequest ask;
  ask.set_machine("delta");
  ask.set_library("mpich-4.0");
  ask.set_collective("allreduce");
  ask.set_nodes(2);
  ask.set_ppn(8);
  ask.set_ranks(16);
  v1::RecommendResponse answer;
  ASSERT_TRUE(Call(&v1::AdviceService::Stub::Recommend, daemon.Advice(), ask, &answer).ok());
  EXPECT_EQ(answer.profile_revision(), 2);
}

TEST(Profiles, RollingBackAddsARevisionAndKeepsHistory) {
  Daemon daemon;
  daemon.Register("delta");
  Add(daemon, Hockney("delta", 1e-6));
  Add(daemon, Hockney("delta", 2e-6));
  v1::RollbackProfileRequest rollback;
  rollback.set_name("machines/delta/profiles/1");
  v1::Profile profile;
  ASSERT_TRUE(Call(&ProfileStub::RollbackProfile, daemon.Profiles(), rollback, &profile).ok());
  EXPECT_EQ(profile.revision(), 3);
  EXPECT_EQ(profile.parameters(0).value(), 1e-6);
  EXPECT_EQ(profile.note(), "rolled back to revision 1");
  EXPECT_EQ(Active(daemon, "delta").revision(), 3);
}

TEST(Profiles, WhatIsWrongIsNamed) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Profiles();
  v1::Profile profile;
  v1::CreateProfileRequest request = Hockney("nowhere", 1e-6);
  EXPECT_EQ(Call(&ProfileStub::CreateProfile, stub, request, &profile).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request = Hockney("delta", std::nan(""));
  EXPECT_EQ(FieldOf(Call(&ProfileStub::CreateProfile, stub, request, &profile)),
            "profile.parameters[0].value");
  request = Hockney("delta", 1e-6);
  request.mutable_profile()->mutable_parameters(1)->set_name("gamma");
  EXPECT_EQ(FieldOf(Call(&ProfileStub::CreateProfile, stub, request, &profile)),
            "profile.parameters[1].name");
  request.set_parent("Delta");
  EXPECT_EQ(FieldOf(Call(&ProfileStub::CreateProfile, stub, request, &profile)), "parent");

  v1::GetProfileRequest get;
  get.set_name("machines/delta/profiles/-");
  EXPECT_EQ(Call(&ProfileStub::GetProfile, stub, get, &profile).error_code(),
            grpc::StatusCode::NOT_FOUND);
  get.set_name("machines/delta/profiles/zero");
  EXPECT_EQ(FieldOf(Call(&ProfileStub::GetProfile, stub, get, &profile)), "name");

  v1::PinProfileRequest pin;
  pin.set_name("machines/delta/profiles/7");
  EXPECT_EQ(Call(&ProfileStub::PinProfile, stub, pin, &profile).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::RollbackProfileRequest rollback;
  rollback.set_name("machines/delta/profiles/7");
  EXPECT_EQ(Call(&ProfileStub::RollbackProfile, stub, rollback, &profile).error_code(),
            grpc::StatusCode::NOT_FOUND);

  v1::ListProfilesRequest list;
  list.set_parent("machines/nowhere");
  v1::ListProfilesResponse page;
  EXPECT_EQ(Call(&ProfileStub::ListProfiles, stub, list, &page).error_code(),
            grpc::StatusCode::NOT_FOUND);
  list.set_parent("machines/delta");
  list.set_page_size(-5);
  EXPECT_EQ(FieldOf(Call(&ProfileStub::ListProfiles, stub, list, &page)), "page_size");
  list.set_page_size(0);
  list.set_page_token("x");
  EXPECT_EQ(FieldOf(Call(&ProfileStub::ListProfiles, stub, list, &page)), "page_token");
}

// A batch of a job, a hundred times too long.
void ReportLies(const Daemon& daemon, const std::string& job, int64_t sequence,
                const std::string& source = "") {
  v1::ReportObservationsRequest report;
  report.set_job(job);
  report.set_source(source);
  report.set_sequence(sequence);
  report.set_await_learning(true);
  for (int i = 0; i < 16; ++i) {
    v1::Observation* const row = report.add_observations();
    *row = MakeObservation("delta", i);
    row->set_time_s(100 * 4 * (1e-6 + 1e-9 * static_cast<double>(row->block_bytes())));
  }
  v1::ReportObservationsResponse reported;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(), report,
                   &reported)
                  .ok());
}

// One job contradicts what a person set, by a factor of a hundred.
TEST(Profiles, WhatIsHeldBackWaitsUntilSomebodyAcceptsIt) {
  Daemon daemon;
  daemon.Register("delta");
  ASSERT_EQ(Add(daemon, Hockney("delta", 1e-6)).revision(), 1);
  v1::AcceptProfileRequest accept;
  accept.set_parent("machines/delta");
  v1::Profile accepted;
  EXPECT_EQ(Call(&ProfileStub::AcceptProfile, daemon.Profiles(), accept, &accepted).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION)
      << "nothing is held back yet";

  v1::ListProfilesRequest list;
  list.set_parent("machines/delta");
  v1::ListProfilesResponse profiles;
  for (int batch = 1; batch <= 100 && !profiles.has_held(); ++batch) {
    ReportLies(daemon, "4711", batch);
    ASSERT_TRUE(Call(&ProfileStub::ListProfiles, daemon.Profiles(), list, &profiles).ok());
  }
  ASSERT_TRUE(profiles.has_held());
  EXPECT_EQ(profiles.held().base_revision(), 1);
  EXPECT_GT(profiles.held().factor(), 2);
  EXPECT_EQ(Active(daemon, "delta").revision(), 1) << "the person's word holds";

  const grpc::Status status =
      Call(&ProfileStub::AcceptProfile, daemon.Profiles(), accept, &accepted);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(Active(daemon, "delta").revision(), accepted.revision());
  EXPECT_GT(accepted.revision(), 1);
  EXPECT_NE(accepted.note().find("accepted"), std::string::npos) << accepted.note();
  profiles.Clear();
  ASSERT_TRUE(Call(&ProfileStub::ListProfiles, daemon.Profiles(), list, &profiles).ok());
  EXPECT_FALSE(profiles.has_held());
  accept.set_parent("machines/epsilon");
  EXPECT_EQ(Call(&ProfileStub::AcceptProfile, daemon.Profiles(), accept, &accepted).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

// Forgetting one job of a liar must not make what another job of his says the active profile.
TEST(Profiles, WhatIsHeldBackStaysSoWhenOthersAreForgotten) {
  // Learning is not due again before the second one is forgotten.
  Daemon daemon(daemon::ConfigValues{{"refine-interval", "1h"}});
  daemon.Register("delta");
  const v1::Profile stated = Add(daemon, Hockney("delta", 1e-6));
  for (const char* const job : {"uid:1002/a", "uid:1002/b", "uid:1002/c"}) {
    for (int sequence = 1; sequence <= 3; ++sequence) ReportLies(daemon, job, sequence, "uid:1002");
  }
  v1::ListProfilesRequest list;
  list.set_parent("machines/delta");
  v1::ListProfilesResponse profiles;
  ASSERT_TRUE(Call(&ProfileStub::ListProfiles, daemon.Profiles(), list, &profiles).ok());
  ASSERT_TRUE(profiles.has_held());
  for (const char* const job : {"uid:1002/a", "uid:1002/b"}) {
    v1::ForgetObservationsRequest forget;
    forget.set_job(job);
    v1::ForgetObservationsResponse forgotten;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon.Observations(),
                     forget, &forgotten)
                    .ok());
    EXPECT_EQ(forgotten.removed_count(), 48);
    const v1::Profile active = Active(daemon, "delta");
    ASSERT_EQ(active.parameters_size(), stated.parameters_size());
    for (int i = 0; i < stated.parameters_size(); ++i) {
      EXPECT_EQ(active.parameters(i).value(), stated.parameters(i).value()) << job;
    }
    EXPECT_NE(active.note().find(job), std::string::npos) << active.note();
    profiles.Clear();
    ASSERT_TRUE(Call(&ProfileStub::ListProfiles, daemon.Profiles(), list, &profiles).ok());
    EXPECT_TRUE(profiles.has_held()) << "the rest is there, and waits: " << job;
    EXPECT_EQ(profiles.held().base_revision(), active.revision());
  }
}

}  // namespace
}  // namespace cox
