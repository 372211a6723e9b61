// ObservationService over gRPC. Acknowledges after the commit.
#ifndef COX_SERVICE_OBSERVATIONS_H_
#define COX_SERVICE_OBSERVATIONS_H_

#include <functional>

#include "absl/status/statusor.h"
#include "cox/v1/observation.grpc.pb.h"
#include "service/arena_allocator.h"
#include "service/core.h"
#include "service/streams/observation_stream.h"

namespace cox::service {

class Observations : public v1::ObservationService::CallbackService {
 public:
  explicit Observations(const Core& core);
  ~Observations() override;

  grpc::ServerUnaryReactor* ReportObservations(grpc::CallbackServerContext* context,
                                               const v1::ReportObservationsRequest* request,
                                               v1::ReportObservationsResponse* response) override;
  grpc::ServerUnaryReactor* ListObservations(grpc::CallbackServerContext* context,
                                             const v1::ListObservationsRequest* request,
                                             v1::ListObservationsResponse* response) override;
  grpc::ServerUnaryReactor* CountObservations(grpc::CallbackServerContext* context,
                                              const v1::CountObservationsRequest* request,
                                              v1::CountObservationsResponse* response) override;
  grpc::ServerUnaryReactor* ForgetObservations(grpc::CallbackServerContext* context,
                                               const v1::ForgetObservationsRequest* request,
                                               v1::ForgetObservationsResponse* response) override;
  grpc::ServerUnaryReactor* ListDrifts(grpc::CallbackServerContext* context,
                                       const v1::ListDriftsRequest* request,
                                       v1::ListDriftsResponse* response) override;

 private:
  ObservationReactor* StartStream(grpc::CallbackServerContext* context);

  const Core core_;
  EarlyFreeAllocator<v1::ReportObservationsRequest, v1::ReportObservationsResponse>
      report_allocator_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_OBSERVATIONS_H_
