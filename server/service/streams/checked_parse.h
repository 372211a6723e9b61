// Parses a message of a client's stream; one of few bytes at once, a larger one only after its
// memory is estimated. Any thread.
#ifndef COX_SERVICE_STREAMS_CHECKED_PARSE_H_
#define COX_SERVICE_STREAMS_CHECKED_PARSE_H_

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "service/entry/door.h"
#include "service/entry/parsed_size.h"

namespace cox::service {

// One slice of all bytes; `bytes` keeps them.
inline grpc::Slice WholeOf(const grpc::ByteBuffer& bytes) {
  grpc::Slice whole;
  return bytes.DumpToSingleSlice(&whole).ok() ? whole : grpc::Slice();
}

// INVALID_ARGUMENT as CheckParsedSize(), which small messages need not pass.
template <typename Message>
absl::Status CheckMessageSize(const grpc::ByteBuffer& bytes) {
  if (bytes.Length() <= kQuickBytes) return absl::OkStatus();
  return CheckParsedSize(*Message::descriptor(), ViewOf(WholeOf(bytes))).status();
}

// Takes the bytes. INVALID_ARGUMENT if they are no `Message`.
template <typename Message>
absl::Status ParseMessage(grpc::ByteBuffer* bytes, Message* message) {
  if (grpc::SerializationTraits<Message>::Deserialize(bytes, message).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the bytes of a message are not a valid ",
                                                 Message::descriptor()->full_name(),
                                                 " (text must be UTF-8)"));
}

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_CHECKED_PARSE_H_
