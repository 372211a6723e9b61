#include "service/answers/decisions_answer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "library/fingerprint.h"
#include "service/answers/explore_share.h"
#include "service/answers/find_machine.h"

namespace cox::service {
namespace {

// Two spellings of the same question may be kept twice, which costs only memory.
std::string KeyOf(const v1::GetDecisionsRequest& request) {
  v1::GetDecisionsRequest question = request;
  question.clear_etag();
  return absl::StrCat("decisions:", question.SerializeAsString());
}

// Prediction times are no part of it: they change with each revision.
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

absl::StatusOr<std::shared_ptr<const daemon::TunedAnswer>> Decide(
    const std::shared_ptr<const advise::MachineView>& machine,
    const v1::GetDecisionsRequest& request) {
  advise::TuningQuestion question;
  question.job.library = request.library();
  question.job.nodes = request.nodes();
  question.job.ppn = request.ppn() == 0 ? machine->cores_per_node : request.ppn();
  question.job.assume = {.commutative = request.assume_commutative(),
                         .elements_at_least_ranks = request.assume_elements_at_least_ranks(),
                         .same_counts = request.assume_same_counts()};
  question.collectives.assign(request.collectives().begin(), request.collectives().end());
  question.second_library = request.second_library();
  question.by_call = true;
  if (absl::Status checked = CheckExploreShare(request.explore_ratio()); !checked.ok()) {
    return checked;
  }
  absl::StatusOr<std::vector<library::DecisionTable>> tables =
      advise::BuildDecisionTables(*machine, question);
  if (!tables.ok()) return tables.status();
  const auto tells_sizes_apart = [](domain::Collective /*collective*/) { return true; };
  advise::AddTrials(*machine, question, request.explore_ratio(), tells_sizes_apart,
                    absl::MakeSpan(*tables));
  daemon::TunedAnswer answer;
  answer.machine = machine;
  answer.job = question.job;
  answer.etag = EtagOf(*tables);
  answer.tables = *std::move(tables);
  return std::make_shared<const daemon::TunedAnswer>(std::move(answer));
}

bool IsKnownToCaller(const daemon::TunedAnswer& answer, const v1::GetDecisionsRequest& request,
                     v1::GetDecisionsResponse* response) {
  response->set_etag(answer.etag);
  response->set_profile_revision(answer.machine->revision);
  response->set_not_modified(request.etag() == answer.etag);
  return response->not_modified();
}

}  // namespace

bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::TuningTexts& texts,
                   const v1::GetDecisionsRequest& request, v1::GetDecisionsResponse* response) {
  if (request.etag().empty()) return false;
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return false;
  const std::shared_ptr<const daemon::TunedAnswer> answer = texts.Find(KeyOf(request), **machine);
  return answer != nullptr && IsKnownToCaller(*answer, request, response);
}

absl::Status AnswerDecisions(const daemon::Snapshot& snapshot,
                             const v1::GetDecisionsRequest& request, daemon::TuningTexts* texts,
                             v1::GetDecisionsResponse* response) {
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  const std::string key = KeyOf(request);
  std::shared_ptr<const daemon::TunedAnswer> answer = texts->Find(key, **machine);
  if (answer == nullptr) {
    auto decided = Decide(snapshot.find((*machine)->name)->second, request);
    if (!decided.ok()) return decided.status();
    answer = *std::move(decided);
    texts->Keep(key, answer);
  }
  if (IsKnownToCaller(*answer, request, response)) return absl::OkStatus();
  for (const library::DecisionTable& table : answer->tables) {
    for (const library::DecisionRow& row : table.rows) {
      v1::Decision* out = response->add_decisions();
      out->set_collective(table.collective);
      out->set_from_block_bytes(row.block_bytes);
      out->set_algorithm(row.algorithm);
      out->set_library(row.library);
      out->set_predicted_time_s(row.predicted_time_s);
      out->set_default_time_s(row.default_time_s);
      out->set_trial(row.trial);
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::service
