// HistoryService over gRPC: checks, converts, asks the store.
#ifndef COX_SERVICE_HISTORY_HISTORY_H_
#define COX_SERVICE_HISTORY_HISTORY_H_

#include "cox/v1/history.grpc.pb.h"
#include "service/core.h"

namespace cox::service {

class History : public v1::HistoryService::CallbackService {
 public:
  explicit History(const Core& core);
  ~History() override;

  grpc::ServerUnaryReactor* ListMachineStates(grpc::CallbackServerContext* context,
                                              const v1::ListMachineStatesRequest* request,
                                              v1::ListMachineStatesResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override;
  grpc::ServerUnaryReactor* ListObservedTimes(grpc::CallbackServerContext* context,
                                              const v1::ListObservedTimesRequest* request,
                                              v1::ListObservedTimesResponse* response) override;
  grpc::ServerUnaryReactor* SummarizeObservations(
      grpc::CallbackServerContext* context, const v1::SummarizeObservationsRequest* request,
      v1::SummarizeObservationsResponse* response) override;
  grpc::ServerUnaryReactor* GetSavings(grpc::CallbackServerContext* context,
                                       const v1::GetSavingsRequest* request,
                                       v1::GetSavingsResponse* response) override;

 private:
  const Core core_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_HISTORY_H_
