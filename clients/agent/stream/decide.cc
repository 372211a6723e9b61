#include "agent/stream/decide.h"

#include <cstdlib>
#include <optional>

#include "absl/strings/str_cat.h"
#include "agent/steering/decisions.h"
#include "agent/stream/check_rows.h"
#include "agent/stream/wire/decisions_wire.h"
#include "agent/stream/wire/unary_call.h"
#include "domain/words/counted.h"
#include "library/run_time_number.h"
#include "tuning/answer.h"

namespace cox::agent {
namespace {

constexpr char kDecideMethod[] = "/cox.v1.AdviceService/GetDecisions";
constexpr double kSecondsPerNs = 1e-9;
static_assert(library::kMostRunTimeNumber + 1 == Decisions::kFirstCoxcoll &&
              library::kMostCoxcollNumber == Decisions::kMostNumber);

tuning::TuningKey KeyOf(const CoxStreamQuestion& question) {
  tuning::TuningKey key;
  key.server = question.server;
  key.machine = question.machine;
  key.library = question.library;
  key.shape = {question.nodes, question.ppn};
  key.assume = {.commutative = true,
                .elements_at_least_ranks = question.elements_at_least_ranks != 0,
                .same_counts = question.same_counts != 0};
  key.question = tuning::Question::kDecisions;
  key.explore_ratio = question.explore_share;
  if (question.use_coxcoll != 0) key.second_library = std::string(library::kCoxcoll);
  return key;
}

DecisionsRequest RequestOf(const tuning::TuningKey& key, const std::string& known) {
  const auto cached = DecodeDecisionsResponse(known);
  return {.machine = key.machine,
          .library = key.library,
          .nodes = key.shape.nodes,
          .ppn = key.shape.ppn,
          .etag = cached.has_value() ? cached->etag : "",
          .assume_commutative = key.assume.commutative,
          .assume_elements_at_least_ranks = key.assume.elements_at_least_ranks,
          .assume_same_counts = key.assume.same_counts,
          .second_library = key.second_library,
          .explore_ratio = key.explore_ratio};
}

bool IsComplete(const std::string& text) {
  const auto answer = DecodeDecisionsResponse(text);
  return answer.has_value() && answer->is_complete();
}

bool IsNotModified(const std::string& text) {
  const auto answer = DecodeDecisionsResponse(text);
  return answer.has_value() && answer->not_modified;
}

}  // namespace

absl::StatusOr<Decided> Decide(const CoxStreamQuestion& question) {
  const double limit_s = static_cast<double>(question.limit_ns) * kSecondsPerNs;
  const tuning::TuningKey key = KeyOf(question);
  const tuning::Source source = {.is_complete = IsComplete,
                                 .ask =
                                     [&](const std::string& known) {
                                       return CallOnce(
                                           key.server, kDecideMethod,
                                           EncodeDecisionsRequest(RequestOf(key, known)), limit_s);
                                     },
                                 .is_not_modified = IsNotModified};
  const tuning::TuningCache cache(tuning::TuningCache::DefaultFolder(getenv));
  absl::StatusOr<tuning::Answer> found = tuning::FindAnswer(key, limit_s, cache, source);
  if (!found.ok()) return found.status();
  const auto answer = DecodeDecisionsResponse(found->answer);
  if (!answer.has_value()) return absl::InternalError("coxd's answer cannot be read");
  CheckedRows checked = CheckRows({.library = key.library,
                                   .ranks = key.shape.nodes * key.shape.ppn,
                                   .ppn = key.shape.ppn,
                                   .assume = key.assume,
                                   .use_coxcoll = question.use_coxcoll != 0},
                                  answer->rows);
  Decided decided;
  decided.decisions = std::move(checked.decisions);
  decided.remark = absl::StrCat("profile revision ", answer->profile_revision,
                                found->remark.empty() ? "" : "; ", found->remark);
  if (checked.refused_count > 0) {
    absl::StrAppend(&decided.remark, "; refused ", domain::Counted(checked.refused_count, "row"),
                    " that this job cannot apply");
  }
  return decided;
}

}  // namespace cox::agent
