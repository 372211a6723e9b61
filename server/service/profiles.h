// ProfileService over gRPC: revisions, pinning, rolling back, watching.
#ifndef COX_SERVICE_PROFILES_H_
#define COX_SERVICE_PROFILES_H_

#include "cox/v1/machine.grpc.pb.h"
#include "service/core.h"

namespace cox::service {

class Profiles : public v1::ProfileService::CallbackService {
 public:
  explicit Profiles(const Core& core);
  ~Profiles() override;

  grpc::ServerUnaryReactor* CreateProfile(grpc::CallbackServerContext* context,
                                          const v1::CreateProfileRequest* request,
                                          v1::Profile* response) override;
  grpc::ServerUnaryReactor* GetProfile(grpc::CallbackServerContext* context,
                                       const v1::GetProfileRequest* request,
                                       v1::Profile* response) override;
  grpc::ServerUnaryReactor* ListProfiles(grpc::CallbackServerContext* context,
                                         const v1::ListProfilesRequest* request,
                                         v1::ListProfilesResponse* response) override;
  grpc::ServerUnaryReactor* PinProfile(grpc::CallbackServerContext* context,
                                       const v1::PinProfileRequest* request,
                                       v1::Profile* response) override;
  grpc::ServerUnaryReactor* RollbackProfile(grpc::CallbackServerContext* context,
                                            const v1::RollbackProfileRequest* request,
                                            v1::Profile* response) override;
  grpc::ServerUnaryReactor* AcceptProfile(grpc::CallbackServerContext* context,
                                          const v1::AcceptProfileRequest* request,
                                          v1::Profile* response) override;
  grpc::ServerWriteReactor<v1::Profile>* WatchProfile(
      grpc::CallbackServerContext* context, const v1::WatchProfileRequest* request) override;

 private:
  const Core core_;
};

// Adds a revision that includes all observations stored so far, and updates the machine's view.
// Waits for the disk.
absl::StatusOr<store::ProfileRecord> AddProfileRevision(const Core& core,
                                                        store::ProfileRecord profile,
                                                        absl::string_view request_id,
                                                        const store::Actor& actor);

}  // namespace cox::service

#endif  // COX_SERVICE_PROFILES_H_
