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

// The manual gives no limit; its examples stay below 2^31.
constexpr int64_t kLargestBytes = std::numeric_limits<int32_t>::max();

}  // namespace

// The manual does not say what size the library compares, and counts differ from rank to rank.
bool IntelMpiTellsSizesApart(Collective collective) {
  return collective != Collective::kAllgatherv && collective != Collective::kAlltoallv;
}

// The manual says only "messages of size l". This assumes the call's count times its datatype (a
// block), which is what Intel's tuner sweeps with Intel's benchmarks.
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
    if (table.rows.size() > 1 &&
        !IntelMpiTellsSizesApart(*domain::ParseCollective(table.collective))) {
      text += Comment(absl::StrCat(table.collective, ": ", table.rows.size(),
                                   " choices by size; the manual does not say which size "
                                   "the library compares"));
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
