// Notices when a machine comes to behave otherwise: a link that runs at half its rate, a new
// library, another clock. Not a neighbour who makes some observations slow, nor one bad job.
//
// Each cell has a reference: median and spread of its first observations since the last drift. An
// observation that lies above (below) it by more than a standard deviation, and 5 %, is a slow
// (fast) one. Per stream (a level of the machine, or a library's collective there, and a range of
// block sizes) a one-sided cumulative sum counts +1 for a slow observation and -3 for any other,
// never below 0: Page's test (Continuous Inspection Schemes, Biometrika 41, 1954) on signs, the
// log-likelihood ratio of "nine in ten are slow" against "half of them are", scaled. As long as
// less than three quarters are slow it falls. At 60 it is a drift if more than one reporter saw it,
// at 100 if one did whose earlier observations in the stream were ordinary ones.
//
// The ranks of a broadcast finish one after the other, so what is usual on one node is slow on
// another, and a cell of all nodes is too wide to show a change. Therefore an observation is
// compared with the first ones of its own station as well, once there are twelve: what deviates
// from these deviates, whatever the cell says. Else the cell speaks: what a job that was slow from
// its start takes is not usual.
//
// Pure; one thread at a time. Memory: at most kMaxCells cells and kMaxStreams streams; what comes
// later is not watched. Of stations at most kMaxStations cells, then they all begin anew. The
// result is a function of the observations and their order alone.
#ifndef COX_LEARN_DRIFT_H_
#define COX_LEARN_DRIFT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "domain/profile.h"
#include "learn/samples.h"

namespace cox::learn {

class DriftDetector {
 public:
  static constexpr size_t kMaxCells = 20'000;
  static constexpr size_t kMaxStreams = 2'000;
  static constexpr size_t kMaxStations = 10'000;
  static constexpr size_t kMaxEvidence = 8;

  // The next observation: `cell` is its key and kind, `reporter` who measured it (a job; a source
  // where there is no job), `station` which part of the reporter (a node of the job; empty: not
  // said). Ids ascend. Returns a drift that it completes; the detector then starts anew in its
  // scope.
  std::optional<domain::Drift> Observe(int64_t id, const Cell& cell, double log_time,
                                       absl::string_view reporter, absl::string_view station = "");

 private:
  // What is usual: of the first observations.
  struct Usual {
    std::vector<double> logs;  // the first ones
    bool is_frozen = false;    // logs has served
    double median = 0;
    double sigma = 0;

    // 1 for slow, -1 for fast, 0 for neither, and with fewer than `least` observations.
    int SignOf(double log_time, size_t least) const;
    void Learn(double log_time);
    bool Knows(size_t least) const { return is_frozen || logs.size() >= least; }
  };
  struct Reference {
    Usual usual;
    Cell key;
  };
  struct Deviation {
    Reference* reference;
    double log_time;
    double delta;
  };
  // What one direction of a stream has seen since its sum was last 0.
  struct Run {
    int score = 0;
    int64_t first_id = 0;
    int64_t count = 0;
    std::vector<Deviation> deviations;                  // of the right sign, bounded
    absl::flat_hash_map<std::string, int> by_reporter;  // bounded
  };
  struct Stream {
    domain::DriftScope scope;
    Run slow;
    Run fast;
    // Reporters with ordinary observations while nothing was suspected.
    absl::flat_hash_map<std::string, int> ordinary;
  };

  Reference* FindReference(const Cell& cell);
  Usual& StationUsual(const Cell& cell, absl::string_view station);
  std::optional<domain::Drift> Watch(Stream& stream, int64_t id, const Deviation& deviation,
                                     int sign, absl::string_view reporter);
  static std::optional<domain::Drift> Advance(const Stream& stream, Run& run, int64_t id,
                                              const Deviation& deviation, bool deviates,
                                              absl::string_view reporter);
  static bool IsConfirmed(const Stream& stream, const Run& run);
  static domain::Drift Describe(const Stream& stream, const Run& run, int64_t id);
  void StartAnew(const domain::Drift& drift, const std::vector<Deviation>& deviations);

  std::unordered_map<std::string, Reference> references_;          // pointers to them are kept
  absl::flat_hash_map<std::string, Usual> stations_;               // by station and cell
  absl::flat_hash_map<std::string, std::vector<Stream>> streams_;  // by library and collective
};

// A cell of before a drift, as what is known of its scenario after it: its time moved by the
// drift's factor, uncertain, with the weight of one observation at most.
Cell AgedBy(double log_factor, Cell cell);

// The standard errors of what a drift at that level may have changed: at least the drift itself, so
// that refinement follows it. Parameters without a standard error keep none.
void Widen(const domain::Drift& drift, domain::Profile* profile);

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_H_
