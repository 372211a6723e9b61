// All corrections of a machine, learned from its cells, its profile and the selected model.
// Immutable once built, any thread.
#ifndef COX_LEARN_CORRECT_CORRECTIONS_H_
#define COX_LEARN_CORRECT_CORRECTIONS_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/cell_key.h"
#include "domain/profile.h"
#include "learn/correct/borrow/usual_time.h"
#include "learn/correct/correction.h"
#include "learn/correct/default_votes.h"
#include "learn/correct/kind_offset.h"
#include "learn/correct/missed_gains.h"
#include "learn/correct/model_spread.h"
#include "learn/samples.h"

namespace cox::learn {

struct Names {
  absl::string_view library;
  absl::string_view collective;
  absl::string_view algorithm;
  friend bool operator==(const Names&, const Names&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Names& names) {
    return H::combine(std::move(state), names.library, names.collective, names.algorithm);
  }
};

// How an algorithm was timed.
struct TimedKinds {
  bool benchmark = false;
  bool jobs = false;
};

class Corrections {
 public:
  // `model` as model() returns it. Algorithms without observations have structural prices with this
  // standard deviation of their logarithm.
  Corrections(std::string model, double structural_sigma)
      : model_(std::move(model)), structure_alone_(StructureAlone(structural_sigma)) {}

  // For BuildCorrections() alone. `place_count`: how many places were observed. SortAlgorithms()
  // follows the last Add(), and comes before Algorithms().
  void Add(const Names& names, std::unique_ptr<const Correction> correction, size_t place_count);
  void AddVotes(absl::string_view library, absl::string_view collective, DefaultVotes votes);
  void AddJobFactor(absl::string_view library, absl::string_view collective,
                    const JobFactor& factor);
  void AddMissedGains(absl::string_view library, absl::string_view collective,
                      MissedGains missed_gains);
  void AddCommonTime(absl::string_view library, absl::string_view collective,
                     std::unique_ptr<const Correction> common_time);
  void AddKind(const Names& names, domain::CellKind kind);
  void SortAlgorithms();
  void SetUsualTime(const UsualTime& usual_time) { usual_time_ = usual_time; }
  void SetSpread(ModelSpread spread) { spread_ = std::move(spread); }

  // Never null. An algorithm without observations has a correction that returns the structural
  // price with the uncertainty that such prices have on this machine.
  const Correction* Find(absl::string_view library, absl::string_view collective,
                         absl::string_view algorithm) const;

  // How the code of this name was timed, anywhere on the machine.
  TimedKinds KindsOf(absl::string_view library, absl::string_view collective,
                     absl::string_view algorithm) const;

  // The algorithms of a (library, collective) that were observed, in the order of their names. A
  // name is that of the code that really ran. At most kMaxAlgorithms: those observed at the most
  // places.
  static constexpr size_t kMaxAlgorithms = 128;
  absl::Span<const absl::string_view> Algorithms(absl::string_view library,
                                                 absl::string_view collective) const;

  // Whether any collective of the library was observed.
  bool HasObserved(absl::string_view library) const { return libraries_.contains(library); }

  // What timings tell about the algorithm that a default of unknown decision runs. Null where
  // nothing was timed, and where the library's own decision is known and not contradicted.
  const DefaultVotes* VotesOnDefault(absl::string_view library, absl::string_view collective) const;

  // The common time of the collective's algorithms (common_time.h): the base of those without a
  // known structure. Null where there is none such.
  const Correction* CommonTime(absl::string_view library, absl::string_view collective) const;

  // The base of common times.
  const UsualTime& usual_time() const { return usual_time_; }

  // How far the models disagree, for algorithms without observations.
  const ModelSpread& spread() const { return spread_; }

  // How much longer calls take in jobs than the corrections say, which are about calls in a
  // benchmark. Null where no call was timed in both ways.
  const JobFactor* InJobs(absl::string_view library, absl::string_view collective) const;

  // What promised gains lack in jobs. Null where jobs timed no promised gain.
  const MissedGains* GainsMissed(absl::string_view library, absl::string_view collective) const;

  // The id of the selected model: the one with the least median error |T_m - T_p| / min(T_m, T_p)
  // over the cells among those that the profile can price (model_choice.h); "" where there is none.
  absl::string_view model() const { return model_; }

 private:
  // A copy that lives as long as the table. Keys are views, so that looking up a question copies no
  // string.
  absl::string_view Keep(absl::string_view name);

  std::string model_;
  std::unique_ptr<const Correction> structure_alone_;
  ModelSpread spread_;
  UsualTime usual_time_;
  std::set<std::string> names_;            // nodes do not move
  std::set<absl::string_view> libraries_;  // into names_
  absl::flat_hash_map<Names, std::unique_ptr<const Correction>> table_;
  absl::flat_hash_map<Names, std::vector<std::pair<size_t, absl::string_view>>> observed_;
  absl::flat_hash_map<Names, std::vector<absl::string_view>> algorithms_;
  absl::flat_hash_map<Names, DefaultVotes> votes_;
  absl::flat_hash_map<Names, JobFactor> job_factors_;
  absl::flat_hash_map<Names, MissedGains> missed_gains_;
  absl::flat_hash_map<Names, std::unique_ptr<const Correction>> common_times_;
  absl::flat_hash_map<Names, TimedKinds> kinds_;
};

// Learns from cells. O(n log n) for n cells: the cubic fits see at most
// ResidualSurface::kMaxSamples merged places of each algorithm.
std::unique_ptr<const Corrections> BuildCorrections(const domain::Profile& profile,
                                                    absl::Span<const Cell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_CORRECTIONS_H_
