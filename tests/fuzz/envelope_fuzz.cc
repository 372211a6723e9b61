// Connect envelopes: a body that is accepted is the sequence of its messages, and nothing else is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/connect_envelope.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cox::gateway::Envelope;
  constexpr size_t kMost = 16;
  const absl::string_view body(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::vector<absl::string_view>> messages =
      cox::gateway::OpenEnvelopes(body, kMost);
  if (!messages.ok()) return 0;
  if (messages->empty() || messages->size() > kMost) std::abort();
  std::string again;
  for (const absl::string_view message : *messages) {
    again += Envelope(cox::gateway::kMessageFlags, message);
  }
  if (again != body) std::abort();
  return 0;
}
