// What is known about the candidates of one question, before any is chosen: nothing is formatted or
// copied. Scratch of one thread.
#ifndef COX_ADVISE_WEIGHING_H_
#define COX_ADVISE_WEIGHING_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "learn/correct/correction.h"
#include "learn/correct/envelope.h"
#include "learn/structure.h"
#include "library/algorithm.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::advise {

// A candidate as it is weighed.
struct Weighed {
  absl::string_view name;
  const library::Algorithm* row = nullptr;
  const library::Algorithm* effective = nullptr;  // what runs when `row` is asked for
  const strategy::Strategy* strategy = nullptr;
  bool runs_as_itself = true;  // false: the library runs what has another name for this call
  learn::Estimate estimate;

  // The name of the code that runs.
  absl::string_view code() const { return effective == nullptr ? name : effective->native_name; }
};

// One thing that the default may turn out to be.
struct Guess {
  double share = 1;  // its probability
  double log_time = 0;
  double sigma = 0;
  double own_sigma = 0;
  absl::string_view code;  // of one of the library's algorithms; "" for the default's own time
};

// What a thread keeps from question to question.
struct WeighingScratch {
  model::Schedule schedule;
  std::vector<Weighed> weighed;
  std::vector<Guess> guesses;
  std::vector<double> votes;
  std::vector<std::pair<absl::string_view, learn::Estimate>> estimates;  // by name
};

class Weighing {
 public:
  // All three outlive it. The question is valid.
  Weighing(const MachineView& machine, const Question& question, WeighingScratch* scratch);

  // The candidates into scratch->weighed, what the default may be into scratch->guesses: nothing
  // where no time of the default is known.
  void Run();

  // The row that the library runs by itself; null where that is not known, or is contradicted by
  // what its default takes.
  const library::Algorithm* StockRow() const;
  // What is known about the default's time, whether or not it is a candidate.
  const learn::Estimate& usual() const { return usual_; }
  // Whether the default itself was timed.
  bool default_was_timed() const;

 private:
  void Add(absl::string_view name);
  void AddRow(const library::Algorithm& row, absl::string_view name);
  void AddUnlisted(absl::string_view name);
  void GuessDefault();
  void GuessFromVotes(const learn::DefaultVotes& votes, const learn::Estimate& own);
  void GuessFromStock(const learn::Estimate& own);
  learn::Estimate DefaultOnEnvelope();
  learn::Estimate DefaultOnStock();

  double Price(const strategy::Strategy* strategy) const;
  const learn::Correction* CorrectionOf(absl::string_view algorithm) const;
  learn::Estimate Corrected(absl::string_view algorithm, double price_s) const;
  // Each name is priced once.
  learn::Estimate EstimateOf(absl::string_view algorithm);

  const MachineView& machine_;
  const Question& question_;
  WeighingScratch& scratch_;
  std::optional<strategy::Scenario> scenario_;
  // The usual call: what an algorithm falls back to for an operation that does not commute is not
  // what it costs otherwise.
  library::Assumptions assume_ = library::kUsualCalls;
  learn::Structure picked_;  // by the library itself
  learn::Estimate usual_;
  learn::Point point_;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_WEIGHING_H_
