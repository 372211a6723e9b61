// What a daemon sends to the agent. The first byte chooses the message, the second one the library;
// rows that the agent accepts name algorithms of that library.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/stream/check_rows.h"
#include "agent/stream/wire/decisions_wire.h"
#include "agent/stream/wire/wire.h"
#include "expect.h"

using cox::fuzz::Expect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (data[0] % 4 == 0) {
    const std::optional<cox::agent::Response> response = cox::agent::DecodeResponse(bytes);
    if (response) Expect(response->error_message.size() <= bytes.size(), "text out of nowhere");
    return 0;
  }
  const auto response = cox::agent::DecodeDecisionsResponse(bytes);
  if (!response) return 0;
  Expect(response->rows.size() <= cox::agent::DecisionsResponse::kMostRows, "too many rows");
  static constexpr std::array<const char*, 4> kLibraries = {"openmpi-4.1", "openmpi-5.0",
                                                            "mpich-4.0", "mpich-9"};
  const cox::agent::CheckedRows checked =
      cox::agent::CheckRows({.library = kLibraries[data[1] % kLibraries.size()],
                             .ranks = 1 + data[1] / 4,
                             .ppn = 1,
                             .assume = {.commutative = (data[0] & 1) != 0},
                             .use_coxcoll = (data[0] & 2) != 0},
                            response->rows);
  Expect(checked.decisions.size() <= response->rows.size(), "rows out of nowhere");
  for (const CoxStreamDecision& decision : checked.decisions) {
    Expect(decision.block_bytes >= 0, "a negative size");
  }
  return 0;
}
