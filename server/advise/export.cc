#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advise/tuning.h"
#include "model/errors.h"
#include "strategy/library_map.h"
#include "strategy/openmpi_rules.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kOpenMpi = "openmpi-4.1";
constexpr absl::string_view kMpich = "mpich-4.0";

// A comment line; whatever would end it early becomes a blank.
std::string Comment(absl::string_view line) {
  std::string text = absl::StrCat("# ", line);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  absl::StripTrailingAsciiWhitespace(&text);
  return absl::StrCat(text, "\n");
}

bool LeavesAllToTheLibrary(const DecisionTable& table) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [](const DecisionRow& row) { return row.native_id == 0; });
}

absl::Status Validate(const DecisionTable& table) {
  const auto collective = strategy::ParseCollective(table.collective);
  if (!collective.ok()) return collective.status();
  if (table.rows.empty() || table.rows.front().block_bytes != 0) {
    return model::InvalidField(
        "rows", absl::StrCat("the first row of ", table.collective, " must be that of size 0"));
  }
  for (size_t i = 1; i < table.rows.size(); ++i) {
    if (table.rows[i].block_bytes <= table.rows[i - 1].block_bytes) {
      return model::InvalidField(
          "rows", absl::StrCat("sizes of ", table.collective, " must ascend, not ",
                               table.rows[i - 1].block_bytes, ", ", table.rows[i].block_bytes));
    }
  }
  return absl::OkStatus();
}

// Whether the library compares rules with something that does not grow with the message.
bool IsWithoutSize(strategy::Collective collective) {
  return collective == strategy::Collective::kScan || collective == strategy::Collective::kExscan;
}

std::string NoOpinion(int64_t comm_size, absl::string_view which) {
  return absl::StrFormat("%d 1  # %s: the library's own choice\n0 0 0 0\n", comm_size, which);
}

std::string OpenMpiTable(const DecisionTable& table, strategy::Collective collective,
                         int64_t ranks) {
  std::string text = absl::StrFormat("%d  # %s\n%d  # communicator sizes\n",
                                     strategy::OpenMpiCollectiveId(collective), table.collective,
                                     ranks > 2 ? 3 : 2);
  // The library uses the first entry for smaller communicators and the last for larger ones.
  if (ranks > 2) text += NoOpinion(2, "below this job's size");
  absl::StrAppendFormat(&text, "%d %d  # this job\n", ranks, table.rows.size());
  for (const DecisionRow& row : table.rows) {
    absl::StrAppendFormat(&text, "%.0f %d %d %d  # from %d bytes: %s\n",
                          strategy::OpenMpiMessageBytes(collective, ranks, row.block_bytes),
                          row.native_id, row.fanout, row.segment_bytes, row.block_bytes,
                          row.algorithm);
  }
  return text + NoOpinion(ranks + 1, "above this job's size");
}

absl::StatusOr<std::string> OpenMpiFile(const std::vector<DecisionTable>& tables, int64_t ranks,
                                        bool allow_commutative_only) {
  std::string body;
  int count = 0;
  for (const DecisionTable& table : tables) {
    if (ranks < 2 || LeavesAllToTheLibrary(table)) continue;
    const strategy::Collective collective = *strategy::ParseCollective(table.collective);
    if (table.rows.size() > 1 && IsWithoutSize(collective)) {
      body += Comment(absl::StrCat(table.collective, ": ", table.rows.size(),
                                   " choices by size; the library leaves the count out of the "
                                   "size, so no rule can tell them apart"));
      continue;
    }
    body += OpenMpiTable(table, collective, ranks);
    ++count;
  }
  std::string text = Comment(
      "use: --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE");
  if (count == 0) {
    // The library needs at least one collective; one without communicator sizes has no effect.
    text += Comment("nothing to change: the library's own choices stay");
    absl::StrAppendFormat(&text, "1  # number of collectives\n%d  # alltoall\n0  # no rules\n",
                          strategy::OpenMpiCollectiveId(strategy::Collective::kAlltoall));
  } else {
    absl::StrAppendFormat(&text, "%d  # number of collectives\n", count);
    text += body;
  }
  const std::vector<std::string> findings = CheckOpenMpiRules(text, allow_commutative_only);
  if (!findings.empty()) {
    return absl::InternalError(
        absl::StrCat("the rules file would not be sound: ", absl::StrJoin(findings, "; ")));
  }
  return text;
}

// Why this table cannot be one forced algorithm; "" when it can.
std::string WhyNotForced(const DecisionTable& table, const TuningQuestion& question,
                         strategy::Collective collective) {
  if (LeavesAllToTheLibrary(table)) return "the library's own choice stays";
  if (table.rows.size() > 1) {
    return absl::StrCat(table.rows.size(), " choices by size; a variable can force only one");
  }
  const strategy::LibraryAlgorithm* row =
      strategy::FindLibraryAlgorithm(question.library, collective, table.rows[0].algorithm);
  if (row != nullptr && (row->needs & strategy::kTwoRanks) != 0) {
    return absl::StrCat(row->native_name, " fails in communicators of more than two ranks");
  }
  return "";
}

std::string OpenMpiVariables(const DecisionTable& table) {
  const DecisionRow& row = table.rows.front();
  const std::string stem =
      absl::StrCat("export OMPI_MCA_coll_tuned_", table.collective, "_algorithm");
  std::string text = absl::StrCat(stem, "=", row.native_id, "\n");
  if (row.segment_bytes > 0) absl::StrAppend(&text, stem, "_segmentsize=", row.segment_bytes, "\n");
  if (row.fanout > 0) absl::StrAppend(&text, stem, "_chain_fanout=", row.fanout, "\n");
  return text;
}

std::string MpichVariable(const DecisionTable& table) {
  return absl::StrCat("export MPIR_CVAR_", absl::AsciiStrToUpper(table.collective),
                      "_INTRA_ALGORITHM=", table.rows.front().algorithm, "\n");
}

std::string Environment(const std::vector<DecisionTable>& tables, const TuningQuestion& question) {
  const bool open_mpi = question.library == kOpenMpi;
  std::string text;
  if (open_mpi) text += "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n";
  for (const DecisionTable& table : tables) {
    const std::string why =
        WhyNotForced(table, question, *strategy::ParseCollective(table.collective));
    if (!why.empty()) {
      text += Comment(absl::StrCat(table.collective, ": ", why));
    } else {
      text += open_mpi ? OpenMpiVariables(table) : MpichVariable(table);
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ExportTuning(const std::vector<DecisionTable>& tables,
                                         const TuningQuestion& question, TuningFormat format,
                                         const std::vector<std::string>& header_lines) {
  if (question.library != kOpenMpi &&
      !(question.library == kMpich && format == TuningFormat::kEnvironment)) {
    return absl::UnimplementedError(absl::StrCat("no exporter of this format for library \"",
                                                 question.library, "\"; there are: ", kOpenMpi,
                                                 " (file, env), ", kMpich, " (env)"));
  }
  for (const DecisionTable& table : tables) {
    if (absl::Status status = Validate(table); !status.ok()) return status;
  }
  std::string text;
  for (const std::string& line : header_lines) text += Comment(line);
  if (format == TuningFormat::kEnvironment) return text + Environment(tables, question);
  const auto file =
      OpenMpiFile(tables, question.nodes * question.ppn, question.allow_commutative_only);
  if (!file.ok()) return file.status();
  return text + *file;
}

}  // namespace cox::advise
