#include "gateway/envelope.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace cox::gateway {
namespace {

constexpr size_t kPrefixBytes = 5;

}  // namespace

std::string Envelope(uint8_t flags, absl::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  std::string envelope;
  envelope.reserve(kPrefixBytes + message.size());
  envelope.push_back(static_cast<char>(flags));
  for (int shift = 24; shift >= 0; shift -= 8) {
    envelope.push_back(static_cast<char>(size >> shift & 0xff));
  }
  envelope.append(message.data(), message.size());
  return envelope;
}

absl::StatusOr<absl::string_view> OpenOnlyEnvelope(absl::string_view body) {
  if (body.size() < kPrefixBytes) {
    return absl::InvalidArgumentError(
        "request: the body must be one Connect envelope: a byte of flags, the length in 4 bytes, "
        "the message; it is shorter than that");
  }
  uint32_t size = 0;
  for (size_t i = 1; i < kPrefixBytes; ++i) size = size << 8 | static_cast<uint8_t>(body[i]);
  const absl::string_view message = body.substr(kPrefixBytes);
  if (body[0] == kCompressedFlag) {
    return absl::UnimplementedError("request: compressed messages are not supported");
  }
  if (body[0] != kMessageFlags || size != message.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "request: the body must be one Connect envelope with flags 0; it has flags ",
        static_cast<uint8_t>(body[0]), ", names ", size, " bytes and holds ", message.size()));
  }
  return message;
}

}  // namespace cox::gateway
