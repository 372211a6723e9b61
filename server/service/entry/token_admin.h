// AccessService over gRPC: who calls, the tokens, jobs that have ended, and the audit.
#ifndef COX_SERVICE_ENTRY_TOKEN_ADMIN_H_
#define COX_SERVICE_ENTRY_TOKEN_ADMIN_H_

#include "cox/v1/access.grpc.pb.h"
#include "service/core.h"

namespace cox::service {

class TokenAdmin : public v1::AccessService::CallbackService {
 public:
  explicit TokenAdmin(const Core& core);
  ~TokenAdmin() override;

  grpc::ServerUnaryReactor* WhoAmI(grpc::CallbackServerContext* context,
                                   const v1::WhoAmIRequest* request,
                                   v1::WhoAmIResponse* response) override;
  grpc::ServerUnaryReactor* CreateToken(grpc::CallbackServerContext* context,
                                        const v1::CreateTokenRequest* request,
                                        v1::CreateTokenResponse* response) override;
  grpc::ServerUnaryReactor* ListTokens(grpc::CallbackServerContext* context,
                                       const v1::ListTokensRequest* request,
                                       v1::ListTokensResponse* response) override;
  grpc::ServerUnaryReactor* RevokeToken(grpc::CallbackServerContext* context,
                                        const v1::RevokeTokenRequest* request,
                                        google::protobuf::Empty* response) override;
  grpc::ServerUnaryReactor* ListEndedJobs(grpc::CallbackServerContext* context,
                                          const v1::ListEndedJobsRequest* request,
                                          v1::ListEndedJobsResponse* response) override;
  grpc::ServerUnaryReactor* ListAuditRecords(grpc::CallbackServerContext* context,
                                             const v1::ListAuditRecordsRequest* request,
                                             v1::ListAuditRecordsResponse* response) override;

 private:
  const Core core_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_TOKEN_ADMIN_H_
