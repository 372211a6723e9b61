// cox pattern: what any pattern of messages will cost, sent directly and routed.
#include <cox/v1/advice.pb.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/files/pattern_file.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/what_if.h"
#include "cli/output/placement_table.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/route_sheet.h"
#include "cli/output/sweep_json.h"
#include "cli/output/what_if_check.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

constexpr double kRoutesTimeout_s = 60;
constexpr char kAnyApplication[] = "all";
constexpr char kCompletionTime[] = "completion-time";
constexpr char kProcessorTime[] = "processor-time";

struct PatternOptions {
  std::string machine;
  std::string file;
  std::string pattern;
  std::string application;  // kAnyApplication: all of them
  std::string objective;
  std::vector<int64_t> ranks;
  std::vector<int64_t> block_bytes;
  int64_t ppn = 0;
  std::string placement;
  NodeListOptions nodes_in_use;
  std::string model;
  std::vector<std::string> routes;
  WhatIfOptions what_if;
  SheetFiles files;
};

v1::PatternHeader HeaderOf(const PatternOptions& options) {
  v1::PatternHeader header;
  header.set_machine(options.machine);
  header.set_ppn(options.ppn);
  header.set_placement(PlacementOf(options.placement));
  if (!options.nodes_in_use.lists.empty()) {
    header.set_node_list(options.nodes_in_use.lists.front());
  }
  header.set_assume_idle_switches(options.nodes_in_use.idle_switches);
  header.set_model(options.model);
  header.set_pattern(options.pattern);
  for (const std::string& route : options.routes) header.add_routes(route);
  for (const v1::WhatIf& change : options.what_if.changes) *header.add_what_if() = change;
  return header;
}

void PrintSummary(const v1::EvaluatePatternResponse& response, std::ostream& out) {
  out << absl::StrFormat(
      "\n%s between %s, %.6g bytes; the busiest rank sends %s (%.6g bytes) "
      "and receives %d (%.6g bytes)\n",
      domain::Counted(response.message_count(), "message"),
      domain::Counted(response.pair_count(), "pair"), response.volume_bytes(),
      domain::Counted(response.max_sends(), "message"), response.max_out_bytes(),
      response.max_receives(), response.max_in_bytes());
}

// What the application's jobs have sent, instead of messages of the caller's.
absl::Status AskForApplication(Session& session, const PatternOptions& options) {
  v1::RecommendRoutesRequest request;
  request.set_machine(options.machine);
  if (options.application != kAnyApplication) request.set_application(options.application);
  request.set_objective(options.objective == kProcessorTime ? v1::OBJECTIVE_PROCESSOR_TIME
                                                            : v1::OBJECTIVE_COMPLETION_TIME);
  request.set_model(options.model);
  request.set_placement(PlacementOf(options.placement));
  v1::RecommendRoutesResponse response;
  session.connection().AllowAtLeast(kRoutesTimeout_s);
  absl::Status status = session.connection().Call(kRecommendRoutes, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
  } else {
    PrintRoutes(response, session.out());
  }
  return absl::OkStatus();
}

absl::Status Evaluate(Session& session, const PatternOptions& options) {
  // The header, then the file's messages.
  std::vector<v1::EvaluatePatternRequest> requests(1);
  *requests[0].mutable_header() = HeaderOf(options);
  v1::PatternHeader& header = *requests[0].mutable_header();
  if (!options.file.empty()) {
    const int64_t fewest_ranks =
        options.ranks.empty() ? kMaxPatternRanks
                              : *std::min_element(options.ranks.begin(), options.ranks.end());
    const absl::StatusOr<std::string> note = ReadPatternFile(options.file, fewest_ranks, &requests);
    if (!note.ok()) return note.status();
    if (!note->empty()) session.Note(*note);
  }
  const std::vector<int64_t> any_ranks = {0};
  const std::vector<int64_t> no_bytes = {0};
  const std::vector<int64_t>& all_ranks = options.ranks.empty() ? any_ranks : options.ranks;
  const std::vector<int64_t>& sizes = options.block_bytes.empty() ? no_bytes : options.block_bytes;
  const std::string name = options.pattern.empty() ? options.file : options.pattern;
  PredictionSheet sheet(
      {absl::StrCat(name, " on ", options.machine), "route", "block_bytes", "bytes of a message"});
  WhatIfCheck what_if(options.what_if);
  if (absl::Status begun = what_if.Begin(session); !begun.ok()) return begun;
  SweepJson json;
  v1::EvaluatePatternResponse response;
  for (const int64_t ranks : all_ranks) {
    for (const int64_t block_bytes : sizes) {
      header.set_ranks(ranks);
      header.set_block_bytes(block_bytes);
      absl::Status status =
          session.connection().CallWithStream(kEvaluatePattern, requests, response);
      if (!status.ok()) return status;
      json.Add(header, response);
      for (const std::string& caveat : response.caveats()) sheet.AddCaveat(caveat);
      for (const v1::Prediction& prediction : response.predictions()) {
        what_if.AddUsed(prediction.model());
        sheet.Add(ranks, options.file.empty() ? block_bytes : -1, prediction);
      }
    }
  }
  if (session.json()) {
    session.out() << json.Text();
  } else if (response.has_nodes_in_use()) {
    session.Note(NodesText(response.nodes_in_use()));
  }
  what_if.Note(session);
  absl::Status shown = sheet.Show(session, options.files);
  const bool one = all_ranks.size() * sizes.size() == 1;
  if (shown.ok() && one && !session.json() && options.files.csv != "-") {
    PrintSummary(response, session.out());
  }
  return shown;
}

absl::Status CheckApplication(const PatternOptions& options) {
  if (!options.ranks.empty() || !options.block_bytes.empty() || options.ppn != 0) {
    return UsageError(
        "--ranks, --ppn and --bytes do not go with --application: its jobs have them");
  }
  if (!options.routes.empty()) {
    return UsageError("--route does not go with --application: all routes are compared");
  }
  if (options.files.any() || !options.what_if.changes.empty() ||
      !options.nodes_in_use.lists.empty()) {
    return UsageError("--csv, --plot, --what-if and --node-list do not go with --application");
  }
  return absl::OkStatus();
}

absl::Status Check(const PatternOptions& options, const GlobalOptions& global) {
  if (options.machine.empty()) return MissingOption("-m,--machine");
  const bool has_application = !options.application.empty();
  if ((options.file.empty() ? 0 : 1) + (options.pattern.empty() ? 0 : 1) +
          (has_application ? 1 : 0) !=
      1) {
    return UsageError("one of --file, --pattern and --application is needed");
  }
  if (has_application) return CheckApplication(options);
  if (!options.objective.empty()) return UsageError("--objective goes with --application");
  if (!options.file.empty() && !options.block_bytes.empty()) {
    return UsageError("--bytes goes with --pattern: a file has its own sizes");
  }
  if (!options.pattern.empty() && options.ranks.empty()) return MissingOption("-p,--ranks");
  if (!options.pattern.empty() && options.block_bytes.empty()) {
    return MissingOption("-b,--bytes");
  }
  return CheckSheetFiles(options.files, global);
}

}  // namespace

void AddPatternVerb(Verb app) {
  Verb verb = app.Sub("pattern", "Predict the cost of any pattern of messages");
  verb.Footer(
      "Examples:\n"
      "  cox pattern -m cluster --file messages.csv --model all\n"
      "  cox pattern -m intel-delta --pattern transpose -p 256 -b 1k\n"
      "  cox pattern -m cluster --pattern 'shift?by=3' -p 64 -b 8..1M:*4 --route all\n"
      "  cox pattern -m cluster --pattern transpose -p 16 --ppn 1 -b 1M --node-list n[1-16]\n"
      "A file has the columns src,dst,bytes, a row for each message. With --route mesh2d, grid3d\n"
      "or hypercube, messages travel through that virtual topology. A rank then combines the\n"
      "messages that go to the same next rank. --route all compares direct, these three and\n"
      "mesh2d?columns=N, the mesh that lies on the nodes.\n"
      "  cox pattern -m cluster --application solver --objective processor-time\n"
      "names the route for what the jobs of `solver` have sent under the agent, and says how much\n"
      "of the communication more blocks per rank would hide. --application all lists all.");
  auto options = std::make_shared<PatternOptions>();
  AddMachineOption(verb, options->machine);
  verb.Text("--file", options->file, "The messages: CSV with the columns src,dst,bytes")
      .Type("FILE");
  verb.Text("--pattern", options->pattern,
            "A named pattern: transpose, bit-reversal, `shift?by=3`, `random?seed=1`, "
            "one-to-all, all-to-one, all-to-all, planes, ...")
      .Type("PATTERN");
  verb.Text("--application", options->application,
            "What the jobs of this application have sent under the agent; all: every application")
      .Type("NAME");
  verb.Text("--objective", options->objective,
            "With --application: which time to save (default completion-time)")
      .OneOf({kCompletionTime, kProcessorTime});
  AddRanksOption(verb, options->ranks)
      .Describe(
          "Ranks: a number or a sweep (default with --file: the largest rank in it plus one)");
  AddBytesOption(verb, options->block_bytes)
      .Describe("Bytes of each message of a named pattern: a size or a sweep");
  AddCount(verb, "--ppn", options->ppn, 1, console::kMaxCount,
           "Ranks per node (default: as many as a node has cores)");
  AddPlacementOption(verb, options->placement);
  AddNodeListOptions(verb, NodeLists::kOne, options->nodes_in_use);
  verb.Words("--route", options->routes,
             "How to send the messages: direct, mesh2d, grid3d, hypercube or all, comma-separated "
             "(default direct)")
      .Type("NAMES");
  verb.Text("--model", options->model,
            "A model of `cox models`, or all (default: the machine's selected model)")
      .Type("MODEL");
  AddWhatIfOption(verb, options->what_if);
  AddSheetOptions(verb, options->files, true);
  verb.Do(
      [options](Session& session) {
        return options->application.empty() ? Evaluate(session, *options)
                                            : AskForApplication(session, *options);
      },
      [options](const GlobalOptions& global) { return Check(*options, global); });
}

}  // namespace cox::cli
