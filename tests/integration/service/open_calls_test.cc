#include "service/streams/open_calls.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cox/v1/access.grpc.pb.h"
#include "daemon/host/memory_budget.h"

namespace cox::service {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMemoryBytes = int64_t{66} << 20;
constexpr size_t kAnswerBytes = size_t{8} << 20;

// Ends when it is cancelled.
class Endless : public grpc::ServerUnaryReactor {
 public:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

// Answers WhoAmI at once, with much more than a client takes that does not read. ListTokens ends
// only if it is cut off.
class LongAnswers : public v1::AccessService::CallbackService {
 public:
  explicit LongAnswers(OpenCalls* calls) : calls_(calls) {}
  grpc::ServerUnaryReactor* WhoAmI(grpc::CallbackServerContext* context,
                                   const v1::WhoAmIRequest* /*request*/,
                                   v1::WhoAmIResponse* response) override {
    response->set_principal(std::string(kAnswerBytes, 'x'));
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(calls_->Enter(context, "user:1", 1).ok()
                        ? grpc::Status::OK
                        : grpc::Status(grpc::StatusCode::INTERNAL, "no room for the request"));
    return reactor;
  }
  grpc::ServerUnaryReactor* ListTokens(grpc::CallbackServerContext* context,
                                       const v1::ListTokensRequest* /*request*/,
                                       v1::ListTokensResponse* /*response*/) override {
    calls_->CancelLater(context);
    return new Endless();
  }

 private:
  OpenCalls* const calls_;
};

class OpenCallsTest : public ::testing::Test {
 protected:
  void Start(milliseconds patience) {
    calls_ = std::make_unique<OpenCalls>(&memory_, patience);
    service_ = std::make_unique<LongAnswers>(calls_.get());
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
        interceptors;
    interceptors.push_back(calls_->MakeInterceptor());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(service_.get());
    builder.experimental().SetInterceptorCreators(std::move(interceptors));
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // it would open the window
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port),
                                         grpc::InsecureChannelCredentials(), arguments);
  }
  void TearDown() override {
    waiting_.clear();
    server_->Shutdown();
    server_->Wait();
  }

  // Asks, and reads no answer until waiting_ is cleared.
  void AskOnly() {
    auto& asked = waiting_.emplace_back(std::make_unique<Asked>());
    const grpc::internal::RpcMethod method("/cox.v1.AccessService/WhoAmI", nullptr,
                                           grpc::internal::RpcMethod::SERVER_STREAMING, channel_);
    asked->reader.reset(grpc::internal::ClientReaderFactory<v1::WhoAmIResponse>::Create(
        channel_.get(), method, &asked->context, v1::WhoAmIRequest()));
    asked->reader->WaitForInitialMetadata();
  }
  grpc::Status Ask() {
    grpc::ClientContext context;
    v1::WhoAmIResponse response;
    return v1::AccessService::NewStub(channel_)->WhoAmI(&context, {}, &response);
  }

  // Soon after a call, or when it is cancelled.
  void AwaitNothingHeld() const {
    const auto begun = std::chrono::steady_clock::now();
    while (memory_.held_bytes() > 0 &&
           std::chrono::steady_clock::now() - begun < std::chrono::seconds(60)) {
      std::this_thread::yield();
    }
    EXPECT_EQ(memory_.held_bytes(), 0);
  }

  struct Asked {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::WhoAmIResponse>> reader;
    ~Asked() {
      context.TryCancel();
      reader->Finish();
    }
  };
  daemon::MemoryBudget memory_{kMemoryBytes};
  std::unique_ptr<OpenCalls> calls_;
  std::unique_ptr<LongAnswers> service_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::vector<std::unique_ptr<Asked>> waiting_;
};

TEST_F(OpenCallsTest, AnAnswerHoldsMemoryUntilItsClientTakesIt) {
  Start(OpenCalls::kPatience);
  EXPECT_TRUE(Ask().ok());
  AwaitNothingHeld();
  // One caller gets three quarters of 66 MiB: three answers, each twice, as message and as bytes.
  for (int i = 0; i < 3; ++i) AskOnly();
  EXPECT_GE(memory_.held_bytes(), static_cast<int64_t>(3 * 2 * kAnswerBytes));
  const grpc::Status refused = Ask();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_NE(refused.error_message().find("max-memory"), std::string::npos)
      << refused.error_message();
}

TEST_F(OpenCallsTest, CutsOffACallThatIsToEnd) {
  Start(milliseconds(100));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  v1::ListTokensResponse response;
  const grpc::Status status =
      v1::AccessService::NewStub(channel_)->ListTokens(&context, {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED) << status.error_message();
}

TEST_F(OpenCallsTest, CancelsACallWhoseAnswerNobodyTakes) {
  Start(milliseconds(100));
  const auto begun = std::chrono::steady_clock::now();
  AskOnly();
  EXPECT_GE(memory_.held_bytes(), static_cast<int64_t>(2 * kAnswerBytes));
  AwaitNothingHeld();
  // A second for each of 8 MiB, too.
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(8'000));
}

}  // namespace
}  // namespace cox::service
