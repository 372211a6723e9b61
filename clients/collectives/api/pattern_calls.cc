// The C functions of persistent patterns.
#include <memory>
#include <utility>

#include "collectives/api/arguments.h"
#include "collectives/choice/cost_file.h"
#include "collectives/engine/error.h"
#include "collectives/engine/request.h"
#include "collectives/protocols/many.h"
#include "collectives/protocols/pattern.h"

struct cox_pattern_ {
  std::shared_ptr<cox::collectives::Channel> channel;
  std::shared_ptr<cox::collectives::Pattern> pattern;
};

namespace cox::collectives {
namespace {

int CheckPattern(const void* pattern) {
  COX_TRY(CheckMpi());
  return pattern != nullptr ? MPI_SUCCESS : Fail(MPI_ERR_ARG, "pattern must not be NULL");
}

int Create(MPI_Comm comm, const char* profile, cox_pattern* pattern) {
  COX_TRY(CheckPattern(pattern));
  auto made = std::make_unique<cox_pattern_>();
  COX_TRY(Channel::Open(comm, &made->channel));
  const std::string path = profile != nullptr ? profile : CostFileOfEnvironment();
  COX_TRY(Pattern::Make(made->channel, path, &made->pattern));
  *pattern = made.release();
  return MPI_SUCCESS;
}

int StartIteration(cox_pattern pattern, const cox_message messages[], int count,
                   cox_request* request) {
  COX_TRY(CheckPattern(pattern));
  COX_TRY(CheckCall(request));
  COX_TRY(CheckMessages(messages, count, pattern->channel->ranks()));
  std::shared_ptr<Operation> operation;
  COX_TRY(pattern->pattern->Next({messages, static_cast<size_t>(count)}, &operation));
  StartRequest(std::move(operation), request);
  return MPI_SUCCESS;
}

int Ask(cox_pattern pattern, const char** algorithm, int* changes, double* predicted_s,
        double* measured_s) {
  COX_TRY(CheckPattern(pattern));
  const Pattern::State state = pattern->pattern->state();
  if (algorithm != nullptr) *algorithm = state.algorithm;
  if (changes != nullptr) *changes = state.changes;
  if (predicted_s != nullptr) *predicted_s = state.predicted_s;
  if (measured_s != nullptr) *measured_s = state.measured_s;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace cox::collectives

namespace coll = cox::collectives;

int cox_pattern_create(MPI_Comm comm, const char* profile, cox_pattern* pattern) {
  return coll::Guarded([&] { return coll::Create(comm, profile, pattern); });
}

int cox_pattern_start(cox_pattern pattern, const cox_message messages[], int count,
                      cox_request* request) {
  return coll::Guarded([&] { return coll::StartIteration(pattern, messages, count, request); });
}

int cox_pattern_state(cox_pattern pattern, const char** algorithm, int* changes,
                      double* predicted_s, double* measured_s) {
  return coll::Guarded(
      [&] { return coll::Ask(pattern, algorithm, changes, predicted_s, measured_s); });
}

int cox_pattern_free(cox_pattern* pattern) {
  return coll::Guarded([&]() -> int {
    COX_TRY(coll::CheckPattern(pattern));
    delete *pattern;
    *pattern = nullptr;
    return MPI_SUCCESS;
  });
}
