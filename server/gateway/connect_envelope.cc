#include "gateway/connect_envelope.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "domain/words/counted.h"

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

absl::StatusOr<std::vector<absl::string_view>> OpenEnvelopes(absl::string_view body, size_t most) {
  std::vector<absl::string_view> messages;
  while (!body.empty()) {
    if (messages.size() == most) {
      return absl::InvalidArgumentError(
          absl::StrCat("request: the body must be at most ", most, " Connect envelope(s)"));
    }
    if (body.size() < kPrefixBytes) {
      return absl::InvalidArgumentError(
          "request: the body must be Connect envelopes: a byte of flags, the length in 4 bytes, "
          "the message; it ends within the first 5 bytes of one");
    }
    uint32_t size = 0;
    for (size_t i = 1; i < kPrefixBytes; ++i) size = size << 8 | static_cast<uint8_t>(body[i]);
    if (body[0] == kCompressedFlag) {
      return absl::UnimplementedError("request: compressed messages are not supported");
    }
    const auto flags = static_cast<uint8_t>(body[0]);
    body.remove_prefix(kPrefixBytes);
    if (flags != kMessageFlags || size > body.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "request: the body must be Connect envelopes with flags 0; envelope ", messages.size(),
          " has flags ", flags, ", names ", domain::Counted(size, "byte"), ", and ", body.size(),
          domain::Plural(static_cast<int64_t>(body.size()), " follows", " follow")));
    }
    messages.push_back(body.substr(0, size));
    body.remove_prefix(size);
  }
  if (messages.empty()) {
    return absl::InvalidArgumentError(
        "request: the body must have a Connect envelope; it is empty");
  }
  return messages;
}

}  // namespace cox::gateway
