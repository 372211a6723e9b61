// MachineService over gRPC: checks, converts, asks the store.
#ifndef COX_SERVICE_MACHINES_H_
#define COX_SERVICE_MACHINES_H_

#include "cox/v1/machine.grpc.pb.h"
#include "service/core.h"

namespace cox::service {

class Machines : public v1::MachineService::CallbackService {
 public:
  explicit Machines(const Core& core);
  ~Machines() override;

  grpc::ServerUnaryReactor* CreateMachine(grpc::CallbackServerContext* context,
                                          const v1::CreateMachineRequest* request,
                                          v1::Machine* response) override;
  grpc::ServerUnaryReactor* GetMachine(grpc::CallbackServerContext* context,
                                       const v1::GetMachineRequest* request,
                                       v1::Machine* response) override;
  grpc::ServerUnaryReactor* ListMachines(grpc::CallbackServerContext* context,
                                         const v1::ListMachinesRequest* request,
                                         v1::ListMachinesResponse* response) override;
  grpc::ServerUnaryReactor* DeleteMachine(grpc::CallbackServerContext* context,
                                          const v1::DeleteMachineRequest* request,
                                          google::protobuf::Empty* response) override;
  grpc::ServerUnaryReactor* UndeleteMachine(grpc::CallbackServerContext* context,
                                            const v1::UndeleteMachineRequest* request,
                                            v1::Machine* response) override;
  grpc::ServerUnaryReactor* SetSwitches(grpc::CallbackServerContext* context,
                                        const v1::SetSwitchesRequest* request,
                                        v1::Switches* response) override;
  grpc::ServerUnaryReactor* GetSwitches(grpc::CallbackServerContext* context,
                                        const v1::GetSwitchesRequest* request,
                                        v1::Switches* response) override;

 private:
  const Core core_;
};

// Registers a machine; an equal one may exist already. ALREADY_EXISTS if it exists with another
// shape. Waits for the disk.
absl::StatusOr<store::MachineRecord> RegisterMachine(const Core& core,
                                                     const store::MachineRecord& machine,
                                                     absl::string_view request_id,
                                                     const store::Actor& actor);

}  // namespace cox::service

#endif  // COX_SERVICE_MACHINES_H_
