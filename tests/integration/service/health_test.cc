#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "daemon.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace cox {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr const char* kServices[] = {"",
                                     "cox.v1.MachineService",
                                     "cox.v1.ProfileService",
                                     "cox.v1.CalibrationService",
                                     "cox.v1.ModelService",
                                     "cox.v1.AdviceService",
                                     "cox.v1.ObservationService",
                                     "cox.v1.StoreService"};

HealthCheckRequest Of(const std::string& service) {
  HealthCheckRequest request;
  request.set_service(service);
  return request;
}

TEST(Health, IsServingOverallAndForEachService) {
  Daemon daemon;
  const auto stub = Health::NewStub(daemon.channel());
  for (const char* service : kServices) {
    HealthCheckResponse response;
    ASSERT_TRUE(Call(&Health::Stub::Check, stub, Of(service), &response).ok()) << service;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << service;
  }
  HealthCheckResponse response;
  EXPECT_EQ(Call(&Health::Stub::Check, stub, Of("cox.v1.Nothing"), &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(Health, TheServerAnswersANewClient) {
  Daemon daemon;
  EXPECT_TRUE(daemon.server().Answers(std::chrono::seconds(30)));
  daemon.server().Drain();
  EXPECT_FALSE(daemon.server().Answers(std::chrono::milliseconds(200)));
}

TEST(Health, SaysThatTheDatabaseWasDeletedAndNothingIsAcknowledged) {
  Daemon daemon;
  if (!std::filesystem::exists(daemon.DatabasePath())) GTEST_SKIP() << "the data is in PostgreSQL";
  daemon.Register("delta");
  const auto stub = Health::NewStub(daemon.channel());
  grpc::ClientContext context;
  const auto reader = stub->Watch(&context, Of("cox.v1.ObservationService"));
  HealthCheckResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  std::filesystem::remove(daemon.DatabasePath());
  v1::ReportObservationsRequest report;
  report.set_job("job");
  *report.add_observations() = MakeObservation("delta", 1);
  v1::ReportObservationsResponse reported;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                   daemon.Observations(), report, &reported);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS) << status.error_message();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  context.TryCancel();
}

TEST(Health, WatchersHearThatTheDaemonEnds) {
  Daemon daemon;
  const auto stub = Health::NewStub(daemon.channel());
  for (const char* service : kServices) {
    grpc::ClientContext context;
    const auto reader = stub->Watch(&context, Of(service));
    HealthCheckResponse response;
    ASSERT_TRUE(reader->Read(&response)) << service;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << service;
    context.TryCancel();
  }
  grpc::ClientContext context;
  const auto reader = stub->Watch(&context, Of("cox.v1.AdviceService"));
  HealthCheckResponse response;
  ASSERT_TRUE(reader->Read(&response));
  daemon.server().Drain();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
}

}  // namespace
}  // namespace cox
