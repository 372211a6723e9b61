#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "daemon.h"

namespace cox {
namespace {

using MachineStub = v1::MachineService::Stub;

v1::CreateMachineRequest Delta() {
  v1::CreateMachineRequest request;
  request.mutable_machine()->set_name("machines/delta");
  request.mutable_machine()->set_nodes(512);
  request.mutable_machine()->set_cores_per_node(1);
  request.mutable_machine()->mutable_topology()->set_kind("mesh");
  request.mutable_machine()->mutable_topology()->add_dims(16);
  request.mutable_machine()->mutable_topology()->add_dims(32);
  return request;
}

TEST(Machines, AreCreatedReadListedAndDeleted) {
  Daemon daemon;
  const auto stub = daemon.Machines();
  v1::Machine created;
  ASSERT_TRUE(Call(&MachineStub::CreateMachine, stub, Delta(), &created).ok());
  EXPECT_GT(created.create_time().seconds(), 0);

  v1::GetMachineRequest get;
  get.set_name("machines/delta");
  v1::Machine read;
  ASSERT_TRUE(Call(&MachineStub::GetMachine, stub, get, &read).ok());
  EXPECT_EQ(read.SerializeAsString(), created.SerializeAsString());
  EXPECT_EQ(read.topology().dims(1), 32);

  v1::DeleteMachineRequest remove;
  remove.set_name("machines/delta");
  google::protobuf::Empty empty;
  ASSERT_TRUE(Call(&MachineStub::DeleteMachine, stub, remove, &empty).ok());
  EXPECT_EQ(Call(&MachineStub::GetMachine, stub, get, &read).error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Call(&MachineStub::DeleteMachine, stub, remove, &empty).error_code(),
            grpc::StatusCode::NOT_FOUND);

  v1::UndeleteMachineRequest undelete;
  undelete.set_name("machines/delta");
  v1::Machine back;
  ASSERT_TRUE(Call(&MachineStub::UndeleteMachine, stub, undelete, &back).ok());
  EXPECT_EQ(back.SerializeAsString(), created.SerializeAsString());
  EXPECT_EQ(Call(&MachineStub::UndeleteMachine, stub, undelete, &back).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  undelete.set_name("No Name");
  EXPECT_EQ(FieldOf(Call(&MachineStub::UndeleteMachine, stub, undelete, &back)), "name");
}

TEST(Machines, AnUndeletedOneAnswersQuestionsAgain) {
  Daemon daemon;
  daemon.Register("delta");
  daemon.SetProfile("delta", {{"hockney", "node", "alpha", 1e-6},
                              {"hockney", "node", "beta", 1e-9},
                              {"hockney", "network", "alpha", 1e-6},
                              {"hockney", "network", "beta", 1e-9}});
  const double before_s = PredictedTime(daemon.Advice(), MakeObservation("delta", 1));
  EXPECT_GT(before_s, 0);
  v1::DeleteMachineRequest remove;
  remove.set_name("machines/delta");
  google::protobuf::Empty empty;
  ASSERT_TRUE(Call(&MachineStub::DeleteMachine, daemon.Machines(), remove, &empty).ok());
  v1::UndeleteMachineRequest undelete;
  undelete.set_name("delta");
  v1::Machine back;
  ASSERT_TRUE(Call(&MachineStub::UndeleteMachine, daemon.Machines(), undelete, &back).ok());
  EXPECT_EQ(PredictedTime(daemon.Advice(), MakeObservation("delta", 1)), before_s);
}

TEST(Machines, CreatingAgainWithTheSameShapeChangesNothing) {
  Daemon daemon;
  const auto stub = daemon.Machines();
  v1::CreateMachineRequest request = Delta();
  request.set_request_id("6e9f4f5e-0000-4000-8000-000000000001");
  v1::Machine first;
  v1::Machine second;
  ASSERT_TRUE(Call(&MachineStub::CreateMachine, stub, request, &first).ok());
  ASSERT_TRUE(Call(&MachineStub::CreateMachine, stub, request, &second).ok());
  EXPECT_EQ(first.SerializeAsString(), second.SerializeAsString());

  v1::CreateMachineRequest other = Delta();
  other.mutable_machine()->set_nodes(8);
  EXPECT_EQ(Call(&MachineStub::CreateMachine, stub, other, &second).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
}

TEST(Machines, WhatIsWrongIsNamed) {
  Daemon daemon;
  const auto stub = daemon.Machines();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const struct {
    const char* field;
    std::function<void(v1::Machine*)> spoil;
  } cases[] = {
      {"machine.name", [](auto* m) { m->clear_name(); }},
      {"machine.name", [](auto* m) { m->set_name("machines/Delta!"); }},
      {"machine.nodes", [](auto* m) { m->set_nodes(0); }},
      {"machine.nodes", [](auto* m) { m->set_nodes(kMax); }},
      {"machine.cores_per_node", [](auto* m) { m->set_cores_per_node(-1); }},
      {"machine.topology.kind", [](auto* m) { m->mutable_topology()->set_kind("moebius"); }},
      {"machine.topology.dims[0]", [](auto* m) { m->mutable_topology()->set_dims(0, 0); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::CreateMachineRequest request = Delta();
    spoil(request.mutable_machine());
    v1::Machine response;
    const grpc::Status status = Call(&MachineStub::CreateMachine, stub, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  v1::CreateMachineRequest empty;
  v1::Machine response;
  EXPECT_EQ(Call(&MachineStub::CreateMachine, stub, empty, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(Machines, PagesHoldEachOneOnceWhateverIsAddedMeanwhile) {
  Daemon daemon;
  const auto stub = daemon.Machines();
  for (int i = 0; i < 7; ++i) daemon.Register(absl::StrCat("m", i));
  std::set<std::string> seen;
  v1::ListMachinesRequest request;
  request.set_page_size(3);
  int pages = 0;
  do {
    v1::ListMachinesResponse response;
    ASSERT_TRUE(Call(&MachineStub::ListMachines, stub, request, &response).ok());
    EXPECT_LE(response.machines_size(), 3);
    for (const auto& machine : response.machines()) {
      EXPECT_TRUE(seen.insert(machine.name()).second) << machine.name();
    }
    request.set_page_token(response.next_page_token());
    if (++pages == 1) daemon.Register("a0");  // before the page that was read
  } while (!request.page_token().empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen.size(), 7u);
}

TEST(Machines, BadPagesAreRefused) {
  Daemon daemon;
  const auto stub = daemon.Machines();
  v1::ListMachinesResponse response;
  v1::ListMachinesRequest request;
  request.set_page_size(-1);
  EXPECT_EQ(FieldOf(Call(&MachineStub::ListMachines, stub, request, &response)), "page_size");
  request.set_page_size(0);
  request.set_page_token("AAAA");
  EXPECT_EQ(FieldOf(Call(&MachineStub::ListMachines, stub, request, &response)), "page_token");
}

}  // namespace
}  // namespace cox
