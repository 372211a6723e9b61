// AdviceService over gRPC. Recommend is the hot path: a snapshot, a lookup, arithmetic, an answer;
// no lock, no database.
#ifndef COX_SERVICE_ADVISOR_H_
#define COX_SERVICE_ADVISOR_H_

#include "cox/v1/advice.grpc.pb.h"
#include "service/arena_allocator.h"
#include "service/core.h"

namespace cox::service {

class Advisor : public v1::AdviceService::CallbackService {
 public:
  explicit Advisor(const Core& core);

  grpc::ServerUnaryReactor* Predict(grpc::CallbackServerContext* context,
                                    const v1::PredictRequest* request,
                                    v1::PredictResponse* response) override;
  grpc::ServerUnaryReactor* Recommend(grpc::CallbackServerContext* context,
                                      const v1::RecommendRequest* request,
                                      v1::RecommendResponse* response) override;
  grpc::ServerUnaryReactor* BatchRecommend(grpc::CallbackServerContext* context,
                                           const v1::BatchRecommendRequest* request,
                                           v1::BatchRecommendResponse* response) override;
  grpc::ServerUnaryReactor* GetTuning(grpc::CallbackServerContext* context,
                                      const v1::GetTuningRequest* request,
                                      v1::GetTuningResponse* response) override;

 private:
  const Core core_;
  ArenaAllocator<v1::RecommendRequest, v1::RecommendResponse> recommend_allocator_;
  ArenaAllocator<v1::BatchRecommendRequest, v1::BatchRecommendResponse> batch_allocator_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ADVISOR_H_
