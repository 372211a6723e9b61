// cox tune: a job's tuning text for its MPI library, and the check of such a text.
#include <cox/v1/advice.pb.h>

#include <memory>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/methods.h"
#include "cli/options/assume.h"
#include "cli/options/shared_options.h"
#include "cli/output/placement_table.h"
#include "cli/run/check_tuning.h"
#include "cli/run/daemon_text.h"
#include "cli/run/unknown_library.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/table.h"
#include "console/units.h"
#include "files/file_io.h"
#include "library/shell_exports.h"
#include "library/tuning_format.h"

namespace cox::cli {
namespace {

// With nodes, links are priced message by message at each size.
constexpr double kPlacedTimeout_s = 60;

struct TuneOptions {
  std::string machine;
  std::string library;
  int64_t nodes = 0;
  int64_t ppn = 0;
  NodeListOptions nodes_in_use;
  std::string format;  // empty: the library's default one
  std::string shell;   // empty: as the daemon writes it
  std::string output;
  std::vector<std::string> collectives;
  std::vector<std::string> assume;
  std::string check;  // the file; empty: none
};

void PrintRows(const v1::GetTuningResponse& response, std::ostream& out) {
  console::Table table({{"COLLECTIVE"},
                        {"FROM", console::Align::kRight},
                        {"USE"},
                        {"PREDICTED", console::Align::kRight},
                        {"DEFAULT", console::Align::kRight}});
  for (const v1::TuningRow& row : response.rows()) {
    table.Add({row.collective(), console::FormatBytes(row.block_bytes()), row.algorithm(),
               row.predicted_time_s() > 0 ? console::FormatTime(row.predicted_time_s()) : "-",
               row.default_time_s() > 0 ? console::FormatTime(row.default_time_s()) : "-"});
  }
  table.Print(out);
}

// The daemon's text in the syntax of --shell.
absl::StatusOr<std::string> InShell(const std::string& text, const TuneOptions& options) {
  if (options.shell.empty()) return text;
  const auto format = library::FindTuningFormat(options.library, options.format);
  if (format.ok() && (*format)->name != "env") {
    return absl::InvalidArgumentError(
        absl::StrCat("--shell: ", options.library, " (", (*format)->name,
                     ") is not a text of `export` lines; add --format env"));
  }
  return library::RenderForShell(text, options.shell);
}

// The comments that say why the text lacks a decision: "alltoall: 3 choices by size; ...".
std::vector<std::string> LeftOut(const v1::GetTuningResponse& response) {
  std::set<std::string> decided;
  for (const v1::TuningRow& row : response.rows()) {
    if (row.algorithm() != "default") decided.insert(row.collective());
  }
  std::vector<std::string> remarks;
  for (absl::string_view line : absl::StrSplit(response.text(), '\n')) {
    if (!absl::ConsumePrefix(&line, "# ") && !absl::ConsumePrefix(&line, "// ")) continue;
    if (decided.contains(std::string(line.substr(0, line.find(':'))))) {
      remarks.push_back(absl::StrCat("left out of the text: ", line));
    }
  }
  return remarks;
}

absl::Status Tune(Session& session, const TuneOptions& options) {
  v1::GetTuningRequest request;
  request.set_machine(options.machine);
  request.set_library(options.library);
  request.set_nodes(options.nodes);
  request.set_ppn(options.ppn);
  request.set_format_name(options.format);
  const library::Assumptions assume = AssumptionsOf(options.assume);
  request.set_assume_commutative(assume.commutative);
  request.set_assume_elements_at_least_ranks(assume.elements_at_least_ranks);
  request.set_assume_same_counts(assume.same_counts);
  request.set_command(session.command());
  for (const std::string& collective : options.collectives) request.add_collectives(collective);
  if (!options.nodes_in_use.lists.empty()) {
    request.set_node_list(options.nodes_in_use.lists.front());
    session.connection().AllowAtLeast(kPlacedTimeout_s);
  }
  request.set_assume_idle_switches(options.nodes_in_use.idle_switches);
  v1::GetTuningResponse response;
  absl::Status status =
      NamedLibrary(options.library, session.connection().Call(kGetTuning, request, response));
  if (!status.ok()) return status;
  // Hooks evaluate what is printed, and libraries read what is written.
  status = CheckDaemonText(options.library, options.format, response.text(), assume);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> text = InShell(response.text(), options);
  if (!text.ok()) return text.status();
  response.set_text(*std::move(text));
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
    for (const std::string& remark : LeftOut(response)) session.Note(remark);
  }
  if (response.has_nodes_in_use() && !session.json()) {
    session.Note(NodesText(response.nodes_in_use()));
  }
  for (const std::string& caveat : response.caveats()) {
    session.Note(absl::StrCat("note: ", caveat));
  }
  return absl::OkStatus();
}

// Writing and checking need different options.
absl::Status CheckOptions(const TuneOptions& options) {
  struct Given {
    const char* name;
    bool is_given;
    bool is_needed;  // to write a text; a check takes none of these
  };
  const Given all[] = {{"--machine", !options.machine.empty(), true},
                       {"--nodes", options.nodes > 0, true},
                       {"--ppn", options.ppn > 0, false},
                       {"--node-list", !options.nodes_in_use.lists.empty(), false},
                       {"--output", !options.output.empty(), false},
                       {"--collective", !options.collectives.empty(), false},
                       {"--shell", !options.shell.empty(), false}};
  const bool checks = !options.check.empty();
  for (const Given& option : all) {
    if (checks && option.is_given) {
      return UsageError(absl::StrCat("--check excludes ", option.name));
    }
    if (!checks && option.is_needed && !option.is_given) return MissingOption(option.name);
  }
  return absl::OkStatus();
}

}  // namespace

void AddTuneVerb(Verb app) {
  Verb verb = app.Sub("tune", "Write the tuning file of a library for a job's shape, or check one");
  verb.Footer(
      "Examples:\n"
      "  cox tune -m cluster --nodes 16 --ppn 48 --library openmpi-4.1 -o rules.txt\n"
      "  mpirun --mca coll_tuned_use_dynamic_rules 1 \\\n"
      "         --mca coll_tuned_dynamic_rules_filename $PWD/rules.txt ./app\n"
      "  eval \"$(cox tune -m cluster --nodes 1 --ppn 8 --library openmpi-4.1 --format env)\"\n"
      "  cox tune -m cluster --nodes 4 --ppn 8 --library intelmpi-2019 --shell fish | source\n"
      "  cox tune -m cluster --nodes 8 --library openmpi-4.1 --node-list $SLURM_JOB_NODELIST\n"
      "  cox tune --check rules.txt --library openmpi-4.1\n"
      "--check needs no daemon. It reads the text as the library does, and names each place\n"
      "that the library would ignore or read wrongly. Exit code 5: there are such places.\n"
      "Without -o the text goes to stdout; with -o a table shows the decisions. A failure\n"
      "leaves the file as it was. In a launch hook: `cox --timeout 0.2 tune ... || true`.");
  auto options = std::make_shared<TuneOptions>();
  AddMachineOption(verb, options->machine);
  AddLibraryOption(verb, options->library).Required();
  AddCount(verb, "--nodes", options->nodes, 1, console::kMaxCount, "Nodes of the job");
  AddCount(verb, "--ppn", options->ppn, 1, console::kMaxCount,
           "Ranks per node (default: as many as a node has cores)");
  AddNodeListOptions(verb, NodeLists::kOne, options->nodes_in_use);
  verb.Text("--format", options->format,
            "Format of the text; file: the library's first format that is a file (default: the "
            "library's first format)")
      .OneOf(TuningFormatNames());
  verb.Text("--shell", options->shell, "Write `export` lines for this shell")
      .OneOf(library::ShellNames());
  verb.Text("-o,--output", options->output, "Write the text to this file (default: stdout)")
      .Type("FILE");
  verb.Words("-c,--collective", options->collectives,
             "Only these operations, comma-separated (default: all)")
      .Type("COLLECTIVES");
  AddAssumeOption(verb, options->assume);
  verb.Text("--check", options->check, "Check this file instead of writing one; -: standard input")
      .Type("FILE");
  verb.Do(
      [options](Session& session) {
        if (options->check.empty()) return Tune(session, *options);
        return CheckTuning(session, {options->check, options->library, options->format,
                                     AssumptionsOf(options->assume)});
      },
      [options](const GlobalOptions&) { return CheckOptions(*options); });
}

}  // namespace cox::cli
