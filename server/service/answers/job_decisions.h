// What GetDecisions and GetTuning share: the question about a job, the cache of its decisions, and
// what both responses say of them. Any thread.
#ifndef COX_SERVICE_ANSWERS_JOB_DECISIONS_H_
#define COX_SERVICE_ANSWERS_JOB_DECISIONS_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "advise/caveats.h"
#include "advise/machine_view.h"
#include "advise/tuning/tuning.h"
#include "cox/v1/advice.pb.h"
#include "daemon/decision_cache.h"
#include "daemon/snapshots.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "library/decision_table.h"
#include "service/answers/find_machine.h"

namespace cox::service {

// Identifies a question in the cache: all fields of the request that the decisions depend on. Two
// spellings of one question may be kept twice, which costs only memory.
std::string KeyOf(v1::GetDecisionsRequest request);
std::string KeyOf(v1::GetTuningRequest request);

// INVALID_ARGUMENT (field "explore_ratio") outside 0..advise::kMaxExploreShare, and for NaN.
absl::Status CheckExploreShare(double share);

// The question of either request.
template <typename Request>
advise::TuningQuestion QuestionOf(const Request& request, const advise::MachineView& machine) {
  advise::TuningQuestion question;
  question.job.library = request.library();
  question.job.nodes = request.nodes();
  question.job.ppn = request.ppn() == 0 ? machine.cores_per_node : request.ppn();
  question.job.assume = {.commutative = request.assume_commutative(),
                         .elements_at_least_ranks = request.assume_elements_at_least_ranks(),
                         .same_counts = request.assume_same_counts()};
  question.collectives.assign(request.collectives().begin(), request.collectives().end());
  return question;
}

// Fills the fields that both responses have. Returns whether the request's etag is the answer's:
// the response is then complete.
template <typename Request, typename Response>
bool IsKnownToCaller(const daemon::JobDecisions& answer, const Request& request,
                     Response* response) {
  response->set_etag(answer.etag);
  response->set_profile_revision(answer.machine->revision);
  response->set_not_modified(request.etag() == answer.etag);
  return response->not_modified();
}

// Whether the cache shows that the request's etag is still valid; the response is then complete.
// Costs one lookup.
template <typename Request, typename Response>
bool HoldsEtag(const daemon::Snapshot& snapshot, const daemon::DecisionCache& cache,
               const Request& request, Response* response) {
  if (request.etag().empty()) return false;
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return false;
  const auto answer = cache.Find(KeyOf(request), **machine);
  return answer != nullptr && IsKnownToCaller(*answer, request, response);
}

// The answer in the cache under `key`: KeyOf(), and what else the decisions depend on. If there is
// none, `decide(machine, request)` makes it, all but its machine and caveats, which takes
// milliseconds; once for all who ask at the same time. NOT_FOUND for an unknown machine, and the
// errors of `decide`.
template <typename Request, typename Decide>
absl::StatusOr<std::shared_ptr<const daemon::JobDecisions>> FindOrDecide(
    const daemon::Snapshot& snapshot, const Request& request, const std::string& key, Decide decide,
    daemon::DecisionCache* cache) {
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  if (auto known = cache->Find(key, **machine); known != nullptr) return known;
  const std::unique_lock<std::mutex> turn = cache->TakeTurn(key);
  if (auto known = cache->Find(key, **machine); known != nullptr) return known;
  absl::StatusOr<daemon::JobDecisions> decided = decide(**machine, request);
  if (!decided.ok()) return decided.status();
  decided->machine = snapshot.find((*machine)->name)->second;
  decided->caveats = advise::CaveatsOf(**machine, decided->job, decided->tables);
  auto answer = std::make_shared<const daemon::JobDecisions>(*std::move(decided));
  cache->Keep(key, answer);
  return answer;
}

// What both responses say of the decisions: their caveats, and a message for each row.
// `set_own(row, message)` sets what only one of the messages has.
template <typename Response, typename Message, typename SetOwn>
void AddDecisions(const daemon::JobDecisions& decisions, SetOwn set_own, Response* response,
                  google::protobuf::RepeatedPtrField<Message>* messages) {
  for (const std::string& caveat : decisions.caveats) response->add_caveats(caveat);
  for (const library::DecisionTable& table : decisions.tables) {
    for (const library::DecisionRow& row : table.rows) {
      Message* message = messages->Add();
      message->set_collective(table.collective);
      message->set_algorithm(row.algorithm);
      message->set_predicted_time_s(row.predicted_time_s);
      message->set_default_time_s(row.default_time_s);
      message->set_trial(row.trial);
      set_own(row, message);
    }
  }
}

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_JOB_DECISIONS_H_
