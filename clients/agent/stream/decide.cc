#include "agent/stream/decide.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "agent/steering/decisions.h"
#include "agent/stream/wire/unary_call.h"
#include "agent/timing/collectives.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"
#include "tuning/answer.h"

namespace cox::agent {
namespace {

constexpr char kMethod[] = "/cox.v1.AdviceService/GetTuning";
constexpr double kSecondsPerNs = 1e-9;
static_assert(library::kMostRunTimeNumber + 1 == Decisions::kFirstCoxcoll &&
              library::kMostOwnNumber == Decisions::kMostNumber);

// -1 for one that the agent does not time.
int32_t NumberOf(const std::string& collective) {
  for (int32_t i = 0; i < domain::kCollectiveCount; ++i) {
    if (collective == domain::kCollectiveNames[i]) return i;
  }
  return -1;
}

std::string EtagOf(const std::string& answer) {
  const auto decoded = DecodeTuningResponse(answer);
  return decoded.has_value() ? decoded->etag : "";
}

}  // namespace

std::vector<CoxStreamDecision> DecisionsOf(const std::string& library,
                                           const std::vector<TuningRow>& rows) {
  std::vector<CoxStreamDecision> decisions;
  for (const TuningRow& row : rows) {
    const int32_t place = NumberOf(row.collective);
    const auto collective = domain::ParseCollective(row.collective);
    if (place < 0 || !collective.ok()) continue;
    CoxStreamDecision& decision =
        decisions.emplace_back(CoxStreamDecision{place, 0, row.block_bytes, ""});
    if (row.library == library::kOwnLibrary) {
      if (!CanBeReplaced(static_cast<domain::Collective>(place))) continue;
      // A name that does not fit is left to the library.
      if (row.algorithm.size() >= sizeof(decision.name)) continue;
      decision.number = library::OwnNumber(*collective, row.algorithm);
      row.algorithm.copy(decision.name, sizeof(decision.name) - 1);
    } else if (row.library.empty()) {
      decision.number = library::RunTimeNumber(library, *collective, row.algorithm);
    }
  }
  return decisions;
}

absl::StatusOr<Decided> Decide(const CoxStreamQuestion& question) {
  const double limit_s = static_cast<double>(question.limit_ns) * kSecondsPerNs;
  tuning::TuningKey key;
  key.server = question.server;
  key.machine = question.machine;
  key.library = question.library;
  key.shape = {question.nodes, question.ppn};
  key.assume = {.commutative = true,
                .elements_at_least_ranks = question.elements_at_least_ranks != 0,
                .same_counts = question.same_counts != 0};
  key.as_file = true;
  key.by_call = true;
  key.explore_ratio = question.explore_share;
  if (question.use_coxcoll != 0) key.second_library = std::string(library::kOwnLibrary);
  const tuning::Source source = {.is_complete =
                                     [](const std::string& text) {
                                       const auto answer = DecodeTuningResponse(text);
                                       return answer.has_value() && answer->text_bytes > 0;
                                     },
                                 .ask =
                                     [&](const std::string& known) {
                                       TuningRequest request = {key.machine,
                                                                key.library,
                                                                key.shape.nodes,
                                                                key.shape.ppn,
                                                                EtagOf(known),
                                                                key.assume.commutative,
                                                                key.assume.elements_at_least_ranks,
                                                                key.assume.same_counts,
                                                                key.second_library,
                                                                key.explore_ratio};
                                       return CallOnce(key.server, kMethod,
                                                       EncodeTuningRequest(request), limit_s);
                                     },
                                 .is_not_modified =
                                     [](const std::string& text) {
                                       const auto answer = DecodeTuningResponse(text);
                                       return answer.has_value() && answer->not_modified;
                                     }};
  const tuning::TuningCache cache(tuning::TuningCache::DefaultFolder(getenv));
  absl::StatusOr<tuning::Answer> found = tuning::FindAnswer(key, limit_s, cache, source);
  if (!found.ok()) return found.status();
  const auto answer = DecodeTuningResponse(found->answer);
  if (!answer.has_value()) return absl::InternalError("the answer cannot be read");
  Decided decided;
  decided.decisions = DecisionsOf(key.library, answer->rows);
  decided.remark = absl::StrCat("profile revision ", answer->profile_revision,
                                found->remark.empty() ? "" : "; ", found->remark);
  return decided;
}

}  // namespace cox::agent
