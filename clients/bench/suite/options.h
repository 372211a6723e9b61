// The options of `cox-bench suite`: plain data, and its part of the command line.
#ifndef COX_BENCH_SUITE_OPTIONS_H_
#define COX_BENCH_SUITE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace cox::bench {

struct SuiteOptions {
  std::string machine;   // whose profile predicts
  int64_t ranks = 8;     // at most; a program takes as many as it can use
  int64_t ppn = 0;       // ranks of a node; 0: all on one
  std::string mpi;       // "openmpi": the examples' build and the usual launcher
  std::string launcher;  // "mpirun -n {ranks}"; empty: the MPI's own
  std::string server;    // where cox asks; empty: where it does by itself
  std::string examples;  // their folder; empty: where a build or an installation has them
  std::string output;    // CSV file; empty: none
  std::vector<std::string> models;
  std::vector<std::string> programs;  // only these; empty: all
  int64_t repeats = 5;
  bool quick = false;
};

// Adds the mode `suite` to cox-bench's command line. `options` must outlive `app`.
CLI::App* AddSuite(CLI::App* app, SuiteOptions* options);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_OPTIONS_H_
