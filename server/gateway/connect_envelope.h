// Messages of a stream, as the Connect protocol frames them: a byte of flags, the length in four
// bytes (big endian), the message.
#ifndef COX_GATEWAY_CONNECT_ENVELOPE_H_
#define COX_GATEWAY_CONNECT_ENVELOPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::gateway {

inline constexpr uint8_t kMessageFlags = 0;
inline constexpr uint8_t kCompressedFlag = 1;
inline constexpr uint8_t kEndOfStreamFlag = 2;

// One message with its frame.
std::string Envelope(uint8_t flags, absl::string_view message);

// The messages of a body that consists of envelopes, at most `most`. INVALID_ARGUMENT for any other
// body and for more messages; UNIMPLEMENTED for a compressed message.
absl::StatusOr<std::vector<absl::string_view>> OpenEnvelopes(absl::string_view body, size_t most);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CONNECT_ENVELOPE_H_
