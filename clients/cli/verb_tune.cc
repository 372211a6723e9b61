// cox tune: a job's tuning text for its MPI library.
#include <cox/v1/advice.grpc.pb.h>

#include <memory>

#include "cli/file_io.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verbs.h"

namespace cox::cli {
namespace {

using v1::AdviceService;

constexpr size_t kMaxCommandBytes = 1024;

struct Options {
  std::string machine;
  std::string library;
  int64_t nodes = 0;
  int64_t ppn = 0;
  std::string format = "file";
  std::string output;
  std::vector<std::string> collectives;
  std::string assume;
};

void PrintRows(const v1::GetTuningResponse& response, std::ostream& out) {
  Table table({{"COLLECTIVE"},
               {"FROM", Align::kRight},
               {"USE"},
               {"PREDICTED", Align::kRight},
               {"DEFAULT", Align::kRight}});
  for (const v1::TuningRow& row : response.rows()) {
    table.Add({row.collective(), FormatBytes(row.block_bytes()), row.algorithm(),
               row.predicted_time_s() > 0 ? FormatTime(row.predicted_time_s()) : "-",
               row.default_time_s() > 0 ? FormatTime(row.default_time_s()) : "-"});
  }
  table.Print(out);
}

absl::Status Tune(Session& session, const Options& options) {
  v1::GetTuningRequest request;
  request.set_machine(options.machine);
  request.set_library(options.library);
  request.set_nodes(options.nodes);
  request.set_ppn(options.ppn);
  request.set_format(options.format == "env" ? v1::TUNING_FORMAT_ENV : v1::TUNING_FORMAT_FILE);
  request.set_assume_commutative(options.assume == "commutative");
  request.set_command(session.command().substr(0, kMaxCommandBytes));
  for (const std::string& collective : options.collectives) request.add_collectives(collective);
  v1::GetTuningResponse response;
  absl::Status status =
      session.connection().Call<AdviceService>(&AdviceService::Stub::GetTuning, request, response);
  if (!status.ok()) return status;
  if (!options.output.empty()) {
    status = ReplaceFile(options.output, response.text());
    if (!status.ok()) return status;
  }
  if (session.json()) {
    session.PrintJson(response);
  } else if (options.output.empty()) {
    session.out() << response.text();
  } else {
    PrintRows(response, session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddTuneVerb(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("tune", "Write the tuning file of an MPI library for a job's shape");
  verb->footer(
      "Examples:\n"
      "  cox tune -m cluster --nodes 16 --ppn 48 --library openmpi-4.1 -o rules.txt\n"
      "  mpirun --mca coll_tuned_use_dynamic_rules 1 \\\n"
      "         --mca coll_tuned_dynamic_rules_filename $PWD/rules.txt ./app\n"
      "  eval \"$(cox tune -m cluster --nodes 1 --ppn 8 --library openmpi-4.1 --format env)\"\n"
      "Without -o the text goes to stdout; with -o the decisions are shown as a table. A failure "
      "leaves\n"
      "the file as it was. In a launch hook: `cox --timeout 0.2 tune ... || true`.");
  auto options = std::make_shared<Options>();
  AddMachineOption(*verb, options->machine)->required();
  AddLibraryOption(*verb, options->library)->required();
  AddCount(*verb, "--nodes", options->nodes, 1, kMaxCount, "Nodes of the job")->required();
  AddCount(*verb, "--ppn", options->ppn, 1, kMaxCount,
           "Ranks per node (default: as many as a node has cores)");
  verb->add_option("--format", options->format,
                   "file: the library's own tuning file; env: `export` lines for a shell")
      ->check(CLI::IsMember({"file", "env"}))
      ->capture_default_str();
  verb->add_option("-o,--output", options->output, "Write the text to this file (default: stdout)")
      ->type_name("FILE");
  verb->add_option("-c,--collective", options->collectives,
                   "Only these operations, comma-separated (default: all)")
      ->delimiter(',')
      ->type_name("COLLECTIVES");
  verb->add_option("--assume", options->assume,
                   "commutative: the job has no non-commutative reduction, which some algorithms "
                   "would compute wrongly")
      ->check(CLI::IsMember({"commutative"}));
  verb->callback([&action, options] {
    action = [options](Session& session) { return Tune(session, *options); };
  });
}

}  // namespace cox::cli
