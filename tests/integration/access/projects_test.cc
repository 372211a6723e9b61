// Machines of a project, which only its members and operators see.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "access_fixture.h"
#include "cox/v1/history.grpc.pb.h"

namespace cox {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;
using ::grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MethodDescriptor& Described(absl::string_view method) {
  std::string name(method);
  std::replace(name.begin(), name.end(), '/', '.');
  return *DescriptorPool::generated_pool()->FindMethodByName(name);
}

std::unique_ptr<Message> NewRequest(absl::string_view method) {
  return std::unique_ptr<Message>(
      MessageFactory::generated_factory()->GetPrototype(Described(method).input_type())->New());
}

// Sets each field for a machine, of the message and of one of each of its parts; counts them.
int NameMachine(const std::string& machine, Message* message, int depth = 0) {
  constexpr int kDeepest = 3;  // some parts have parts of their own kind
  int count = 0;
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message->GetDescriptor()->field(i);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const google::protobuf::Reflection& reflection = *message->GetReflection();
    if (is_message && !field->is_map() && depth < kDeepest) {
      const std::unique_ptr<Message> part(
          reflection.GetMessageFactory()->GetPrototype(field->message_type())->New());
      const int inside = NameMachine(machine, part.get(), depth + 1);
      if (inside == 0) continue;
      count += inside;
      Message* const own = field->is_repeated() ? reflection.AddMessage(message, field)
                                                : reflection.MutableMessage(message, field);
      own->CopyFrom(*part);
    }
    const bool names_one = field->name() == "machine" ||
                           (depth == 0 && (field->name() == "parent" || field->name() == "name"));
    if (names_one && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection.SetString(message, field, "machines/" + machine);
      ++count;
    }
  }
  return count;
}

class Projects : public AccessFixture {
 protected:
  void StartWithMachines(const std::string& file = "") {
    Start({}, file);
    Register("open");
    Register("wx-1");
    for (const v1::Role role : {v1::ROLE_VIEWER, v1::ROLE_REPORTER, v1::ROLE_OPERATOR}) {
      tokens_[absl::StrCat("out-", role)] = NewToken(absl::StrCat("out-", role), role);
    }
    tokens_["in"] = NewToken("in", v1::ROLE_REPORTER);
  }
  std::string Settings(const std::string& projects) const {
    const std::string file = directory_.path() + "/coxd.toml";
    std::ofstream(file) << "projects = \"" << projects << "\"\n";
    return file;
  }
  std::vector<std::string> MachinesSeenBy(const std::string& who) {
    v1::ListMachinesRequest request;
    request.set_page_size(1);
    std::vector<std::string> names;
    do {
      v1::ListMachinesResponse response;
      grpc::ClientContext context;
      Sign(tokens_[who], &context);
      const grpc::Status status =
          v1::MachineService::NewStub(OverTcp())->ListMachines(&context, request, &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(response.machines_size(), 1) << "a page that is not full tells of what it hides";
      for (const v1::Machine& machine : response.machines()) names.push_back(machine.name());
      request.set_page_token(response.next_page_token());
    } while (!request.page_token().empty());
    return names;
  }
  grpc::Status Ask(const std::string& who, absl::string_view method, const Message& request) {
    return CallAny(OverTcp(), method, tokens_[who], request.SerializeAsString());
  }
  std::string Viewer() const { return absl::StrCat("out-", v1::ROLE_VIEWER); }
  std::string Reporter() const { return absl::StrCat("out-", v1::ROLE_REPORTER); }
  std::string Operator() const { return absl::StrCat("out-", v1::ROLE_OPERATOR); }

  std::map<std::string, std::string> tokens_;
};

TEST_F(Projects, EveryMethodThatNamesAMachineRefusesOthers) {
  StartWithMachines(Settings("wx-*=token:in"));
  int named = 0;
  for (const access::Rule& rule : access::Rules()) {
    if (rule.role >= access::Role::kOperator) continue;
    const std::unique_ptr<Message> request = NewRequest(rule.method);
    if (rule.method == "cox.v1.ObservationService/StreamObservations") {
      continue;  // answers each message; below
    }
    if (NameMachine("wx-1", request.get()) == 0) continue;
    ++named;
    EXPECT_EQ(Ask(Reporter(), rule.method, *request).error_code(), StatusCode::PERMISSION_DENIED)
        << rule.method;
    if (rule.method == "cox.v1.ProfileService/WatchProfile") continue;  // has no end
    EXPECT_NE(Ask("in", rule.method, *request).error_code(), StatusCode::PERMISSION_DENIED)
        << rule.method;
    EXPECT_NE(Ask(Operator(), rule.method, *request).error_code(), StatusCode::PERMISSION_DENIED)
        << rule.method;
    const std::unique_ptr<Message> other = NewRequest(rule.method);
    NameMachine("open", other.get());
    EXPECT_NE(Ask(Reporter(), rule.method, *other).error_code(), StatusCode::PERMISSION_DENIED)
        << rule.method;
  }
  EXPECT_GE(named, 20);
}

TEST_F(Projects, AStreamRefusesTheTimingsOfOthers) {
  StartWithMachines(Settings("wx-*=token:in"));
  for (const auto& [who, refused] :
       {std::pair<std::string, bool>{Reporter(), true}, {"in", false}}) {
    grpc::ClientContext context;
    context.set_deadline(Soon());
    Sign(tokens_[who], &context);
    const auto service = v1::ObservationService::NewStub(OverTcp());
    const auto stream = service->StreamObservations(&context);
    v1::StreamObservationsRequest request;
    request.mutable_batch()->set_job("4711");
    request.mutable_batch()->set_sequence(1);
    *request.mutable_batch()->add_observations() = MakeObservation("wx-1", 1);
    ASSERT_TRUE(stream->Write(request));
    stream->WritesDone();
    v1::StreamObservationsResponse response;
    while (stream->Read(&response)) {
      EXPECT_EQ(response.error_code() != 0, refused) << response.DebugString();
      EXPECT_EQ(absl::StrContains(response.error_message(), "belongs to a project"), refused);
    }
    EXPECT_TRUE(stream->Finish().ok());
  }
}

TEST_F(Projects, ListsLeaveOutWhatACallerDoesNotSee) {
  StartWithMachines(Settings("wx-*=token:in"));
  EXPECT_THAT(MachinesSeenBy(Viewer()), ElementsAre("machines/open"));
  EXPECT_THAT(MachinesSeenBy("in"), ElementsAre("machines/open", "machines/wx-1"));
  EXPECT_THAT(MachinesSeenBy(Operator()), ElementsAre("machines/open", "machines/wx-1"));
  for (const char* machine : {"open", "wx-1"}) {
    v1::ReportObservationsRequest report;
    report.set_job("of-" + std::string(machine));
    *report.add_observations() = MakeObservation(machine, 1);
    ASSERT_TRUE(Ask("in", "cox.v1.ObservationService/ReportObservations", report).ok());
  }
  for (const char* method :
       {"cox.v1.HistoryService/ListMachineStates", "cox.v1.HistoryService/ListJobs"}) {
    std::string answer;
    ASSERT_TRUE(CallWith(OverTcp(), method, "Bearer " + tokens_[Viewer()], &answer).ok());
    EXPECT_THAT(answer, HasSubstr("machines/open"));
    EXPECT_THAT(answer, testing::Not(HasSubstr("wx-1")));
    answer.clear();
    ASSERT_TRUE(CallWith(OverTcp(), method, "Bearer " + tokens_["in"], &answer).ok());
    EXPECT_THAT(answer, HasSubstr("machines/wx-1"));
  }
  // A list that leaves nothing out needs the name of a machine.
  const grpc::Status all =
      Ask(Viewer(), "cox.v1.ObservationService/ListObservations", v1::ListObservationsRequest());
  EXPECT_EQ(all.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(all.error_message(), HasSubstr("machine: is required"));
}

TEST_F(Projects, AWatchEndsWhenItsCallerLeavesTheProject) {
  const std::string file = Settings("wx-*=token:in");
  StartWithMachines(file);
  const auto service = v1::ProfileService::NewStub(OverTcp());
  grpc::ClientContext context;
  context.set_deadline(Soon());
  Sign(tokens_["in"], &context);
  v1::WatchProfileRequest request;
  request.set_parent("machines/wx-1");
  const auto stream = service->WatchProfile(&context, request);
  stream->WaitForInitialMetadata();
  std::ofstream(file) << "projects = \"wx-*=token:other\"\n";
  while (MachinesSeenBy("in").size() != 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  v1::CreateProfileRequest profile;
  profile.set_parent("machines/wx-1");
  for (const char* name : {"alpha", "beta"}) {
    v1::Parameter* const parameter = profile.mutable_profile()->add_parameters();
    parameter->set_model("hockney");
    parameter->set_level("network");
    parameter->set_name(name);
    parameter->set_value(1e-6);
  }
  const grpc::Status created = Ask(Operator(), "cox.v1.ProfileService/CreateProfile", profile);
  ASSERT_TRUE(created.ok()) << created.error_message();
  v1::Profile seen;
  while (stream->Read(&seen)) EXPECT_TRUE(seen.parameters().empty());
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::PERMISSION_DENIED);
}

}  // namespace
}  // namespace cox
