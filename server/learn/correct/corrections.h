// All corrections of a machine, learned from its cells, its profile and the selected model.
// Immutable once built, any thread.
#ifndef COX_LEARN_CORRECT_CORRECTIONS_H_
#define COX_LEARN_CORRECT_CORRECTIONS_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/cell_key.h"
#include "domain/profile.h"
#include "learn/correct/behind.h"
#include "learn/correct/borrow/usual_time.h"
#include "learn/correct/correction.h"
#include "learn/correct/default_votes.h"
#include "learn/correct/kind_offset.h"
#include "learn/correct/missed_gains.h"
#include "learn/correct/model_spread.h"
#include "learn/correct/trust/reporters.h"
#include "learn/samples.h"

namespace cox::learn {

struct Names {
  absl::string_view library;
  absl::string_view collective;
  absl::string_view algorithm;
};

// How an algorithm was timed, and by whom.
struct AlgorithmTimings {
  bool benchmark = false;
  bool jobs = false;
  Reporters reporters;
};

// What was learned of one collective of one library. Names are views of the Corrections' own
// copies.
class CollectiveCorrections {
 public:
  explicit CollectiveCorrections(const Correction* structure_alone)
      : structure_alone_(structure_alone) {}

  // Each is like the function of the same name of Corrections.
  const Correction* Find(absl::string_view algorithm) const;
  const AlgorithmTimings& TimingsOf(absl::string_view algorithm) const;
  absl::Span<const absl::string_view> Algorithms() const { return algorithms_; }
  const DefaultVotes* VotesOnDefault() const { return votes_ ? &*votes_ : nullptr; }
  const Correction* CommonTime() const { return common_time_.get(); }
  const JobFactor* InJobs() const { return job_factor_ ? &*job_factor_ : nullptr; }
  const MissedGains* GainsMissed() const { return missed_gains_ ? &*missed_gains_ : nullptr; }
  // Behind::At() of these algorithms.
  int64_t BehindAt(absl::string_view algorithm, int64_t block_bytes) const {
    return behind_ ? behind_->At(algorithm, block_bytes) : 0;
  }

 private:
  friend class Corrections;

  const Correction* structure_alone_;
  absl::flat_hash_map<absl::string_view, std::unique_ptr<const Correction>> by_algorithm_;
  std::vector<std::pair<size_t, absl::string_view>> observed_;  // with the number of places
  std::vector<absl::string_view> algorithms_;
  absl::flat_hash_map<absl::string_view, AlgorithmTimings> timings_;
  std::optional<DefaultVotes> votes_;
  std::optional<JobFactor> job_factor_;
  std::optional<MissedGains> missed_gains_;
  std::optional<Behind> behind_;
  std::unique_ptr<const Correction> common_time_;
};

class Corrections {
 public:
  // `model` as model() returns it. Algorithms without observations have structural prices with this
  // standard deviation of their logarithm.
  Corrections(std::string model, double structural_sigma)
      : model_(std::move(model)),
        structure_alone_(StructureAlone(structural_sigma)),
        nothing_(structure_alone_.get()) {}

  // For BuildCorrections() alone. `place_count`: how many places were observed. SortAlgorithms()
  // follows the last Add(), and comes before Algorithms().
  void Add(const Names& names, std::unique_ptr<const Correction> correction, size_t place_count);
  void AddVotes(absl::string_view library, absl::string_view collective, DefaultVotes votes);
  void AddJobFactor(absl::string_view library, absl::string_view collective,
                    const JobFactor& factor);
  void AddMissedGains(absl::string_view library, absl::string_view collective,
                      MissedGains missed_gains);
  void AddBehind(absl::string_view library, absl::string_view collective, Behind behind);
  void AddCommonTime(absl::string_view library, absl::string_view collective,
                     std::unique_ptr<const Correction> common_time);
  void AddTimings(const Names& names, const Cell& cell);
  void SortAlgorithms();
  void SetUsualTime(const UsualTime& usual_time) { usual_time_ = usual_time; }
  void SetSpread(ModelSpread spread) { spread_ = std::move(spread); }

  // What was learned of a collective, for several questions about it. Lives as long as this object.
  const CollectiveCorrections& Of(absl::string_view library, absl::string_view collective) const;

  // Never null. An algorithm without observations has a correction that returns the structural
  // price with the uncertainty that such prices have on this machine.
  const Correction* Find(absl::string_view library, absl::string_view collective,
                         absl::string_view algorithm) const {
    return Of(library, collective).Find(algorithm);
  }

  // How the code of this name was timed, anywhere on the machine. Lives as long as this object.
  const AlgorithmTimings& TimingsOf(absl::string_view library, absl::string_view collective,
                                    absl::string_view algorithm) const {
    return Of(library, collective).TimingsOf(algorithm);
  }

  // The algorithms of a (library, collective) that were observed, in the order of their names. A
  // name is that of the code that really ran. At most kMaxAlgorithms: those observed at the most
  // places.
  static constexpr size_t kMaxAlgorithms = 128;
  absl::Span<const absl::string_view> Algorithms(absl::string_view library,
                                                 absl::string_view collective) const {
    return Of(library, collective).Algorithms();
  }

  // Whether any collective of the library was observed.
  bool HasObserved(absl::string_view library) const { return libraries_.contains(library); }

  // What timings tell about the algorithm that a default of unknown decision runs. Null where
  // nothing was timed, and where the library's own decision is known and not contradicted.
  const DefaultVotes* VotesOnDefault(absl::string_view library,
                                     absl::string_view collective) const {
    return Of(library, collective).VotesOnDefault();
  }

  // The common time of the collective's algorithms (common_time.h): the base of those without a
  // known structure. Null where there is none such.
  const Correction* CommonTime(absl::string_view library, absl::string_view collective) const {
    return Of(library, collective).CommonTime();
  }

  // The base of common times.
  const UsualTime& usual_time() const { return usual_time_; }

  // How far the models disagree, for algorithms without observations.
  const ModelSpread& spread() const { return spread_; }

  // How much longer calls take in jobs than the corrections say, which are about calls in a
  // benchmark. Null where no call was timed in both ways.
  const JobFactor* InJobs(absl::string_view library, absl::string_view collective) const {
    return Of(library, collective).InJobs();
  }

  // What promised gains lack in jobs. Null where jobs timed no promised gain.
  const MissedGains* GainsMissed(absl::string_view library, absl::string_view collective) const {
    return Of(library, collective).GainsMissed();
  }

  // The id of the selected model: the one with the least median error |T_m - T_p| / min(T_m, T_p)
  // over the cells among those that the profile can price (model_choice.h); "" where there is none.
  absl::string_view model() const { return model_; }

 private:
  using LibraryCollective = std::pair<absl::string_view, absl::string_view>;

  CollectiveCorrections& At(absl::string_view library, absl::string_view collective);
  // A copy that lives as long as the table. Keys are views, so that looking up a question copies no
  // string.
  absl::string_view Keep(absl::string_view name);

  std::string model_;
  std::unique_ptr<const Correction> structure_alone_;
  CollectiveCorrections nothing_;  // of a collective that nobody timed
  ModelSpread spread_;
  UsualTime usual_time_;
  std::set<std::string> names_;            // nodes do not move
  std::set<absl::string_view> libraries_;  // into names_
  absl::flat_hash_map<LibraryCollective, std::unique_ptr<CollectiveCorrections>> collectives_;
};

// Learns from cells. O(n log n) for n cells: the cubic fits see at most
// kMaxSamples merged places of each algorithm.
std::unique_ptr<const Corrections> BuildCorrections(const domain::Profile& profile,
                                                    absl::Span<const Cell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_CORRECTIONS_H_
