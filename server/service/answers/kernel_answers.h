// Answers about kernels: their list and their predicted cost. Pure conversion and calls into the
// domain; any thread.
#ifndef COX_SERVICE_ANSWERS_KERNEL_ANSWERS_H_
#define COX_SERVICE_ANSWERS_KERNEL_ANSWERS_H_

#include <memory>

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "cox/v1/model.pb.h"
#include "daemon/snapshots.h"

namespace cox::service {

// Fails as MachineToAsk() and advise::EvaluateKernel() do.
absl::Status AnswerKernel(std::shared_ptr<const daemon::Snapshot> snapshot,
                          const v1::EvaluateKernelRequest& request,
                          v1::EvaluateKernelResponse* response);

// Adds all kernels, each with its variants.
void AddKernels(v1::ListKernelsResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_KERNEL_ANSWERS_H_
