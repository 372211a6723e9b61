#include "advise/tuning/job_advice.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/caveats.h"
#include "advise/choice.h"
#include "advise/of_jobs_alone.h"
#include "advise/weighing.h"
#include "domain/collective.h"
#include "learn/correct/surface/sample_places.h"
#include "learn/structure.h"
#include "library/libraries.h"
#include "library/run_time_number.h"

namespace cox::advise {
namespace {

// Counts of these differ from rank to rank, so ranks cannot decide by a common size.
bool HasOwnSizesPerRank(domain::Collective collective) {
  using enum domain::Collective;
  return collective == kAlltoallv;
}

std::optional<Question> SecondQuestion(TuningQuestion question, domain::Collective collective) {
  if (question.second_library.empty() || HasOwnSizesPerRank(collective)) return std::nullopt;
  question.job.library = question.second_library;
  Question asked = QuestionFor(question, collective);
  std::erase(asked.candidates, learn::kDefaultAlgorithm);
  // An empty list would mean all algorithms.
  if (asked.candidates.empty()) return std::nullopt;
  return asked;
}

// The fastest that was timed near the question; null where none was. `ranked`: fastest first.
const Candidate* FastestTimed(const std::vector<Candidate>& ranked) {
  const auto timed = std::find_if(ranked.begin(), ranked.end(), [](const Candidate& one) {
    return one.support > 0 && !one.is_withdrawn;
  });
  return timed == ranked.end() ? nullptr : &*timed;
}

// The one timed near the question that is most surely fast: its interval has the least upper end. A
// single timing leaves a wide interval.
const Candidate* SurelyFastTimed(const std::vector<Candidate>& ranked) {
  const Candidate* best = nullptr;
  for (const Candidate& one : ranked) {
    if (one.is_withdrawn) continue;
    if (one.support > 0 && (best == nullptr || one.high_s < best->high_s)) best = &one;
  }
  return best;
}

absl::string_view CodeOf(const Candidate& candidate) {
  return candidate.code.empty() ? candidate.algorithm : candidate.code;
}

bool HasTimesOfJobsAlone(const MachineView& machine, const Question& asked,
                         const Candidate& candidate) {
  return IsOfJobsAlone(machine.corrections->Of(asked.library, asked.collective), CodeOf(candidate));
}

}  // namespace

JobAdvice::JobAdvice(const MachineView& machine, const TuningQuestion& question,
                     domain::Collective collective)
    : machine_(machine),
      asked_(QuestionFor(question, collective)),
      second_(SecondQuestion(question, collective)),
      rests_on_assumptions_(RestsOnAssumptions(machine, {asked_.nodes, asked_.ppn, asked_.ranks})) {
}

bool JobAdvice::IsWorthIt(const Answer& own, const Candidate& second) const {
  const Candidate& from = own.chosen;
  if (!(from.predicted_time_s > 0)) return false;
  const bool is_from_confirmed_default =
      from.algorithm == learn::kDefaultAlgorithm && !own.default_algorithm.empty() &&
      machine_.corrections->Find(asked_.library, asked_.collective, learn::kDefaultAlgorithm)
          ->has_data();
  const learn::Shortfall shortfall = ShortfallOf(from, second);
  const double log_gain = std::log(from.predicted_time_s / second.predicted_time_s);
  return IsWorthSwitching(
      log_gain - shortfall.log_gain,
      std::hypot(from.own_sigma, second.own_sigma, std::sqrt(shortfall.variance)),
      is_from_confirmed_default);
}

learn::Shortfall JobAdvice::ShortfallOf(const Candidate& own, const Candidate& second) const {
  const learn::MissedGains* missed =
      machine_.corrections->GainsMissed(asked_.library, asked_.collective);
  // What jobs alone timed rests on no promise.
  const bool is_promised =
      machine_.corrections->TimingsOf(second_->library, second_->collective, CodeOf(second))
          .benchmark;
  if (missed == nullptr || !is_promised) return {};
  const learn::Coordinates at = learn::CoordinatesOf(PointOf(asked_));
  // No name: a place of the own library says nothing of the second one's code of the same name.
  learn::Shortfall shortfall = missed->At(at, "");
  if (own.algorithm == learn::kDefaultAlgorithm) return shortfall;
  // The gain of the own library's choice lacks something, too.
  shortfall.log_gain = std::max(0.0, shortfall.log_gain - missed->At(at, CodeOf(own)).log_gain);
  return shortfall;
}

Answer JobAdvice::At(int64_t block_bytes, bool with_ranked) {
  asked_.block_bytes = block_bytes;
  const bool is_coxcoll = asked_.library == library::kCoxcoll;
  Answer answer = Recommend(machine_, asked_, with_ranked || is_coxcoll);
  if (rests_on_assumptions_) return answer;
  if (is_coxcoll) {
    if (const Candidate* fast = SurelyFastTimed(answer.ranked)) {
      answer.chosen = *fast;
      answer.reason = "timed here; its interval has the least upper end";
    }
    return answer;
  }
  if (!second_) return answer;
  second_->block_bytes = block_bytes;
  Answer other = Recommend(machine_, *second_, /*with_ranked=*/true);
  for (Candidate& candidate : other.ranked) {
    candidate.library = library::FindLibrary(second_->library)->name;
  }
  // Times with links and times without cannot be compared.
  const bool are_alike = answer.leaves_links_out == other.leaves_links_out;
  const Candidate* best = are_alike ? FastestTimed(other.ranked) : nullptr;
  const bool is_comparable =
      best != nullptr && (!HasTimesOfJobsAlone(machine_, asked_, answer.chosen) ||
                          HasTimesOfJobsAlone(machine_, *second_, *best));
  if (is_comparable && IsWorthIt(answer, *best)) {
    answer.reason = absl::StrCat(best->library, "'s ", best->algorithm,
                                 " is predicted to be faster than ", answer.chosen.algorithm);
    answer.chosen = *best;
  }
  if (with_ranked) {
    answer.ranked.insert(answer.ranked.end(), other.ranked.begin(), other.ranked.end());
  }
  return answer;
}

}  // namespace cox::advise
