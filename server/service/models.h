// ModelService over gRPC: the models and the catalogue, as they are compiled in.
#ifndef COX_SERVICE_MODELS_H_
#define COX_SERVICE_MODELS_H_

#include "cox/v1/model.grpc.pb.h"

namespace cox::service {

class Models : public v1::ModelService::CallbackService {
 public:
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* ListStrategies(grpc::CallbackServerContext* context,
                                           const v1::ListStrategiesRequest* request,
                                           v1::ListStrategiesResponse* response) override;
};

}  // namespace cox::service

#endif  // COX_SERVICE_MODELS_H_
