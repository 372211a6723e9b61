// StoreService: what it says of the database, and a backup that brings it back.
#include "store/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cox/v1/store.grpc.pb.h"
#include "daemon.h"

namespace cox {
namespace {

class StoreServiceTest : public ::testing::Test {
 protected:
  auto Store() const { return v1::StoreService::NewStub(daemon_.channel()); }
  v1::GetStoreStatusResponse Status() const {
    v1::GetStoreStatusResponse response;
    const grpc::Status status = Call(&v1::StoreService::Stub::GetStoreStatus, Store(),
                                     v1::GetStoreStatusRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  void Report(int count) {
    v1::ReportObservationsRequest request;
    request.set_create_machines(true);
    request.set_await_learning(true);
    for (int i = 0; i < count; ++i) *request.add_observations() = MakeObservation("delta", i);
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                     daemon_.Observations(), request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  Daemon daemon_;
};

TEST_F(StoreServiceTest, DescribesTheFile) {
  Report(100);
  const v1::GetStoreStatusResponse status = Status();
  EXPECT_EQ(status.problem(), "");
  EXPECT_EQ(status.problem_code(), 0);
  EXPECT_EQ(status.path(), daemon_.DatabasePath());
  EXPECT_EQ(status.observation_count(), 100);
  EXPECT_GT(status.schema_version(), 0);
  EXPECT_GT(status.file_bytes(), 0);
  EXPECT_GT(status.log_bytes(), 0);
  EXPECT_EQ(status.backups_size(), 0);
}

TEST_F(StoreServiceTest, ABackupBringsObservationsAndAnswersBack) {
  Report(160);
  const v1::Observation cell = MakeObservation("delta", 3);
  const double predicted_s = PredictedTime(daemon_.Advice(), cell);
  v1::CreateBackupResponse made;
  const grpc::Status status =
      Call(&v1::StoreService::Stub::CreateBackup, Store(), v1::CreateBackupRequest(), &made);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(Status().backups_size(), 1);
  EXPECT_EQ(Status().backups(0).path(), made.backup().path());
  EXPECT_GT(made.backup().create_time().seconds(), 0);

  Report(320);
  daemon_.Stop();
  store::StoreOptions options;
  options.directory = std::filesystem::path(daemon_.DatabasePath()).parent_path().string();
  ASSERT_TRUE(store::RestoreSqlite(options, made.backup().path()).ok());
  daemon_.Start();
  EXPECT_EQ(Status().observation_count(), 160);
  EXPECT_DOUBLE_EQ(PredictedTime(daemon_.Advice(), cell), predicted_s);
}

TEST_F(StoreServiceTest, ChecksAndCompacts) {
  Report(100);
  v1::CheckStoreResponse checked;
  const grpc::Status status =
      Call(&v1::StoreService::Stub::CheckStore, Store(), v1::CheckStoreRequest(), &checked);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(checked.checked_bytes(), Status().file_bytes());
  v1::CompactStoreResponse compacted;
  EXPECT_TRUE(
      Call(&v1::StoreService::Stub::CompactStore, Store(), v1::CompactStoreRequest(), &compacted)
          .ok());
  EXPECT_EQ(Status().free_bytes(), 0);
}

TEST_F(StoreServiceTest, SaysWhyWritesFail) {
  std::filesystem::rename(daemon_.DatabasePath(), daemon_.DatabasePath() + ".moved");
  EXPECT_NE(Status().problem().find("deleted or replaced"), std::string::npos)
      << Status().problem();
}

}  // namespace
}  // namespace cox
