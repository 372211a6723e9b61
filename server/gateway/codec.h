// Which encoding a request has, and its messages from and to protobuf's bytes.
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

  // As responses say it: "application/connect+json".
  std::string Name() const;
};

// application/json, application/proto, application/connect+json or application/connect+proto, with
// or without charset=utf-8; nullopt for everything else.
std::optional<ContentType> ParseContentType(absl::string_view header);

// The bytes of protobuf of a `type` that a client wrote. INVALID_ARGUMENT, with the field where one
// is at fault, if it is none. JSON is protobuf's own mapping; fields that are unknown are errors.
absl::StatusOr<std::string> ReadMessage(Encoding encoding, const google::protobuf::Descriptor& type,
                                        absl::string_view text);

// The `type` in `wire` (bytes of protobuf) as the client wants it. INTERNAL if it cannot.
absl::StatusOr<std::string> WriteMessage(Encoding encoding,
                                         const google::protobuf::Descriptor& type,
                                         std::string wire);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CODEC_H_
