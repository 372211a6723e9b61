// The command line of cox-bench.
//
// Needs no MPI, so it refuses a wrong argument before MPI starts. Prints nothing: the caller
// prints, once per job. One thread.
#ifndef COX_BENCH_OPTIONS_H_
#define COX_BENCH_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/block_plan.h"
#include "bench/pattern_plan.h"
#include "bench/suite/options.h"

namespace cox::bench {

struct Options {
  enum class Mode { kPointToPoint, kBlocks, kCollectives, kSuite };

  Mode mode = Mode::kPointToPoint;
  std::string machine;
  std::string library;  // as the rows name it
  std::string run;      // label of this run
  std::string output;   // empty: standard output
  std::vector<int64_t> sizes;
  double budget_s = 0;
  uint64_t seed = 1;
  bool raw = false;
  bool progress = false;

  std::vector<Kind> kinds;                   // p2p, in the order asked for
  std::vector<int64_t> pattern_sizes;        // p2p, of all kinds but ping-pongs
  std::vector<int64_t> pairs;                // p2p; empty: 1, 2, 4, ... as far as ranks reach
  Network network = Network::kSharedMedium;  // blocks
  std::vector<int64_t> counts;               // blocks; empty: as far as ranks reach
  int64_t frame_nodes = 0;                   // blocks; 0: a node is a frame
  bool mean_of_ranks = false;                // blocks; otherwise the slowest rank counts
  std::vector<std::string> collectives;      // in the order asked for
  std::vector<std::pair<std::string, int64_t>> cells;  // (collective, size); empty: all of them
  std::map<std::string, std::string> algorithms;       // collective -> label

  SuiteOptions suite;

  // Whether libcoxcoll's collectives are timed. Then each has a label, which names its algorithm.
  bool TimesCoxcoll() const;

  // The label of a collective's rows.
  std::string AlgorithmOf(const std::string& collective) const;

  // Its name in messages: "pairwise", "coxcoll/mesh2d".
  std::string ShownAlgorithmOf(const std::string& collective) const;
};

struct ParseOutcome {
  std::optional<Options> options;  // absent: print and exit
  int exit_code = 0;               // 0 after --help or --version, 2 for a wrong argument
  std::string out;
  std::string err;
};

// `library` and `machine` are the defaults of the options of that name.
ParseOutcome ParseOptions(int argc, const char* const* argv, const std::string& library,
                          const std::string& machine);

}  // namespace cox::bench

#endif  // COX_BENCH_OPTIONS_H_
