// A relay before a coxd that the test plays.
#include "relay/relay.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cox/v1/observation.grpc.pb.h"
#include "daemon/config.h"
#include "domain/errors.h"
#include "folder.h"
#include "service/status.h"

namespace cox::relay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Notes the reports that come, and answers each as the test says.
class PlayedCoxd : public v1::ObservationService::Service {
 public:
  using Answer = std::function<grpc::Status(grpc::ServerContext*)>;

  // `compression`: of its answers.
  explicit PlayedCoxd(const std::string& address,
                      grpc_compression_algorithm compression = GRPC_COMPRESS_NONE) {
    grpc::ServerBuilder builder;
    builder.SetDefaultCompressionAlgorithm(compression);
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  void SetAnswer(Answer answer) { answer_ = std::move(answer); }
  // A text in each response.
  void SetReason(std::string reason) { reason_ = std::move(reason); }

  // Waits until `count` reports have come.
  std::vector<v1::ReportObservationsRequest> Await(size_t count) {
    std::unique_lock lock(mutex_);
    has_come_.wait_for(lock, seconds(30), [&] { return reports_.size() >= count; });
    return reports_;
  }

  grpc::Status ReportObservations(grpc::ServerContext* context,
                                  const v1::ReportObservationsRequest* request,
                                  v1::ReportObservationsResponse* response) override {
    Note(*request);
    response->set_refused_reason(reason_);
    return answer_(context);
  }
  grpc::Status StreamObservations(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<v1::StreamObservationsResponse, v1::StreamObservationsRequest>*
          stream) override {
    v1::StreamObservationsRequest request;
    while (stream->Read(&request)) {
      Note(request.batch());
      v1::StreamObservationsResponse response;
      response.set_sequence(request.batch().sequence());
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

 private:
  void Note(const v1::ReportObservationsRequest& report) {
    const std::lock_guard lock(mutex_);
    reports_.push_back(report);
    has_come_.notify_all();
  }

  Answer answer_ = [](grpc::ServerContext*) { return grpc::Status::OK; };
  std::string reason_;
  std::mutex mutex_;
  std::condition_variable has_come_;
  std::vector<v1::ReportObservationsRequest> reports_;
  std::unique_ptr<grpc::Server> server_;
};

class RelayBeforePlayedCoxd : public ::testing::Test {
 protected:
  explicit RelayBeforePlayedCoxd(grpc_compression_algorithm compression = GRPC_COMPRESS_NONE)
      : coxd_("unix:" + folder_.Path("coxd"), compression) {
    const auto config = daemon::MakeConfig({{{"data", folder_.Path("data")},
                                             {"listen", "unix:" + folder_.Path("relay")},
                                             {"relay", "unix:" + folder_.Path("coxd")},
                                             {"drain-timeout", "1s"}}});
    EXPECT_TRUE(config.ok()) << config.status();
    auto relay = StartRelay(*config);
    EXPECT_TRUE(relay.ok()) << relay.status();
    relay_ = *std::move(relay);
    stub_ = v1::ObservationService::NewStub(
        grpc::CreateChannel("unix:" + folder_.Path("relay"), grpc::InsecureChannelCredentials()));
  }

  static v1::ReportObservationsRequest BatchOf(const std::string& job) {
    v1::ReportObservationsRequest batch;
    batch.set_job(job);
    batch.set_sequence(1);
    batch.set_await_learning(true);
    batch.add_observations()->set_machine("delta");
    return batch;
  }
  grpc::Status Report(const std::string& job) {
    grpc::ClientContext context;
    v1::ReportObservationsResponse response;
    return stub_->ReportObservations(&context, BatchOf(job), &response);
  }

  const Folder folder_;
  PlayedCoxd coxd_;
  std::unique_ptr<service::Server> relay_;
  std::unique_ptr<v1::ObservationService::Stub> stub_;
};

TEST_F(RelayBeforePlayedCoxd, NoBatchOfAStreamWaitsForLearning) {
  ASSERT_TRUE(Report("4711").ok());
  const auto spooled = coxd_.Await(1);
  ASSERT_EQ(spooled.size(), 1U);
  EXPECT_FALSE(spooled[0].await_learning());
  // It has a call of its own.
  ASSERT_TRUE(Report("").ok());
  const auto both = coxd_.Await(2);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_TRUE(both[1].await_learning());
}

TEST_F(RelayBeforePlayedCoxd, TheErrorOfABatchWithoutAJobKeepsItsDetails) {
  const grpc::Status of_coxd =
      service::ToGrpc(domain::InvalidField("observations[0].ranks", "must be >= 1; it is 0"));
  coxd_.SetAnswer([&](grpc::ServerContext*) { return of_coxd; });
  const grpc::Status status = Report("");
  EXPECT_EQ(status.error_code(), of_coxd.error_code());
  EXPECT_EQ(status.error_message(), of_coxd.error_message());
  EXPECT_EQ(status.error_details(), of_coxd.error_details());
}

// Its client waits for an answer that does not come.
TEST_F(RelayBeforePlayedCoxd, TheRelayEndsWhileCoxdHangs) {
  coxd_.SetAnswer([](grpc::ServerContext* context) {
    while (!context->IsCancelled()) std::this_thread::sleep_for(milliseconds(5));
    return grpc::Status::CANCELLED;
  });
  grpc::Status status;
  std::thread client([&] { status = Report(""); });
  ASSERT_EQ(coxd_.Await(1).size(), 1U);
  const auto start = steady_clock::now();
  relay_.reset();
  EXPECT_LT(steady_clock::now() - start, seconds(8));
  client.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("the relay is ending"));
}

TEST_F(RelayBeforePlayedCoxd, TheRelayEndsWhileAStreamWaitsForCoxd) {
  coxd_.SetAnswer([](grpc::ServerContext* context) {
    while (!context->IsCancelled()) std::this_thread::sleep_for(milliseconds(5));
    return grpc::Status::CANCELLED;
  });
  grpc::ClientContext context;
  const auto stream = stub_->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  *request.mutable_batch() = BatchOf("");
  ASSERT_TRUE(stream->Write(request));
  ASSERT_EQ(coxd_.Await(1).size(), 1U);
  const auto start = steady_clock::now();
  relay_.reset();
  EXPECT_LT(steady_clock::now() - start, seconds(8));
}

class RelayBeforeCompressingCoxd : public RelayBeforePlayedCoxd {
 protected:
  RelayBeforeCompressingCoxd() : RelayBeforePlayedCoxd(GRPC_COMPRESS_GZIP) {}
};

// What a false coxd compresses could fill the memory of the relay.
TEST_F(RelayBeforeCompressingCoxd, ReadsNoneOfItsAnswers) {
  coxd_.SetReason(std::string(1'000'000, 'x'));
  grpc::ClientContext context;
  v1::ReportObservationsResponse response;
  (void)stub_->ReportObservations(&context, BatchOf(""), &response);
  EXPECT_TRUE(response.refused_reason().empty());
}

}  // namespace
}  // namespace cox::relay
