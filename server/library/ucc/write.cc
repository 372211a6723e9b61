#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

// UCC's name of a collective, and how often it counts a block (ucc_coll_args_msgsize).
struct UccCollective {
  absl::string_view name;
  int64_t bytes_per_byte;
  absl::string_view why_one_row;  // "" where a range has a meaning
};
UccCollective UccCollectiveOf(const DecisionTable& table, int64_t ranks) {
  switch (*domain::ParseCollective(table.collective)) {
    case Collective::kAllgather:
    case Collective::kAlltoall:
      return {table.collective, ranks, ""};
    case Collective::kAlltoallv:
      return {table.collective, 1, "UCC takes every size as 0, ranks may know different ones"};
    case Collective::kReduceScatterBlock:
      return {"reduce_scatter", 1, ""};
    default:
      return {table.collective, 1, ""};
  }
}

}  // namespace

bool UccTellsSizesApart(Collective collective) {
  const DecisionTable table{std::string(domain::CollectiveName(collective)), {}};
  return UccCollectiveOf(table, 1).why_one_row.empty();
}

// With score inf a token beats the other components for host memory and teams of this job's size.
// UCC's ranges do not include their ends.
absl::StatusOr<std::string> WriteUcc(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                     absl::Span<const std::string> header_lines) {
  std::string text = Header(header_lines);
  std::vector<std::string> tokens;
  for (const DecisionTable& table : tables) {
    const UccCollective collective = UccCollectiveOf(table, job.ranks());
    const std::vector<MessageRange> ranges = RangesOf(table, collective.bytes_per_byte, kNoEnd - 1);
    if (ranges.empty()) {
      text += Comment(absl::StrCat(table.collective, ": the library's own choice stays"));
      continue;
    }
    if (table.rows.size() > 1 && !collective.why_one_row.empty()) {
      text += Comment(absl::StrCat(table.collective, ": ", table.rows.size(), " choices by size; ",
                                   collective.why_one_row));
      continue;
    }
    for (const MessageRange& range : ranges) {
      const std::string end =
          range.last_bytes == kNoEnd - 1 ? "inf" : absl::StrCat(range.last_bytes + 1);
      tokens.push_back(absl::StrCat(collective.name, ":", range.first_bytes, "-", end, ":host:[",
                                    job.ranks(), "-", job.ranks(), "]:inf:@", range.algorithm));
    }
  }
  if (!tokens.empty()) text += ExportLine("UCC_TL_UCP_TUNE", absl::StrJoin(tokens, "#"));
  return text;
}

}  // namespace cox::library
