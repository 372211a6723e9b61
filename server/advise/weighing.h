// Weighs the candidates of one question before one is chosen. Formats and copies nothing. One
// thread; each thread has its own scratch.
#ifndef COX_ADVISE_WEIGHING_H_
#define COX_ADVISE_WEIGHING_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "domain/withdrawal.h"
#include "learn/correct/corrections.h"
#include "learn/correct/envelope_time.h"
#include "learn/correct/missed_gains.h"
#include "learn/correct/surface/asked_point.h"
#include "learn/structure.h"
#include "library/algorithm.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::advise {

// A weighed candidate.
struct Weighed {
  absl::string_view name;
  const library::Algorithm* row = nullptr;
  const library::Algorithm* effective = nullptr;  // the row that runs when `row` is forced
  const strategy::Strategy* strategy = nullptr;
  bool runs_as_itself = true;  // false: the library runs other code for this call
  learn::Estimate estimate;
  learn::Shortfall shortfall;                      // of its gain over the default, in jobs
  const domain::Withdrawal* withdrawal = nullptr;  // in force for this call; null: none
  // With the default's time. False if only jobs timed the default, only benchmarks this, and no
  // call was timed in both ways: ranks of jobs wait for each other within a call.
  bool is_comparable = true;
  // The most ranks that were timed, fewer than those of the question, where it was slower than the
  // default (learn::Behind); 0: none.
  int64_t behind_at_ranks = 0;

  // The name of the code that runs.
  absl::string_view code() const { return effective == nullptr ? name : effective->native_name; }
};

// Where the question lies; without nodes, on as few as its ranks need.
learn::Point PointOf(const Question& question);

// One possibility of what the default runs.
struct Guess {
  double share = 1;  // its probability
  double log_time = 0;
  double sigma = 0;
  double own_sigma = 0;
  absl::string_view code;   // the library's name of it; "" for the default's own time
  double unseen_sigma = 0;  // learn::Estimate::unseen_sigma
};

// What the times of the library's code are, asked about or not.
struct CodeEstimate {
  absl::string_view code;
  const strategy::Strategy* strategy = nullptr;  // null: of no known structure
  learn::Estimate estimate;
};

// Memory that a thread reuses from question to question.
struct WeighingScratch {
  model::Schedule schedule;
  std::vector<Weighed> weighed;
  std::vector<Guess> guesses;
  std::vector<double> votes;
  std::vector<CodeEstimate> estimates;
};

class Weighing {
 public:
  // All three outlive it. The question is valid.
  Weighing(const MachineView& machine, const Question& question, WeighingScratch* scratch);

  // Writes the candidates into scratch->weighed, and what the default may run into
  // scratch->guesses. No guesses where no time of the default is known. Leaves the links between
  // the job's switches out of all estimates if it would have to guess the load of some.
  void Run();

  // The row that the library's default runs; null where that is not known, or where the default's
  // times contradict it.
  const library::Algorithm* DefaultRow() const;
  // The estimate of the default's time, also if it is not a candidate.
  const learn::Estimate& default_estimate() const { return default_estimate_; }
  // Whether the default itself was timed.
  bool default_was_timed() const;
  bool leaves_links_out() const { return leaves_links_out_; }

 private:
  void WeighAll();
  // Whether a question without candidates asks about it. The collective has strategies.
  bool IsOffered(const library::Algorithm& row) const;
  void AddAll();
  void Add(absl::string_view name);
  void AddRow(const library::Algorithm& row, absl::string_view name);
  void AddUnlisted(absl::string_view name);
  // Answers must not depend on which candidates a question names.
  void EstimateTheOthers();
  // Raises the prices of untimed algorithms by what timings of others show beyond theirs.
  void RaiseUntimed();
  // Adds the links to the estimates by EstimateOnce(), after the raise: prices have none.
  void AddLinks();
  void GuessDefault();
  void GuessFromVotes(const learn::DefaultVotes& votes, const learn::Estimate& own);
  void GuessFromOwnDecision(const learn::Estimate& own);
  void DoubtPromises();
  void DoubtGrowth();
  learn::Estimate DefaultOnEnvelope();
  learn::Estimate DefaultByOwnDecision();

  double Price(const strategy::Strategy* strategy) const;
  // Adds what the links between the job's switches take, if the question says which nodes it uses.
  learn::Estimate WithLinks(learn::Estimate estimate, const strategy::Strategy* strategy);
  learn::Estimate DefaultCorrected(double price_s);
  const learn::Estimate* FindEstimate(absl::string_view code) const;  // null: there is none yet
  // Without links.
  learn::Estimate EstimateOnce(absl::string_view code, const strategy::Strategy* strategy);
  // Prices each name once.
  learn::Estimate EstimateOf(absl::string_view algorithm);
  // The same for an algorithm whose structure is known, or null; does not remember it.
  learn::Estimate EstimateOf(absl::string_view algorithm, const strategy::Strategy* strategy);
  learn::Pricing PricingHere() const;

  const MachineView& machine_;
  const Question& question_;
  WeighingScratch& scratch_;
  std::optional<strategy::Scenario> scenario_;
  // Assumes commutative operations: an algorithm's fallback for other operations does not tell its
  // cost.
  library::Assumptions assume_ = library::kUsualCalls;
  learn::Structure default_structure_;  // of the library's own choice
  learn::Estimate default_estimate_;
  learn::AskedPoint asked_;
  learn::Place place_;                             // of the question
  const learn::Correction* default_correction_{};  // never null after construction
  bool leaves_links_out_ = false;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_WEIGHING_H_
