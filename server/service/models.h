// ModelService over gRPC: the compiled-in models, catalogue and kernels, and questions that need no
// machine.
#ifndef COX_SERVICE_MODELS_H_
#define COX_SERVICE_MODELS_H_

#include "cox/v1/model.grpc.pb.h"

namespace cox::service {

class Models : public v1::ModelService::CallbackService {
 public:
  Models();
  ~Models() override;

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* ListStrategies(grpc::CallbackServerContext* context,
                                           const v1::ListStrategiesRequest* request,
                                           v1::ListStrategiesResponse* response) override;
  grpc::ServerUnaryReactor* ListKernels(grpc::CallbackServerContext* context,
                                        const v1::ListKernelsRequest* request,
                                        v1::ListKernelsResponse* response) override;
  grpc::ServerUnaryReactor* ListDefaultChoices(grpc::CallbackServerContext* context,
                                               const v1::ListDefaultChoicesRequest* request,
                                               v1::ListDefaultChoicesResponse* response) override;
  grpc::ServerUnaryReactor* ReduceBlocks(grpc::CallbackServerContext* context,
                                         const v1::ReduceBlocksRequest* request,
                                         v1::ReduceBlocksResponse* response) override;
  grpc::ServerUnaryReactor* InferBlocks(grpc::CallbackServerContext* context,
                                        const v1::InferBlocksRequest* request,
                                        v1::InferBlocksResponse* response) override;
};

}  // namespace cox::service

#endif  // COX_SERVICE_MODELS_H_
