// StoreService over gRPC: the database file, for its operator.
#ifndef COX_SERVICE_STORE_SERVICE_H_
#define COX_SERVICE_STORE_SERVICE_H_

#include <string>
#include <utility>

#include "cox/v1/store.grpc.pb.h"
#include "daemon/host/backups.h"
#include "service/core.h"

namespace cox::service {

class StoreService : public v1::StoreService::CallbackService {
 public:
  // `database_path`: to show. `backups` outlives it.
  StoreService(const Core& core, std::string database_path, daemon::Backups* backups);
  ~StoreService() override;

  grpc::ServerUnaryReactor* GetStoreStatus(grpc::CallbackServerContext* context,
                                           const v1::GetStoreStatusRequest* request,
                                           v1::GetStoreStatusResponse* response) override;
  grpc::ServerUnaryReactor* CreateBackup(grpc::CallbackServerContext* context,
                                         const v1::CreateBackupRequest* request,
                                         v1::CreateBackupResponse* response) override;
  grpc::ServerUnaryReactor* CheckStore(grpc::CallbackServerContext* context,
                                       const v1::CheckStoreRequest* request,
                                       v1::CheckStoreResponse* response) override;
  grpc::ServerUnaryReactor* CompactStore(grpc::CallbackServerContext* context,
                                         const v1::CompactStoreRequest* request,
                                         v1::CompactStoreResponse* response) override;

 private:
  const Core core_;
  const std::string database_path_;
  daemon::Backups* const backups_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_STORE_SERVICE_H_
