// Every RPC that changes data leaves a record of who called it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "access/rules.h"
#include "cox/v1/access.grpc.pb.h"
#include "daemon.h"

namespace cox {
namespace {

constexpr const char* kMachine = "machines/delta";

class Audit : public ::testing::Test {
 protected:
  template <typename Stub, typename Request, typename Response>
  void Do(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
          const std::unique_ptr<Stub>& stub, const Request& request) {
    Response response;
    const grpc::Status status = Call(method, stub, request, &response);
    EXPECT_TRUE(status.ok()) << request.GetTypeName() << ": " << status.error_message();
  }
  v1::ListAuditRecordsResponse List(const v1::ListAuditRecordsRequest& request = {}) {
    v1::ListAuditRecordsResponse response;
    const grpc::Status status =
        Call(&v1::AccessService::Stub::ListAuditRecords,
             v1::AccessService::NewStub(daemon_.channel()), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  Daemon daemon_{{{"anonymous-role", "admin"}}};
};

v1::CalibrateRequest PingPong() {
  v1::CalibrateRequest request;
  request.set_parent(kMachine);
  for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    v1::Sample* sample = request.add_samples();
    sample->set_kind("pingpong");
    sample->set_level("node");
    sample->set_block_bytes(bytes);
    sample->set_time_s(2e-6 + 1e-9 * static_cast<double>(bytes));
  }
  return request;
}

TEST_F(Audit, EveryChangeLeavesARecord) {
  daemon_.Register("delta");
  daemon_.SetProfile("delta", {{"hockney", "network", "alpha", 1e-6}});
  v1::PinProfileRequest pin;
  pin.set_name("machines/delta/profiles/1");
  Do(&v1::ProfileService::Stub::PinProfile, daemon_.Profiles(), pin);
  v1::RollbackProfileRequest rollback;
  rollback.set_name("machines/delta/profiles/1");
  Do(&v1::ProfileService::Stub::RollbackProfile, daemon_.Profiles(), rollback);
  Do(&v1::CalibrationService::Stub::Calibrate, daemon_.Calibrations(), PingPong());
  v1::ReportObservationsRequest report;
  report.set_source("times.csv");
  *report.add_observations() = MakeObservation("delta", 1);
  Do(&v1::ObservationService::Stub::ReportObservations, daemon_.Observations(), report);
  v1::ForgetObservationsRequest forget;
  forget.set_source("times.csv");
  Do(&v1::ObservationService::Stub::ForgetObservations, daemon_.Observations(), forget);
  const auto access = v1::AccessService::NewStub(daemon_.channel());
  v1::CreateTokenRequest create;
  create.mutable_token()->set_name("tokens/ci");
  create.mutable_token()->set_role(v1::ROLE_VIEWER);
  Do(&v1::AccessService::Stub::CreateToken, access, create);
  v1::RevokeTokenRequest revoke;
  revoke.set_name("ci");
  Do(&v1::AccessService::Stub::RevokeToken, access, revoke);
  v1::SetSwitchesRequest switches;
  switches.set_name("machines/delta/switches");
  switches.set_text("SwitchName=s Nodes=n[1-4]");
  Do(&v1::MachineService::Stub::SetSwitches, daemon_.Machines(), switches);
  v1::DeleteMachineRequest remove;
  remove.set_name(kMachine);
  Do(&v1::MachineService::Stub::DeleteMachine, daemon_.Machines(), remove);
  v1::UndeleteMachineRequest undelete;
  undelete.set_name(kMachine);
  Do(&v1::MachineService::Stub::UndeleteMachine, daemon_.Machines(), undelete);

  std::set<std::string> recorded;
  const v1::ListAuditRecordsResponse all = List();
  for (const v1::AuditRecord& record : all.records()) {
    EXPECT_EQ(record.principal(), "anonymous");
    EXPECT_GT(record.change_time().seconds(), 0);
    recorded.insert(record.method());
  }
  // An import is a change, a job's report is none. Here nothing is held back that could be
  // accepted.
  std::set<std::string> expected = {"cox.v1.ObservationService/ReportObservations"};
  for (const access::Rule& rule : access::Rules()) {
    if (rule.kind == access::CallKind::kChange) expected.emplace(rule.method);
  }
  EXPECT_EQ(expected.erase("cox.v1.ProfileService/AcceptProfile"), 1u);
  EXPECT_EQ(recorded, expected);
}

TEST_F(Audit, AsksPagesAndRefusesWhatIsWrong) {
  for (const char* machine : {"m1", "m2", "m3"}) daemon_.Register(machine);
  v1::ListAuditRecordsRequest request;
  request.set_page_size(2);
  v1::ListAuditRecordsResponse page = List(request);
  ASSERT_EQ(page.records_size(), 2);
  EXPECT_EQ(page.records(0).machine(), "m3");
  request.set_page_token(page.next_page_token());
  page = List(request);
  ASSERT_EQ(page.records_size(), 1);
  EXPECT_EQ(page.records(0).machine(), "m1");
  EXPECT_EQ(page.next_page_token(), "");

  v1::ListAuditRecordsRequest of_one;
  of_one.set_machine("machines/m2");
  of_one.set_principal("anonymous");
  ASSERT_EQ(List(of_one).records_size(), 1);
  EXPECT_EQ(List(of_one).records(0).change(), "4 nodes of 8 cores");
  of_one.set_principal("uid:1");
  EXPECT_EQ(List(of_one).records_size(), 0);

  const auto field_of = [this](const v1::ListAuditRecordsRequest& wrong) {
    v1::ListAuditRecordsResponse response;
    return FieldOf(Call(&v1::AccessService::Stub::ListAuditRecords,
                        v1::AccessService::NewStub(daemon_.channel()), wrong, &response));
  };
  v1::ListAuditRecordsRequest wrong;
  wrong.set_machine("No Machine");
  EXPECT_EQ(field_of(wrong), "machine");
  wrong.Clear();
  wrong.set_page_size(-1);
  EXPECT_EQ(field_of(wrong), "page_size");
  wrong.Clear();
  wrong.mutable_since_time()->set_seconds(-1);
  EXPECT_EQ(field_of(wrong), "since_time.seconds");
  wrong.Clear();
  wrong.set_page_token("x");
  EXPECT_EQ(field_of(wrong), "page_token");
}

TEST_F(Audit, AJobsReportsAreNoChangeButAnImportOfThemIs) {
  daemon_.Register("delta");
  v1::StreamObservationsRequest message;
  v1::ReportObservationsRequest& report = *message.mutable_batch();
  report.set_job("4711");
  report.set_source("ada@login");
  *report.add_observations() = MakeObservation("delta", 1);
  // As agents report.
  grpc::ClientContext context;
  const auto observations = daemon_.Observations();
  const auto stream = observations->StreamObservations(&context);
  ASSERT_TRUE(stream->Write(message));
  stream->WritesDone();
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));
  ASSERT_EQ(response.result().stored_count(), 1) << response.error_message();
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_EQ(List().records_size(), 1) << "the machine";
  // As `cox observations import` sends the rows of an export.
  report.set_sequence(1);
  Do(&v1::ObservationService::Stub::ReportObservations, daemon_.Observations(), report);
  const v1::ListAuditRecordsResponse all = List();
  ASSERT_EQ(all.records_size(), 2);
  EXPECT_EQ(all.records(0).change(), "1 observation of source ada@login of job 4711");
}

}  // namespace
}  // namespace cox
