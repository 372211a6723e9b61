#include "service/answers/decisions_answer.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "library/fingerprint.h"
#include "service/answers/job_decisions.h"

namespace cox::service {
namespace {

// Leaves out predicted times: they change with each revision.
std::string EtagOf(const std::vector<library::DecisionTable>& tables) {
  std::string decisions;
  for (const library::DecisionTable& table : tables) {
    for (const library::DecisionRow& row : table.rows) {
      absl::StrAppend(&decisions, table.collective, " ", row.block_bytes, " ", row.library, " ",
                      row.algorithm, "\n");
    }
  }
  return library::Fingerprint(decisions);
}

absl::StatusOr<daemon::JobDecisions> DecideByCall(const advise::MachineView& machine,
                                                  const v1::GetDecisionsRequest& request,
                                                  const domain::IsCancelled& is_cancelled,
                                                  const domain::InParts& in_parts) {
  if (absl::Status checked = CheckExploreShare(request.explore_ratio()); !checked.ok()) {
    return checked;
  }
  advise::TuningQuestion question = QuestionOf(request, machine);
  question.second_library = request.second_library();
  question.by_call = true;
  absl::StatusOr<std::vector<library::DecisionTable>> tables =
      advise::BuildDecisionTables(machine, question, is_cancelled, in_parts);
  if (!tables.ok()) return tables.status();
  const auto tells_sizes_apart = [](domain::Collective /*collective*/) { return true; };
  const absl::Status tried =
      advise::AddTrials(machine, question, request.explore_ratio(), tells_sizes_apart,
                        absl::MakeSpan(*tables), is_cancelled);
  if (!tried.ok()) return tried;
  daemon::JobDecisions decisions;
  decisions.job = question.job;
  decisions.etag = EtagOf(*tables);
  decisions.tables = *std::move(tables);
  return decisions;
}

}  // namespace

bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::DecisionCache& cache,
                   const v1::GetDecisionsRequest& request, v1::GetDecisionsResponse* response) {
  return HoldsEtag(snapshot, cache, request, response);
}

absl::Status AnswerDecisions(const daemon::Snapshot& snapshot,
                             const v1::GetDecisionsRequest& request, daemon::DecisionCache* cache,
                             const domain::IsCancelled& is_cancelled,
                             const domain::InParts& in_parts, v1::GetDecisionsResponse* response) {
  const auto decide = [&](const advise::MachineView& machine,
                          const v1::GetDecisionsRequest& asked) {
    return DecideByCall(machine, asked, is_cancelled, in_parts);
  };
  const auto answer = FindOrDecide(snapshot, request, KeyOf(request), decide, cache);
  if (!answer.ok()) return answer.status();
  if (IsKnownToCaller(**answer, request, response)) return absl::OkStatus();
  const auto set_own = [](const library::DecisionRow& row, v1::Decision* decision) {
    decision->set_from_block_bytes(row.block_bytes);
    decision->set_library(row.library);
  };
  AddDecisions(**answer, set_own, response, response->mutable_decisions());
  return absl::OkStatus();
}

}  // namespace cox::service
