// Notices a lasting change of a machine: a link at half its rate, a new library, another clock. A
// neighbour who slows some observations, or one slow job, is not a drift.
//
// Each cell has a reference: median and spread of its first observations since the last drift. A
// slow (fast) observation lies above (below) the median by more than one standard deviation, more
// than 5 % and more than reporters are apart (learn/drift_reference.h). Otherwise two jobs that
// differ from a third one would be a drift. A stream is a level of the machine, or a library's
// collective at that level, with a range of block sizes. Per stream a one-sided cumulative sum adds
// 1 for a slow observation and subtracts 3 for any other, never below 0. This is Page's test
// (Continuous Inspection Schemes, Biometrika 41, 1954) on signs. The sum is the scaled
// log-likelihood ratio of "nine in ten are slow" against "half of them are". The sum falls while
// less than three quarters are slow. It reports a drift at 60 if several reporters saw it. It
// reports a drift at 100 if a single reporter saw it, and this reporter's earlier observations in
// the stream were ordinary. Fast observations have a sum of their own. learn/drift_limits.h has
// these numbers.
//
// The ranks of a broadcast finish one after the other, so an ordinary time on one node is slow on
// another. A cell of all nodes is then too wide to show a change. Therefore an observation is also
// compared with the first 12 observations of its own station. If it deviates from these, this
// comparison decides. Otherwise the cell's reference decides, because a job may be slow from its
// start.
//
// Pure; one thread at a time. Memory: at most kMaxCells cells and kMaxStreams streams; later ones
// are not watched. Beyond kMaxStations, the detector forgets all stations. The result depends only
// on the observations and their order.
#ifndef COX_LEARN_DRIFT_H_
#define COX_LEARN_DRIFT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "domain/cell_key.h"
#include "domain/drift.h"
#include "domain/profile.h"
#include "learn/drift_reference.h"
#include "learn/drift_stream.h"
#include "learn/samples.h"

namespace cox::learn {

class DriftDetector {
 public:
  static constexpr size_t kMaxCells = 20'000;
  static constexpr size_t kMaxStreams = 2'000;
  static constexpr size_t kMaxStations = 10'000;
  static constexpr size_t kMaxEvidence = DriftStream::kMaxEvidence;

  // Takes the next observation; ids ascend. `cell` gives its key and kind. `reporter` measured it:
  // a job, or a source where there is no job. `station` is the reporter's part, a node of the job;
  // empty: not known. Returns the drift that the observation completes; the detector then starts
  // anew in its scope. O(1) but for a drift, which takes O(cells).
  std::optional<domain::Drift> Observe(int64_t id, const Cell& cell, double log_time,
                                       absl::string_view reporter, absl::string_view station = "");

 private:
  // Nodes do not move: deviations point to the keys.
  using References =
      std::unordered_map<domain::CellKey, CellReference, absl::Hash<domain::CellKey>>;
  using Streams = std::vector<DriftStream>;

  References::value_type* FindCell(const Cell& cell);
  DriftReference& StationReference(const domain::CellKey& cell, absl::string_view station);
  Streams* StreamsOf(const std::string& library, const std::string& collective);
  std::optional<domain::Drift> Watch(Streams* streams, int64_t id, const Deviation& deviation,
                                     int sign, absl::string_view reporter);
  void StartAnew(const domain::DriftScope& scope, const std::vector<Deviation>& deviations);

  References references_;
  absl::flat_hash_map<std::pair<std::string, domain::CellKey>, DriftReference> stations_;
  // By library and collective; two empty names for those of the machine.
  absl::flat_hash_map<std::pair<std::string, std::string>, Streams> streams_;
};

// Converts a cell from before a drift to an estimate for the time after it: moved by the drift's
// factor, uncertain, with the weight of at most one observation. How many timings it had stays
// known: ratios of cells that the same drift moved are as certain as before.
Cell AgedBy(double log_factor, Cell cell);

// Raises the standard errors of the parameters that the drift may have changed, to at least the
// drift itself. Refinement then follows the drift. Parameters without a standard error keep none.
void Widen(const domain::Drift& drift, domain::Profile* profile);

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_H_
