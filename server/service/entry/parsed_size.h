// How much memory a message takes once it is parsed, estimated from its bytes.
//
// An empty part of a message has two bytes on the wire and some hundred in memory: 8 MiB of them
// would take a gigabyte before anybody counts them. Any thread.
#ifndef COX_SERVICE_ENTRY_PARSED_SIZE_H_
#define COX_SERVICE_ENTRY_PARSED_SIZE_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/support/slice.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::service {

// The bytes of a slice, which keeps them.
inline absl::string_view ViewOf(const grpc::Slice& slice) {
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

// The objects for the parts, texts and unknown fields of a message of `type`, in bytes, without
// what the texts say. INVALID_ARGUMENT if the parser would refuse the bytes, and for groups and
// tags of more than 32 bits, which it takes and no client of ours sends.
absl::StatusOr<int64_t> ParsedBytes(const google::protobuf::Descriptor& type,
                                    absl::string_view wire);

// ParsedBytes(), and INVALID_ARGUMENT also if the message would take far more memory than it has
// bytes. Texts may still be no UTF-8.
absl::StatusOr<int64_t> CheckParsedSize(const google::protobuf::Descriptor& type,
                                        absl::string_view wire);

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_PARSED_SIZE_H_
