// AdviceService over gRPC. Recommend is the hot path: a snapshot, a lookup, arithmetic, an answer;
// no lock, no database.
#ifndef COX_SERVICE_ADVISOR_H_
#define COX_SERVICE_ADVISOR_H_

#include "cox/v1/advice.grpc.pb.h"
#include "daemon/decision_cache.h"
#include "service/answers/decision_counts.h"
#include "service/answers/pattern_answer.h"
#include "service/answers/revision_views.h"
#include "service/arena_allocator.h"
#include "service/core.h"

namespace cox::service {

class Advisor : public v1::AdviceService::CallbackService {
 public:
  explicit Advisor(const Core& core);
  ~Advisor() override;

  // Of Recommend and BatchRecommend: a decision for each question. Of GetTuning and GetDecisions:
  // one for each row of an answer.
  const DecisionCounts& decisions() const { return decisions_; }

  grpc::ServerUnaryReactor* Predict(grpc::CallbackServerContext* context,
                                    const v1::PredictRequest* request,
                                    v1::PredictResponse* response) override;
  grpc::ServerUnaryReactor* Recommend(grpc::CallbackServerContext* context,
                                      const v1::RecommendRequest* request,
                                      v1::RecommendResponse* response) override;
  grpc::ServerUnaryReactor* BatchRecommend(grpc::CallbackServerContext* context,
                                           const v1::BatchRecommendRequest* request,
                                           v1::BatchRecommendResponse* response) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override;
  grpc::ServerUnaryReactor* BatchEvaluate(grpc::CallbackServerContext* context,
                                          const v1::BatchEvaluateRequest* request,
                                          v1::BatchEvaluateResponse* response) override;
  grpc::ServerUnaryReactor* RecommendRoutes(grpc::CallbackServerContext* context,
                                            const v1::RecommendRoutesRequest* request,
                                            v1::RecommendRoutesResponse* response) override;
  grpc::ServerUnaryReactor* EvaluateKernel(grpc::CallbackServerContext* context,
                                           const v1::EvaluateKernelRequest* request,
                                           v1::EvaluateKernelResponse* response) override;
  grpc::ServerUnaryReactor* GetTuning(grpc::CallbackServerContext* context,
                                      const v1::GetTuningRequest* request,
                                      v1::GetTuningResponse* response) override;
  grpc::ServerUnaryReactor* GetDecisions(grpc::CallbackServerContext* context,
                                         const v1::GetDecisionsRequest* request,
                                         v1::GetDecisionsResponse* response) override;
  grpc::ServerUnaryReactor* SuggestMeasurements(grpc::CallbackServerContext* context,
                                                const v1::SuggestMeasurementsRequest* request,
                                                v1::SuggestMeasurementsResponse* response) override;
  grpc::ServerUnaryReactor* GetAccuracy(grpc::CallbackServerContext* context,
                                        const v1::GetAccuracyRequest* request,
                                        v1::GetAccuracyResponse* response) override;

 private:
  const Core core_;
  daemon::DecisionCache decision_cache_;
  // Of jobs on named nodes. Each takes seconds to make, and hardly two jobs have the same nodes: in
  // a cache of their own they neither delay nor push out the others.
  daemon::DecisionCache placed_cache_;
  RevisionViews revision_views_;
  DecisionCounts decisions_;
  PatternMessages pattern_messages_;  // that open streams hold
  ArenaAllocator<v1::RecommendRequest, v1::RecommendResponse> recommend_allocator_;
  ArenaAllocator<v1::BatchRecommendRequest, v1::BatchRecommendResponse> batch_allocator_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_ADVISOR_H_
