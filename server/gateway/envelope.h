// Messages of a stream, as the Connect protocol frames them: a byte of flags, the length in four
// bytes (big endian), the message.
#ifndef COX_GATEWAY_ENVELOPE_H_
#define COX_GATEWAY_ENVELOPE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::gateway {

inline constexpr uint8_t kMessageFlags = 0;
inline constexpr uint8_t kCompressedFlag = 1;
inline constexpr uint8_t kEndOfStreamFlag = 2;

std::string Envelope(uint8_t flags, absl::string_view message);

// The message of a body that is one envelope. INVALID_ARGUMENT if the body is none, or more;
// UNIMPLEMENTED for a compressed message.
absl::StatusOr<absl::string_view> OpenOnlyEnvelope(absl::string_view body);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_ENVELOPE_H_
