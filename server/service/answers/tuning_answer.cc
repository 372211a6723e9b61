#include "service/answers/tuning_answer.h"

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/words/counted.h"
#include "library/fingerprint.h"
#include "library/tuning_format.h"
#include "service/answers/job_decisions.h"
#include "service/convert/checks.h"
#include "service/limits.h"

namespace cox::service {
namespace {

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

std::string WhereNodesAre(const std::optional<advise::NodesInUse>& nodes) {
  return nodes.has_value()
             ? absl::StrCat(", at ", domain::Counted(nodes->switch_count, "switch", "switches"))
             : "";
}

std::vector<std::string> HeaderLines(const daemon::JobDecisions& answer,
                                     const std::optional<advise::NodesInUse>& nodes,
                                     const std::string& command) {
  std::vector<std::string> lines = {
      absl::StrCat("machine ", answer.machine->name, ", profile revision ",
                   answer.machine->revision),
      absl::StrCat(answer.job.library, ", ", domain::Counted(answer.job.nodes, "node"), " of ",
                   domain::Counted(answer.job.ppn, "rank"), WhereNodesAre(nodes)),
      absl::StrCat("made ", NowUtc(), " by coxswain"),
  };
  if (!command.empty()) lines.push_back(absl::StrCat("command: ", command));
  for (const std::string& caveat : answer.caveats) {
    lines.push_back(absl::StrCat("caveat: ", caveat));
  }
  for (const library::DecisionTable& table : answer.tables) {
    for (const library::DecisionRow& row : table.rows) {
      if (row.trial.empty()) continue;
      lines.push_back(absl::StrCat("trial: ", table.collective, " from ", row.block_bytes,
                                   " bytes, ", row.algorithm, " ", row.trial));
    }
  }
  return lines;
}

absl::Status CheckCommand(const std::string& command) {
  if (command.size() > kMaxTextBytes) {
    return domain::InvalidField("command",
                                absl::StrCat("must be at most ", kMaxTextBytes, " bytes"));
  }
  // A line break would end the comment that holds the command.
  return NoControlCharacters("command", command);
}

absl::string_view FormatName(const v1::GetTuningRequest& request) {
  if (!request.format_name().empty()) return request.format_name();
  switch (request.format()) {
    case v1::TUNING_FORMAT_ENV:
      return "env";
    case v1::TUNING_FORMAT_FILE:
      return "file";
    default:
      return "";
  }
}

absl::StatusOr<daemon::JobDecisions> DecideByTable(const advise::MachineView& machine,
                                                   const v1::GetTuningRequest& request,
                                                   const std::optional<advise::NodesInUse>& nodes,
                                                   const domain::IsCancelled& is_cancelled,
                                                   const domain::InParts& in_parts) {
  advise::TuningQuestion question = QuestionOf(request, machine);
  question.nodes_in_use = nodes.has_value() ? &*nodes : nullptr;
  absl::StatusOr<std::vector<library::DecisionTable>> tables =
      advise::BuildDecisionTables(machine, question, is_cancelled, in_parts);
  if (!tables.ok()) return tables.status();
  const auto format = library::FindTuningFormat(request.library(), FormatName(request));
  if (!format.ok()) return format.status();
  if (absl::Status checked = CheckExploreShare(request.explore_ratio()); !checked.ok()) {
    return checked;
  }
  const absl::Status tried =
      advise::AddTrials(machine, question, request.explore_ratio(), (*format)->tells_sizes_apart,
                        absl::MakeSpan(*tables), is_cancelled);
  if (!tried.ok()) return tried;
  // The etag is of the decisions alone: the header's date must not change it.
  const absl::StatusOr<std::string> bare =
      library::WriteTuning(*tables, question.job, **format, {});
  if (!bare.ok()) return bare.status();
  daemon::JobDecisions decisions;
  decisions.job = question.job;
  decisions.format = *format;
  decisions.tables = *std::move(tables);
  decisions.etag = library::Fingerprint(*bare);
  return decisions;
}

}  // namespace

bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::DecisionCache& cache,
                   const v1::GetTuningRequest& request, v1::GetTuningResponse* response) {
  return CheckCommand(request.command()).ok() && HoldsEtag(snapshot, cache, request, response);
}

absl::Status AnswerTuning(const daemon::Snapshot& snapshot, const v1::GetTuningRequest& request,
                          NodeFinder finder, daemon::DecisionCache* cache,
                          const domain::IsCancelled& is_cancelled, const domain::InParts& in_parts,
                          v1::GetTuningResponse* response) {
  if (absl::Status checked = CheckCommand(request.command()); !checked.ok()) return checked;
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  const absl::StatusOr<std::optional<advise::NodesInUse>> nodes =
      finder.Find(request.machine(), request.node_list(), request.nodes(),
                  request.assume_idle_switches(), request.nodes());
  if (!nodes.ok()) return nodes.status();
  const auto decide = [&](const advise::MachineView& of, const v1::GetTuningRequest& asked) {
    return DecideByTable(of, asked, *nodes, is_cancelled, in_parts);
  };
  const std::string key = absl::StrCat(KeyOf(request), finder.network_id());
  const auto answer = FindOrDecide(snapshot, request, key, decide, cache);
  if (!answer.ok()) return answer.status();
  if (nodes->has_value()) FromNodesInUse(**nodes, response->mutable_nodes_in_use());
  if (IsKnownToCaller(**answer, request, response)) return absl::OkStatus();
  const daemon::JobDecisions& decisions = **answer;
  absl::StatusOr<std::string> text =
      library::WriteTuning(decisions.tables, decisions.job, *decisions.format,
                           HeaderLines(decisions, *nodes, request.command()));
  if (!text.ok()) return text.status();
  response->set_text(*std::move(text));
  const auto set_own = [](const library::DecisionRow& row, v1::TuningRow* out) {
    out->set_block_bytes(row.block_bytes);
  };
  AddDecisions(decisions, set_own, response, response->mutable_rows());
  return absl::OkStatus();
}

}  // namespace cox::service
