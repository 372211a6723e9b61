#include "service/store_service.h"

#include "service/convert/timestamp.h"
#include "service/unary.h"

namespace cox::service {
namespace {

void FromBackup(const daemon::Backup& backup, v1::Backup* out) {
  out->set_path(backup.path);
  out->set_file_bytes(backup.file_bytes);
  *out->mutable_create_time() = ToTimestamp(backup.create_time_us);
}

// What the database holds.
absl::Status Count(store::Store& store, v1::GetStoreStatusResponse* response) {
  const absl::StatusOr<store::FileFacts> facts = store.ReadFileFacts();
  if (!facts.ok()) return facts.status();
  const absl::StatusOr<store::ObservationCount> count = store.CountObservations({});
  if (!count.ok()) return count.status();
  response->set_schema_version(facts->schema_version);
  response->set_file_bytes(facts->page_bytes * facts->page_count);
  response->set_free_bytes(facts->page_bytes * facts->free_page_count);
  response->set_log_bytes(facts->log_bytes);
  response->set_observation_count(count->observation_count);
  response->set_summed_observation_count(facts->summed_count);
  return absl::OkStatus();
}

}  // namespace

StoreService::StoreService(const Core& core, std::string database_path, daemon::Backups* backups)
    : core_(core), database_path_(std::move(database_path)), backups_(backups) {}
StoreService::~StoreService() = default;

grpc::ServerUnaryReactor* StoreService::GetStoreStatus(grpc::CallbackServerContext* context,
                                                       const v1::GetStoreStatusRequest* /*request*/,
                                                       v1::GetStoreStatusResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, response]() -> absl::Status {
    // The check knows of damage that the count has met.
    absl::Status counted = Count(*core_.store, response);
    absl::Status checked = core_.store->Check();
    if (absl::IsDataLoss(counted)) {  // a damaged database may not say how large it is
      if (checked.ok()) checked = counted;
      counted = absl::OkStatus();
    }
    response->set_problem(std::string(checked.message()));
    response->set_problem_code(static_cast<int>(checked.code()));
    response->set_path(database_path_);
    for (const daemon::Backup& backup : backups_->List()) {
      FromBackup(backup, response->add_backups());
    }
    response->set_backup_problem(backups_->failures().last);
    return counted;
  });
}

grpc::ServerUnaryReactor* StoreService::CreateBackup(grpc::CallbackServerContext* context,
                                                     const v1::CreateBackupRequest* /*request*/,
                                                     v1::CreateBackupResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        const absl::StatusOr<daemon::Backup> backup = backups_->Make(is_cancelled);
        if (!backup.ok()) return backup.status();
        FromBackup(*backup, response->mutable_backup());
        return absl::OkStatus();
      },
      TurnOfLongCall());
}

grpc::ServerUnaryReactor* StoreService::CheckStore(grpc::CallbackServerContext* context,
                                                   const v1::CheckStoreRequest* /*request*/,
                                                   v1::CheckStoreResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        const absl::StatusOr<store::FileFacts> facts = core_.store->ReadFileFacts();
        if (!facts.ok()) return facts.status();
        if (absl::Status checked = core_.store->CheckContent(is_cancelled); !checked.ok()) {
          return checked;
        }
        response->set_checked_bytes(facts->page_bytes * facts->page_count);
        return absl::OkStatus();
      },
      TurnOfLongCall());
}

grpc::ServerUnaryReactor* StoreService::CompactStore(grpc::CallbackServerContext* context,
                                                     const v1::CompactStoreRequest* /*request*/,
                                                     v1::CompactStoreResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        const absl::StatusOr<int64_t> pages = core_.store->Compact(is_cancelled);
        if (!pages.ok()) return pages.status();
        const absl::StatusOr<store::FileFacts> facts = core_.store->ReadFileFacts();
        if (!facts.ok()) return facts.status();
        response->set_freed_bytes(*pages * facts->page_bytes);
        return absl::OkStatus();
      },
      TurnOfLongCall());
}

}  // namespace cox::service
