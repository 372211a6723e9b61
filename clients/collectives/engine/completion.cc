// Completion, and the other functions of cox/coll.h that take a request of any kind.
#include <cstdlib>
#include <cstring>

#include "collectives/api/arguments.h"
#include "collectives/engine/clock.h"
#include "collectives/engine/error.h"
#include "collectives/engine/progress_engine.h"
#include "collectives/engine/request.h"

namespace cox::collectives {
namespace {

constexpr cox_cost kNoCost = {0, 0};

// Passes on the operation's result and frees the request.
int End(cox_request* request, cox_cost* cost) {
  const std::shared_ptr<Operation> operation = std::move((*request)->operation);
  delete *request;
  *request = COX_REQUEST_NULL;
  if (cost != nullptr) *cost = operation->cost();
  if (operation->error() != MPI_SUCCESS) return Fail(operation->error(), operation->error_text());
  return MPI_SUCCESS;
}

// The messages followed by their data, in one allocation. Null without memory.
cox_message* InOnePiece(const Inbox& inbox) {
  size_t bytes = inbox.messages.size() * sizeof(cox_message);
  const size_t data_begin = bytes;
  for (const Inbox::Message& message : inbox.messages) bytes += message.data.size();
  char* const piece = static_cast<char*>(std::malloc(bytes > 0 ? bytes : 1));
  if (piece == nullptr) return nullptr;
  auto* entry = reinterpret_cast<cox_message*>(piece);
  char* data = piece + data_begin;
  for (const Inbox::Message& message : inbox.messages) {
    *entry++ = {message.source, static_cast<int64_t>(message.data.size()), data};
    if (!message.data.empty()) std::memcpy(data, message.data.data(), message.data.size());
    data += message.data.size();
  }
  return reinterpret_cast<cox_message*>(piece);
}

int WaitMany(cox_request* request, cox_message** received, int* count, cox_cost* cost) {
  COX_TRY(CheckCall(request));
  if (received == nullptr || count == nullptr) {
    return Fail(MPI_ERR_ARG, "received and count must not be NULL");
  }
  if (*request == COX_REQUEST_NULL || (*request)->operation->inbox() == nullptr) {
    return Fail(MPI_ERR_REQUEST,
                "request must be one of a many-to-many (cox_imany, cox_pattern_start)");
  }
  const std::shared_ptr<Operation> operation = (*request)->operation;
  Wait(operation.get());
  if (operation->error() != MPI_SUCCESS) return End(request, cost);
  {
    const CpuScope cpu(operation->cpu_s());
    *received = InOnePiece(*operation->inbox());
  }
  *count = static_cast<int>(operation->inbox()->messages.size());
  const int ended = End(request, cost);
  return *received == nullptr ? Fail(MPI_ERR_NO_MEM, "no memory") : ended;
}

}  // namespace

void StartRequest(std::shared_ptr<Operation> operation, cox_request* request) {
  auto* made = new cox_request_{std::move(operation)};
  *request = made;
  Launch(made->operation);
}

}  // namespace cox::collectives

using cox::collectives::Guarded;

int cox_test(cox_request* request, int* done, cox_cost* cost) {
  namespace coll = cox::collectives;
  return Guarded([&]() -> int {
    COX_TRY(coll::CheckCall(request));
    if (done == nullptr) return coll::Fail(MPI_ERR_ARG, "done must not be NULL");
    *done = 1;
    if (cost != nullptr) *cost = coll::kNoCost;
    if (*request == COX_REQUEST_NULL) return MPI_SUCCESS;
    coll::Operation& operation = *(*request)->operation;
    *done = coll::Test(&operation) ? 1 : 0;
    if (*done == 0) return MPI_SUCCESS;
    if (operation.inbox() == nullptr || operation.error() != MPI_SUCCESS) {
      return coll::End(request, cost);
    }
    if (cost != nullptr) *cost = operation.cost();
    return MPI_SUCCESS;
  });
}

int cox_wait(cox_request* request, cox_cost* cost) {
  namespace coll = cox::collectives;
  return Guarded([&]() -> int {
    COX_TRY(coll::CheckCall(request));
    if (cost != nullptr) *cost = coll::kNoCost;
    if (*request == COX_REQUEST_NULL) return MPI_SUCCESS;
    coll::Wait((*request)->operation.get());
    return coll::End(request, cost);
  });
}

int cox_wait_many(cox_request* request, cox_message** received, int* count, cox_cost* cost) {
  return Guarded([&] { return cox::collectives::WaitMany(request, received, count, cost); });
}

void cox_free(void* memory) { std::free(memory); }

const char* cox_error(void) { return cox::collectives::ErrorText().c_str(); }

const char* cox_request_algorithm(cox_request request) {
  return request == COX_REQUEST_NULL ? "" : request->operation->algorithm().c_str();
}

int cox_progress_start(void) {
  return Guarded([] {
    COX_TRY(cox::collectives::CheckMpi());
    return cox::collectives::StartProgressThread();
  });
}

int cox_progress_stop(void) {
  return Guarded([] { return cox::collectives::StopProgressThread(); });
}
