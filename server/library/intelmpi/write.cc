#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/formats.h"
#include "library/message_ranges.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using domain::Collective;

// The manual gives no limit; its own examples stay below 2^31.
constexpr int64_t kLargestBytes = std::numeric_limits<int32_t>::max();

// What the library compares for these is not documented, and counts differ from rank to rank.
bool HasNoSize(Collective collective) {
  return collective == Collective::kAllgatherv || collective == Collective::kAlltoallv;
}

}  // namespace

// "Messages of size l" is all that the manual says. Taken to be what the call's count times its
// datatype says (a block), for that is what Intel's tuner sweeps with Intel's benchmarks.
absl::StatusOr<std::string> WriteIntelMpi(absl::Span<const DecisionTable> tables,
                                          const TunedJob& job,
                                          absl::Span<const std::string> header_lines) {
  std::string text = Header(header_lines);
  text += Comment("numbers of Intel MPI 2019; compare them with the manual of another version");
  for (const DecisionTable& table : tables) {
    const std::vector<MessageRange> ranges = RangesOf(table, 1, kLargestBytes);
    if (ranges.empty()) {
      text += Comment(absl::StrCat(table.collective, ": the library's own choice stays"));
      continue;
    }
    if (table.rows.size() > 1 && HasNoSize(*domain::ParseCollective(table.collective))) {
      text += Comment(absl::StrCat(table.collective, ": ", table.rows.size(),
                                   " choices by size; what the library takes for its size is not "
                                   "documented"));
      continue;
    }
    const std::string processes = absl::StrCat("@", job.ranks(), "-", job.ranks());
    const std::string value =
        absl::StrJoin(ranges, ";", [&](std::string* out, const MessageRange& range) {
          absl::StrAppend(out, range.native_id, ":", range.first_bytes, "-", range.last_bytes,
                          processes);
        });
    text +=
        ExportLine(absl::StrCat("I_MPI_ADJUST_", absl::AsciiStrToUpper(table.collective)), value);
  }
  return text;
}

}  // namespace cox::library
