// Answers to questions about a collective's scenario: Predict, Explain, BatchEvaluate. Pure
// conversion and calls into advise; any thread.
#ifndef COX_SERVICE_ANSWERS_SCENARIO_ANSWERS_H_
#define COX_SERVICE_ANSWERS_SCENARIO_ANSWERS_H_

#include <memory>

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "service/convert/nodes_in_use.h"

namespace cox::service {

// Fails as MachineToAsk(), ToScenario(), NodeFinder and advise::Predict() do. With a list of nodes
// it reads the store, and then prices messages unless CANCELLED: call it from the pool.
absl::Status AnswerPredict(std::shared_ptr<const daemon::Snapshot> snapshot,
                           const v1::PredictRequest& request, NodeFinder finder,
                           const domain::IsCancelled& is_cancelled, v1::PredictResponse* response);

// Takes up to half a second of arithmetic, with a list of nodes three seconds, and then reads the
// store; unless CANCELLED: call it from the pool.
absl::Status AnswerExplain(std::shared_ptr<const daemon::Snapshot> snapshot,
                           const v1::ExplainRequest& request, NodeFinder finder,
                           const domain::IsCancelled& is_cancelled, v1::ExplainResponse* response);

// Takes up to a second of arithmetic, unless CANCELLED: call it from the pool.
absl::Status AnswerBatchEvaluate(std::shared_ptr<const daemon::Snapshot> snapshot,
                                 const v1::BatchEvaluateRequest& request,
                                 const domain::IsCancelled& is_cancelled,
                                 v1::BatchEvaluateResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_SCENARIO_ANSWERS_H_
