#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/formats.h"
#include "library/message_ranges.h"
#include "library/nccl/rows.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using domain::Collective;

// NCCL compares the larger of what a rank sends and what it receives (ncclFuncMaxSendRecvCount).
int64_t BytesPerByte(Collective collective, int64_t ranks) {
  const bool counts_all =
      collective == Collective::kAllgather || collective == Collective::kReduceScatterBlock;
  return counts_all ? ranks : 1;
}

// The plugin reads 255 bytes at once: it would read the rest of a longer comment as a row.
std::string ShortComment(absl::string_view line) {
  constexpr size_t kMaxBytes = 200;
  return Comment(line.substr(0, kMaxBytes));
}

}  // namespace

absl::StatusOr<std::string> WriteNcclRows(absl::Span<const DecisionTable> tables,
                                          const TunedJob& job,
                                          absl::Span<const std::string> header_lines) {
  std::string text;
  for (const std::string& line : header_lines) text += ShortComment(line);
  text += ShortComment("for NCCL's sample tuner plugin: NCCL_TUNER_PLUGIN, NCCL_TUNER_CONFIG_FILE");
  text += ShortComment(
      "its source asks for 1 channel where no row sets channels; see docs/libraries.md");
  text += ShortComment("collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks");
  for (const DecisionTable& table : tables) {
    const Collective collective = *domain::ParseCollective(table.collective);
    const absl::string_view name = NcclName(collective);
    if (name.empty() || LeavesAllToTheLibrary(table)) {
      text += ShortComment(absl::StrCat(table.collective, ": the library's own choice stays"));
      continue;
    }
    for (const MessageRange& range : RangesOf(table, BytesPerByte(collective, job.ranks()),
                                              std::numeric_limits<int64_t>::max())) {
      const NcclChoice choice = SplitNcclName(range.algorithm);
      absl::StrAppend(&text, name, ",", range.first_bytes, ",", range.last_bytes, ",",
                      choice.algorithm, ",", choice.protocol, ",-1,", job.nodes, ",", job.ranks(),
                      "\n");
    }
  }
  return text;
}

}  // namespace cox::library
