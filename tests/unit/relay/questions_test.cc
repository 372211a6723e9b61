// Questions through a relay, before coxds that the test plays.
#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cox/v1/history.grpc.pb.h"
#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "daemon/config.h"
#include "folder.h"
#include "relay/relay.h"

namespace cox::relay {
namespace {

using grpc::ByteBuffer;
using grpc::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr char kListMachines[] = "/cox.v1.MachineService/ListMachines";

ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

// Answers every question in the same way.
class AnsweringCoxd : public grpc::CallbackGenericService {
 public:
  enum class Answer { kMessage, kNoMessage, kSilence };

  AnsweringCoxd(const std::string& address, Answer answer) : answer_(answer) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~AnsweringCoxd() override { server_->Shutdown(std::chrono::system_clock::now()); }
  void SetMessage(const std::string& bytes) { message_ = BufferOf(bytes); }
  void SetAnswer(Answer answer) { answer_ = answer; }
  int calls() const { return calls_; }
  // Of the last call that has ended.
  const std::string& token() const { return token_; }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const Answer answer = answer_;  // what it is when the call counts
    ++calls_;
    const auto token = context->client_metadata().find("authorization");
    if (token != context->client_metadata().end()) {
      token_.assign(token->second.data(), token->second.size());
    }
    return new Call(answer, message_);
  }

 private:
  class Call : public grpc::ServerGenericBidiReactor {
   public:
    Call(Answer answer, ByteBuffer message) : message_(std::move(message)) {
      if (answer == Answer::kNoMessage) End(grpc::Status::OK);
      if (answer == Answer::kMessage && !has_ended_.exchange(true)) {
        StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
      }
    }
    void OnCancel() override { End(grpc::Status::CANCELLED); }
    void OnDone() override { delete this; }

   private:
    void End(const grpc::Status& status) {
      if (!has_ended_.exchange(true)) Finish(status);
    }
    ByteBuffer message_;
    std::atomic<bool> has_ended_ = false;
  };

  std::atomic<Answer> answer_;
  ByteBuffer message_ = BufferOf("");
  std::string token_;
  std::atomic<int> calls_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class RelayedQuestions : public ::testing::Test {
 protected:
  RelayedQuestions()
      : first_(Address("first"), AnsweringCoxd::Answer::kMessage),
        second_(Address("second"), AnsweringCoxd::Answer::kMessage) {}

  std::string Address(const std::string& name) const { return "unix:" + folder_.Path(name); }
  void Start(daemon::ConfigValues settings = {}) {
    settings.insert({{"data", folder_.Path("data")},
                     {"listen", Address("relay")},
                     {"relay", Address("first") + "," + Address("second")}});
    const auto config = daemon::MakeConfig({settings});
    ASSERT_TRUE(config.ok()) << config.status();
    auto relay = StartRelay(*config);
    ASSERT_TRUE(relay.ok()) << relay.status();
    relay_ = *std::move(relay);
    channel_ = grpc::CreateChannel(Address("relay"), grpc::InsecureChannelCredentials());
    ASSERT_TRUE(channel_->WaitForConnected(std::chrono::system_clock::now() + seconds(20)));
  }
  grpc::Status Ask(milliseconds timeout = seconds(20)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    return v1::MachineService::NewStub(channel_)->ListMachines(&context, {}, &answer_);
  }

  const Folder folder_;
  AnsweringCoxd first_;
  AnsweringCoxd second_;
  std::unique_ptr<service::Server> relay_;
  std::shared_ptr<grpc::Channel> channel_;
  v1::ListMachinesResponse answer_;
};

TEST_F(RelayedQuestions, ACallWithoutAMessageIsRefused) {
  Start();
  grpc::GenericStub stub(channel_);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(20));
  const auto call = stub.PrepareCall(&context, kListMachines, &queue);
  void* tag = nullptr;
  bool ok = false;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->WritesDone(nullptr);
  queue.Next(&tag, &ok);
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(first_.calls(), 0);
  EXPECT_TRUE(Ask().ok()) << "the relay goes on";
}

TEST_F(RelayedQuestions, AnAnswerWithoutAMessageIsAnError) {
  Start();
  first_.SetAnswer(AnsweringCoxd::Answer::kNoMessage);
  const grpc::Status status = Ask();
  EXPECT_EQ(status.error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(status.error_message(), "coxd answered without a message");
  first_.SetAnswer(AnsweringCoxd::Answer::kMessage);
  EXPECT_TRUE(Ask().ok()) << "the relay goes on";
}

TEST_F(RelayedQuestions, LeaveACoxdThatHangs) {
  Start();
  first_.SetAnswer(AnsweringCoxd::Answer::kSilence);
  // Ten at once leave it once, and do not come back to it.
  std::vector<std::thread> callers;
  for (int i = 0; i < 10; ++i) {
    callers.emplace_back([this] {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + milliseconds(2'200));
      v1::ListMachinesResponse answer;
      const grpc::Status status =
          v1::MachineService::NewStub(channel_)->ListMachines(&context, {}, &answer);
      EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
    });
  }
  for (std::thread& caller : callers) caller.join();
  // The relay may hear of the end after its caller.
  while (second_.calls() == 0 && first_.calls() < 30) (void)Ask(milliseconds(300));
  EXPECT_GT(second_.calls(), 0);
  EXPECT_TRUE(Ask().ok());
}

// Each caller alone has too little patience.
TEST_F(RelayedQuestions, LeaveACoxdThatHangsForImpatientCallers) {
  Start();
  first_.SetAnswer(AnsweringCoxd::Answer::kSilence);
  int timeouts = 0;
  while (!Ask(milliseconds(500)).ok() && timeouts < 20) ++timeouts;
  EXPECT_GE(timeouts, 4) << "2 seconds of silence";
  EXPECT_LE(timeouts, 6);
}

// A heavy question takes long; its caller gives up.
TEST_F(RelayedQuestions, StayWithACoxdThatAnswersOthersMeanwhile) {
  Start();
  first_.SetAnswer(AnsweringCoxd::Answer::kSilence);
  std::atomic<bool> has_given_up = false;
  std::thread heavy([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + milliseconds(2'200));
    v1::ListMachinesResponse answer;
    const grpc::Status status =
        v1::MachineService::NewStub(channel_)->ListMachines(&context, {}, &answer);
    EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
    has_given_up = true;
  });
  while (first_.calls() == 0) std::this_thread::yield();
  first_.SetAnswer(AnsweringCoxd::Answer::kMessage);
  while (!has_given_up) EXPECT_TRUE(Ask().ok());
  heavy.join();
  // The relay may hear of the end after its caller.
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Ask().ok());
  EXPECT_EQ(second_.calls(), 0);
}

TEST_F(RelayedQuestions, StayWithACoxdThatIsTooSlowForFewMilliseconds) {
  Start();
  first_.SetAnswer(AnsweringCoxd::Answer::kSilence);
  for (int i = 0; i < 600; ++i) (void)Ask(milliseconds(5));
  EXPECT_EQ(second_.calls(), 0);
}

TEST_F(RelayedQuestions, KeepTheLastTokenOfAFileThatIsOpenToAll) {
  const std::string file = folder_.Path("token");
  const auto write = [&](const std::string& token, mode_t mode) {
    std::ofstream(file) << token;
    chmod(file.c_str(), mode);
  };
  write("first", 0644);
  const auto config = daemon::MakeConfig({{{"data", folder_.Path("data")},
                                           {"listen", Address("relay")},
                                           {"relay", Address("first")},
                                           {"relay-token-file", file}}});
  const absl::Status refused = StartRelay(*config).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr(file + ": every user may read"));
  chmod(file.c_str(), 0600);
  Start({{"relay-token-file", file}});
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(first_.token(), "Bearer first");
  write("second", 0644);
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(first_.token(), "Bearer first");
  chmod(file.c_str(), 0600);
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(first_.token(), "Bearer second");
}

class ProjectsAtARelay : public RelayedQuestions {
 protected:
  // The test's user is a reporter there, and `member` is in the only project.
  void StartWith(const std::string& member) {
    Start({{"roles", absl::StrCat(geteuid(), "=reporter")}, {"projects", "wx-*=" + member}});
  }
  std::vector<std::string> MachinesSeen() {
    v1::ListMachinesResponse all;
    for (const char* name : {"machines/open", "machines/wx-1"}) all.add_machines()->set_name(name);
    all.set_next_page_token("next");
    first_.SetMessage(all.SerializeAsString());
    EXPECT_TRUE(Ask().ok());
    EXPECT_EQ(answer_.next_page_token(), "next");
    std::vector<std::string> names;
    for (const v1::Machine& machine : answer_.machines()) names.push_back(machine.name());
    return names;
  }
};

TEST_F(ProjectsAtARelay, ListsLeaveOutWhatTheCallerDoesNotSee) {
  StartWith("token:other");
  EXPECT_THAT(MachinesSeen(), ElementsAre("machines/open"));

  const auto history = v1::HistoryService::NewStub(channel_);
  v1::ListMachineStatesResponse states;
  for (const char* name : {"machines/wx-1", "machines/open"}) states.add_states()->set_name(name);
  first_.SetMessage(states.SerializeAsString());
  grpc::ClientContext states_context;
  ASSERT_TRUE(history->ListMachineStates(&states_context, {}, &states).ok());
  ASSERT_EQ(states.states_size(), 1);
  EXPECT_EQ(states.states(0).name(), "machines/open");

  v1::ListJobsResponse jobs;
  jobs.add_jobs()->add_machines("machines/wx-1");
  jobs.add_jobs()->add_machines("machines/wx-1");
  jobs.mutable_jobs(1)->add_machines("machines/open");
  first_.SetMessage(jobs.SerializeAsString());
  grpc::ClientContext jobs_context;
  ASSERT_TRUE(history->ListJobs(&jobs_context, {}, &jobs).ok());
  ASSERT_EQ(jobs.jobs_size(), 1);
  EXPECT_THAT(jobs.jobs(0).machines(), ElementsAre("machines/open"));
}

TEST_F(ProjectsAtARelay, AMemberSeesAll) {
  StartWith(absl::StrCat(geteuid()));
  EXPECT_THAT(MachinesSeen(), ElementsAre("machines/open", "machines/wx-1"));
}

TEST_F(ProjectsAtARelay, AQuestionAboutTheMachineOfOthersDoesNotReachCoxd) {
  StartWith("token:other");
  v1::GetMachineRequest request;
  request.set_name("machines/wx-1");
  grpc::ClientContext context;
  v1::Machine machine;
  EXPECT_EQ(
      v1::MachineService::NewStub(channel_)->GetMachine(&context, request, &machine).error_code(),
      StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(first_.calls(), 0);
}

TEST_F(ProjectsAtARelay, AStreamTakesNoTimingsOfTheMachineOfOthers) {
  StartWith("token:other");
  const auto stub = v1::ObservationService::NewStub(channel_);
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  request.mutable_batch()->set_job("4711");
  request.mutable_batch()->set_sequence(1);
  request.mutable_batch()->add_observations()->set_machine("wx-1");
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Write(request) && stream->Read(&response));
  EXPECT_EQ(response.error_code(), static_cast<int>(StatusCode::PERMISSION_DENIED));
}

TEST_F(ProjectsAtARelay, AListThatCannotBeReadIsAnError) {
  StartWith("token:other");
  first_.SetMessage("\xff\xff\xff");
  EXPECT_EQ(Ask().error_code(), StatusCode::INTERNAL);
}

}  // namespace
}  // namespace cox::relay
