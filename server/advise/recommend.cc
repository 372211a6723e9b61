#include "advise/recommend.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advise/caveats.h"
#include "advise/choice.h"
#include "advise/of_jobs_alone.h"
#include "advise/tuning/tuning.h"
#include "advise/weighing.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "domain/withdrawal.h"
#include "domain/words/counted.h"
#include "domain/words/nearest_word.h"
#include "learn/correct/interval.h"
#include "learn/structure.h"
#include "library/algorithms.h"
#include "library/aliases.h"
#include "library/libraries.h"

namespace cox::advise {
namespace {

Candidate Describe(const Weighed& weighed) {
  Candidate candidate;
  candidate.algorithm = std::string(weighed.name);
  if (weighed.row != nullptr) candidate.native_id = weighed.row->native_id;
  if (weighed.effective != nullptr) candidate.code = weighed.effective->native_name;
  if (weighed.strategy != nullptr) candidate.strategy = strategy::FormatStrategy(*weighed.strategy);
  if (!weighed.estimate.known) return candidate;
  const double half_width = learn::kIntervalSigmas * weighed.estimate.sigma;
  candidate.predicted_time_s = std::exp(weighed.estimate.log_time);
  candidate.low_s = std::exp(weighed.estimate.log_time - half_width);
  candidate.high_s = std::exp(weighed.estimate.log_time + half_width);
  candidate.own_sigma = weighed.estimate.own_sigma;
  candidate.support = weighed.estimate.support;
  candidate.is_withdrawn = weighed.withdrawal != nullptr;
  return candidate;
}

// Warns of a candidate that the question named although the library's table knows it to be wrong.
std::string Warning(const Question& question, const Weighed* chosen) {
  const bool warn = chosen != nullptr && chosen->row != nullptr && !question.assume.commutative &&
                    !chosen->row->safe_for_any_operation;
  return warn ? "; wrong for operations that do not commute" : "";
}

// Tables must be right for every call of a job, so they lack algorithms that one call may run.
void AddPromise(const Question& question, const Weighed* chosen,
                std::vector<std::string>* caveats) {
  if (chosen == nullptr || chosen->row == nullptr) return;
  const absl::string_view promise = MissingPromise(*chosen->row, question.assume);
  if (promise.empty()) return;
  caveats->push_back(absl::StrCat("`cox tune` leaves ", chosen->name,
                                  " out without the promise --assume ", promise,
                                  " about every call of the job"));
}

// " (did you mean NAME?)" with a name of the library's table, or "".
std::string DidYouMeanListed(const Question& question, absl::string_view name) {
  const auto collective = domain::ParseCollective(question.collective);
  if (!collective.ok()) return "";
  std::vector<absl::string_view> names;
  for (const library::Algorithm& row : library::AlgorithmsOf(question.library)) {
    if (row.collective == *collective) names.push_back(row.native_name);
  }
  return domain::DidYouMean(name, names);
}

// Candidates that nobody timed and no table lists may be misspelt.
void AddUnknown(const Question& question, absl::Span<const Weighed> weighed,
                std::vector<std::string>* caveats) {
  for (const Weighed& entry : weighed) {
    if (entry.estimate.known || entry.row != nullptr || entry.name == learn::kDefaultAlgorithm)
      continue;
    caveats->push_back(absl::StrCat("nobody timed ", entry.name, ", and the table of ",
                                    question.library, " does not list it",
                                    DidYouMeanListed(question, entry.name)));
  }
}

JobShape JobOf(const Question& question) { return {question.nodes, question.ppn, question.ranks}; }

void AddOneReporter(const MachineView& machine, const Question& question, absl::string_view code,
                    std::vector<std::string>* caveats) {
  const learn::AlgorithmTimings& timings =
      machine.corrections->TimingsOf(question.library, question.collective, code);
  if (!IsOneReporters(timings, JobOf(question), question.block_bytes)) return;
  caveats->push_back(absl::StrCat("one reporter alone timed ", code,
                                  " near this call: `cox observations list -m ", machine.name,
                                  " --collective ", question.collective, " --algorithm ", code,
                                  "` shows its rows"));
}

void MarkIncomparable(const MachineView& machine, const Question& question,
                      absl::Span<Weighed> weighed) {
  const learn::CollectiveCorrections& learned =
      machine.corrections->Of(question.library, question.collective);
  if (!IsOfJobsAlone(learned, learn::kDefaultAlgorithm)) return;
  for (Weighed& entry : weighed) {
    const learn::AlgorithmTimings& timings = learned.TimingsOf(entry.code());
    entry.is_comparable = timings.jobs || !timings.benchmark;
  }
}

bool Concerns(const domain::ComparedCalls& calls, absl::string_view library,
              const Question& question) {
  return calls.Holds(library, question.collective, JobOf(question).node_count(), question.ppn,
                     question.ranks, question.block_bytes);
}

void MarkWithdrawn(const MachineView& machine, const Question& question,
                   absl::Span<Weighed> weighed) {
  for (const domain::Withdrawal& withdrawal : machine.guard.withdrawals) {
    const domain::ComparedCalls& calls = withdrawal.evidence.calls;
    if (!Concerns(calls, question.library, question)) continue;
    for (Weighed& entry : weighed) {
      if (entry.name != learn::kDefaultAlgorithm && entry.code() == calls.algorithm)
        entry.withdrawal = &withdrawal;
    }
  }
}

// Says why the fastest of the withdrawn algorithms is not the answer, if it is predicted to be
// faster than the answer.
std::string WhyNotWithdrawn(absl::Span<const Weighed> weighed, const Choice& choice) {
  const Weighed* fastest = nullptr;
  for (const Weighed& entry : weighed) {
    if (entry.withdrawal == nullptr || !entry.estimate.known) continue;
    if (fastest == nullptr || IsBetter(entry, *fastest)) fastest = &entry;
  }
  if (fastest == nullptr) return "";
  if (choice.weighed != nullptr && IsBetter(*choice.weighed, *fastest)) return "";
  const domain::Comparison& evidence = fastest->withdrawal->evidence;
  return absl::StrFormat("; %s was withdrawn: %.2f times the default's time in %s", fastest->name,
                         std::exp(evidence.log_factor),
                         domain::Counted(evidence.pair_count, "comparison"));
}

// `code`: the name of the code that the answer runs.
Evidence EvidenceOf(const MachineView& machine, const Question& question, const Candidate& chosen,
                    absl::string_view code) {
  Evidence evidence;
  if (!(chosen.predicted_time_s > 0)) return evidence;
  if (chosen.support > 0) {
    const learn::AlgorithmTimings& timings =
        machine.corrections->TimingsOf(question.library, question.collective, code);
    evidence.benchmark = timings.benchmark;
    evidence.jobs = timings.jobs;
    evidence.one_source = IsOneReporters(timings, JobOf(question), question.block_bytes);
  }
  evidence.price = !evidence.benchmark && !evidence.jobs;
  // Canaries are timings of the default as well.
  evidence.canary = std::any_of(
      machine.guard.comparisons.begin(), machine.guard.comparisons.end(),
      [&](const domain::Comparison& comparison) {
        return (code == learn::kDefaultAlgorithm || comparison.calls.algorithm == code) &&
               Concerns(comparison.calls, question.library, question);
      });
  return evidence;
}

}  // namespace

absl::Status Validate(const Question& question) {
  if (question.library.empty()) return domain::InvalidField("library", "must be given");
  if (question.collective.empty()) return domain::InvalidField("collective", "must be given");
  strategy::Scenario scenario;
  scenario.ranks = question.ranks;
  scenario.ppn = question.ppn;
  scenario.block_bytes = question.block_bytes;
  scenario.type_bytes = question.type_bytes;
  if (absl::Status status = strategy::Validate(scenario); !status.ok()) return status;
  if (question.nodes < 0 || question.nodes > domain::kMaxRanks) {
    return domain::InvalidField("nodes", absl::StrCat("must be 0 (as many as needed) to ",
                                                      domain::kMaxRanks, ", not ", question.nodes));
  }
  // Both factors are below 2^31.
  if (question.nodes > 0 && question.ranks > question.nodes * question.ppn) {
    return domain::InvalidField(
        "ranks", absl::StrCat(domain::Counted(question.ranks, "rank"), " do not fit ",
                              domain::Counted(question.nodes, "node"), " of ",
                              domain::Counted(question.ppn, "rank"), "; at most ",
                              question.nodes * question.ppn));
  }
  for (size_t i = 0; i < question.candidates.size(); ++i) {
    if (question.candidates[i].empty()) {
      return domain::InvalidField(absl::StrCat("candidates[", i, "]"), "must not be empty");
    }
  }
  return absl::OkStatus();
}

absl::Status Validate(const MachineView& machine, const Question& question) {
  if (absl::Status status = Validate(question); !status.ok()) return status;
  const learn::Corrections& corrections = *machine.corrections;
  const bool has_table = library::FindLibrary(question.library) != nullptr;
  if (!has_table && !corrections.HasObserved(question.library)) {
    return domain::InvalidField(
        "library",
        absl::StrCat("unknown library \"", question.library, "\", of which machine ", machine.name,
                     " has no observations either; known are ", library::LibraryNames()));
  }
  // Only a library's table tells which collectives and algorithms there are.
  if (!has_table) return absl::OkStatus();
  const auto collective = domain::ParseCollective(question.collective);
  if (collective.ok() || !corrections.Algorithms(question.library, question.collective).empty()) {
    const auto is_known = [&](const std::string& name) {
      return name == learn::kDefaultAlgorithm ||
             (collective.ok() &&
              library::FindByAnyName(question.library, *collective, name) != nullptr) ||
             corrections.Find(question.library, question.collective, name)->has_data();
    };
    const std::vector<std::string>& names = question.candidates;
    // A site may have algorithms that no table lists. But if all are unknown, they are misspelt.
    if (names.empty() || std::any_of(names.begin(), names.end(), is_known)) return absl::OkStatus();
    return domain::InvalidField(
        "candidates[0]",
        absl::StrCat("unknown algorithm \"", names.front(), "\" of ", question.library, " ",
                     question.collective, DidYouMeanListed(question, names.front()),
                     ", of which machine ", machine.name,
                     " has no observations either; `cox strategies` lists the known ones"));
  }
  return domain::InvalidField(
      "collective", absl::StrCat("\"", question.collective, "\" has no strategies",
                                 domain::DidYouMean(question.collective, domain::kCollectiveNames),
                                 ", and machine ", machine.name,
                                 " has no observations of it under ", question.library));
}

Answer Recommend(const MachineView& machine, const Question& question, bool with_ranked) {
  thread_local WeighingScratch scratch;
  Weighing weighing(machine, question, &scratch);
  weighing.Run();
  MarkWithdrawn(machine, question, absl::MakeSpan(scratch.weighed));
  MarkIncomparable(machine, question, absl::MakeSpan(scratch.weighed));

  DefaultFacts facts;
  facts.is_candidate = question.candidates.empty() ||
                       std::find(question.candidates.begin(), question.candidates.end(),
                                 learn::kDefaultAlgorithm) != question.candidates.end();
  facts.was_timed = weighing.default_was_timed();
  facts.guesses = scratch.guesses;
  facts.row = weighing.DefaultRow();
  facts.nearness = weighing.default_estimate().nearness;
  const JobShape job = JobOf(question);
  facts.rests_on_assumptions = RestsOnAssumptions(machine, job);
  const Choice choice = Choose(scratch.weighed, facts, question.ranks);

  Answer answer;
  answer.caveats = CaveatsOf(machine, job);
  answer.leaves_links_out = weighing.leaves_links_out();
  if (answer.leaves_links_out) answer.caveats.emplace_back(kLinksLeftOut);
  AddPromise(question, choice.weighed, &answer.caveats);
  if (!question.candidates.empty()) AddUnknown(question, scratch.weighed, &answer.caveats);
  const absl::string_view code =
      choice.weighed == nullptr ? learn::kDefaultAlgorithm : choice.weighed->code();
  AddOneReporter(machine, question, code, &answer.caveats);
  // Lies about the default change the answer, too: its own timings, or those of what it runs.
  const absl::string_view of_default =
      facts.was_timed || facts.row == nullptr ? learn::kDefaultAlgorithm : facts.row->native_name;
  if (code != of_default) AddOneReporter(machine, question, of_default, &answer.caveats);
  if (facts.row != nullptr) answer.default_algorithm = facts.row->native_name;
  answer.reason = absl::StrCat(choice.reason, WhyNotWithdrawn(scratch.weighed, choice),
                               Warning(question, choice.weighed));
  if (choice.weighed != nullptr) {
    answer.chosen = Describe(*choice.weighed);
  } else {
    answer.chosen.algorithm = std::string(learn::kDefaultAlgorithm);
  }
  answer.evidence = EvidenceOf(machine, question, answer.chosen, code);
  if (machine.model != nullptr) answer.model = std::string(machine.model->id());
  if (weighing.default_estimate().known)
    answer.default_time_s = std::exp(weighing.default_estimate().log_time);
  if (with_ranked) {
    std::stable_sort(scratch.weighed.begin(), scratch.weighed.end(), IsBetter);
    for (const Weighed& entry : scratch.weighed) {
      if (entry.estimate.known) answer.ranked.push_back(Describe(entry));
    }
  }
  return answer;
}

}  // namespace cox::advise
