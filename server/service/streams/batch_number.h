// The number of a batch that is refused before it is parsed. Any thread.
#ifndef COX_SERVICE_STREAMS_BATCH_NUMBER_H_
#define COX_SERVICE_STREAMS_BATCH_NUMBER_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace cox::service {

// `batch.sequence` in the bytes of a StreamObservationsRequest: 0 of a batch without one, nullopt
// if no batch is found.
std::optional<int64_t> BatchNumberOf(absl::string_view wire);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_BATCH_NUMBER_H_
