// Finds the encoding of a request, and converts messages between it and protobuf's bytes.
// Stateless, any thread.
#ifndef COX_GATEWAY_CODEC_H_
#define COX_GATEWAY_CODEC_H_

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::gateway {

enum class Encoding { kJson, kProto };

struct ContentType {
  Encoding encoding;
  bool in_envelopes;  // the body is a stream of envelopes

  // The Content-Type of the response: "application/connect+json".
  std::string Name() const;
};

// application/json, application/proto, application/connect+json or application/connect+proto, with
// or without charset=utf-8; nullopt for everything else.
std::optional<ContentType> ParseContentType(absl::string_view header);

// Converts a client's message of type `type` to protobuf's bytes. INVALID_ARGUMENT, with the field
// if one is at fault, for a malformed message. JSON follows protobuf's own mapping; unknown fields
// are errors.
absl::StatusOr<std::string> ReadMessage(Encoding encoding, const google::protobuf::Descriptor& type,
                                        absl::string_view text);

// Converts a message of type `type` from protobuf's bytes (`wire`) to the client's encoding.
// INTERNAL if the bytes are malformed.
absl::StatusOr<std::string> WriteMessage(Encoding encoding,
                                         const google::protobuf::Descriptor& type,
                                         std::string wire);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CODEC_H_
