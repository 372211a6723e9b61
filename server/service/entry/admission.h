// Admits a request with many rows to the memory of requests in progress.
#ifndef COX_SERVICE_ENTRY_ADMISSION_H_
#define COX_SERVICE_ENTRY_ADMISSION_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "access/principal.h"
#include "daemon/host/memory_budget.h"

namespace cox::service {

// A row's strings, on the wire, as a message and as a domain record.
inline constexpr int64_t kCopiesOfBytes = 3;

// Estimates what `request` of `principal` and its domain records hold: `row_count` rows of
// `row_bytes` bytes each beside their strings. RESOURCE_EXHAUSTED, with a retry delay once it is
// answered, if that is too much beside the requests in progress. Hold the lease until the request
// is answered.
inline absl::StatusOr<daemon::MemoryBudget::Lease> Admit(
    daemon::MemoryBudget& memory, const access::Principal& principal,
    const google::protobuf::MessageLite& request, int64_t row_count, int64_t row_bytes) {
  return memory.Take(principal.name, kCopiesOfBytes * static_cast<int64_t>(request.ByteSizeLong()) +
                                         row_count * row_bytes);
}

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_ADMISSION_H_
