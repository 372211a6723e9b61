#include "bench/suite/options.h"

#include <CLI/CLI.hpp>

namespace cox::bench {
namespace {

constexpr char kFooter[] = R"(Started as it is, not under a launcher: it starts the jobs itself.
  cox calibrate here -p 8
  cox-bench suite -m here
  cox-bench suite -m here -p 16 --launcher "srun -n {ranks}" --ppn 4 -o suite.csv
Kernels (matmul, bitonic-sort, sample-sort, apsp) are priced as `cox kernel` does, and their local
work is taken as it was measured in the same run. Exchanges (neighbours, radix-sort, fft3d, pme) are
priced as `cox pattern` does, by the messages that they sent. The error of a prediction is
|measured - predicted| / min(measured, predicted); of several sizes, the largest. As in the paper,
it is that of the whole time, for apsp that of the communication.
The examples put a barrier between local work and communication: it counts as what comes before it.)";

}  // namespace

CLI::App* AddSuite(CLI::App* app, SuiteOptions* options) {
  options->models = {"bsp", "e-bsp", "bpram", "bpram-1port", "hockney", "loggp"};
  CLI::App* suite = app->add_subcommand(
      "suite", "Whole programs on this machine, and what each model had predicted for them");
  suite->add_option("-m,--machine", options->machine, "The machine, as coxd knows it")->required();
  suite->add_option("-p,--ranks", options->ranks, "Ranks at most; cubes and squares take fewer")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  suite->add_option("--ppn", options->ppn, "Ranks of a node; if missing: all are on one")
      ->check(CLI::Range(1, 1 << 20));
  suite->add_option("--launcher", options->launcher,
                    "What starts an MPI job, as \"mpirun -n {ranks}\"; if missing: the MPI's own");
  suite->add_option("--server", options->server, "Where coxd listens; if missing: as cox has it");
  suite
      ->add_option("--models", options->models,
                   "Models of `cox models`, separated by commas, or all; -o has all of them")
      ->delimiter(',')
      ->capture_default_str();
  suite
      ->add_option("--programs", options->programs,
                   "Only these, separated by commas: matmul,apsp; if missing: all")
      ->delimiter(',');
  suite->add_option("--repeats", options->repeats, "Runs of each, of which the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  suite->add_option("--examples", options->examples, "The folder of the programs");
  suite->add_option("-o,--output", options->output, "CSV file to write, a row for each prediction");
  suite->add_flag("--quick", options->quick, "One small size of each");
  suite->footer(kFooter);
  return suite;
}

}  // namespace cox::bench
