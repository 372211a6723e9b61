#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/formats.h"
#include "library/openmpi/rules.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

std::string NoOpinion(int64_t comm_size, absl::string_view which) {
  return absl::StrFormat("%d 1  # %s: the library's own choice\n0 0 0 0\n", comm_size, which);
}

std::string OpenMpiTable(const DecisionTable& table, domain::Collective collective, int64_t ranks) {
  std::string text =
      absl::StrFormat("%d  # %s\n%d  # communicator sizes\n", OpenMpiCollectiveId(collective),
                      table.collective, ranks > 2 ? 3 : 2);
  // The library uses the first entry for smaller communicators and the last for larger ones.
  if (ranks > 2) text += NoOpinion(2, "below this job's size");
  absl::StrAppendFormat(&text, "%d %d  # this job\n", ranks, table.rows.size());
  for (const DecisionRow& row : table.rows) {
    absl::StrAppendFormat(&text, "%.0f %d %d %d  # from %d bytes: %s\n",
                          OpenMpiMessageBytes(collective, ranks, row.block_bytes), row.native_id,
                          row.fanout, row.segment_bytes, row.block_bytes, row.algorithm);
  }
  return text + NoOpinion(ranks + 1, "above this job's size");
}

}  // namespace

absl::StatusOr<std::string> WriteOpenMpiRules(absl::Span<const DecisionTable> tables,
                                              const TunedJob& job,
                                              absl::Span<const std::string> header_lines) {
  const int64_t ranks = job.ranks();
  std::string body;
  int count = 0;
  for (const DecisionTable& table : tables) {
    if (ranks < 2 || LeavesAllToTheLibrary(table)) continue;
    const domain::Collective collective = *domain::ParseCollective(table.collective);
    const absl::string_view why_one_row = WhyOneOpenMpiRow(collective);
    if (table.rows.size() > 1 && !why_one_row.empty()) {
      body += Comment(absl::StrCat(table.collective, ": ", table.rows.size(), " choices by size; ",
                                   why_one_row));
      continue;
    }
    body += OpenMpiTable(table, collective, ranks);
    ++count;
  }
  std::string text;
  for (const std::string& line : header_lines) text += Comment(line);
  text += Comment(
      "use: --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE");
  if (count == 0) {
    // The library needs at least one collective; one without communicator sizes has no effect.
    text += Comment("nothing to change: the library's own choices stay");
    absl::StrAppendFormat(&text, "1  # number of collectives\n%d  # alltoall\n0  # no rules\n",
                          OpenMpiCollectiveId(domain::Collective::kAlltoall));
  } else {
    absl::StrAppendFormat(&text, "%d  # number of collectives\n", count);
  }
  return text + body;  // at least the comments on what is left out
}

absl::StatusOr<std::string> WriteOpenMpi50Rules(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines) {
  std::vector<std::string> lines(header_lines.begin(), header_lines.end());
  lines.emplace_back(
      "on several nodes component han comes before tuned and splits communicators, so that no");
  lines.emplace_back(
      "rule for this job's size matches; a rules file cannot change that: --mca coll_han_priority "
      "0");
  return WriteOpenMpiRules(tables, job, lines);
}

}  // namespace cox::library
