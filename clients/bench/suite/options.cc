#include "bench/suite/options.h"

#include <CLI/CLI.hpp>

namespace cox::bench {
namespace {

constexpr char kSuiteFooter[] = R"(Start it without a launcher: it starts the jobs itself.
  cox calibrate here -p 8
  cox-bench suite -m here
  cox-bench suite -m here -p 16 --launcher "srun -n {ranks}" --ppn 4 -o suite.csv
`cox kernel` prices kernels (matmul, bitonic-sort, sample-sort, apsp, multigrid); their local work is
the measured one of the same run. `cox pattern` prices exchanges (neighbours, radix-sort, fft3d, pme)
from the messages that they sent. The error of a prediction is
|measured - predicted| / min(measured, predicted); of several sizes, the largest. As in the paper,
it compares whole times, and for apsp communication times.
The examples put a barrier between local work and communication; it counts for the part before it.)";

}  // namespace

CLI::App* AddSuite(CLI::App* app, SuiteOptions* options) {
  options->models = {"bsp", "e-bsp", "bpram", "bpram-1port", "hockney", "loggp"};
  CLI::App* suite = app->add_subcommand(
      "suite",
      "Runs whole programs on a machine and compares their times with each model's prediction");
  suite->add_option("-m,--machine", options->machine, "The machine's name in coxd")->required();
  suite
      ->add_option("-p,--ranks", options->ranks,
                   "Largest number of ranks; programs on cubes and squares use fewer")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  suite->add_option("--ppn", options->ppn, "Ranks per node (default: all on one node)")
      ->check(CLI::Range(1, 1 << 20));
  suite->add_option(
      "--launcher", options->launcher,
      "Command that starts an MPI job, such as \"mpirun -n {ranks}\" (default: the MPI's own). If "
      "it starts ranks on other hosts, set TMPDIR to a folder that they share");
  suite->add_option("--server", options->server, "Address of coxd (default: that of cox)");
  suite
      ->add_option(
          "--models", options->models,
          "Models of `cox models` in the tables, separated by commas, or all; -o writes all")
      ->delimiter(',')
      ->capture_default_str();
  suite
      ->add_option("--programs", options->programs,
                   "Programs to run, separated by commas: matmul,apsp (default: all)")
      ->delimiter(',');
  suite->add_option("--repeats", options->repeats, "Runs of each program; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  suite->add_option("--examples", options->examples, "The folder of the programs");
  suite->add_option("-o,--output", options->output, "CSV file to write, a row for each prediction");
  suite->add_flag("--quick", options->quick, "Runs each program with one small size");
  suite->footer(kSuiteFooter);
  return suite;
}

}  // namespace cox::bench
