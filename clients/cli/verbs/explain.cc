// cox explain: why a strategy is the best: every strategy's terms, and the sizes at which the best
// one changes.
#include <cox/v1/advice.pb.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/what_if.h"
#include "cli/output/placement_table.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/profile_view.h"
#include "cli/output/sweep_json.h"
#include "cli/output/what_if_check.h"
#include "cli/verbs/verbs.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "console/sizes.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

struct ExplainOptions {
  ScenarioOptions scenario;
  std::string model;
  std::string placement;
  NodeListOptions nodes_in_use;
  int64_t root = 0;
  std::string from;
  std::string to;
  WhatIfOptions what_if;
  SheetFiles files;
};

absl::StatusOr<v1::ExplainRequest> RequestOf(const ExplainOptions& options) {
  v1::ExplainRequest request;
  v1::PredictRequest& scenario = *request.mutable_scenario();
  scenario.set_machine(options.scenario.machine);
  scenario.set_collective(options.scenario.collective);
  scenario.set_ppn(options.scenario.ppn);
  scenario.set_block_bytes(options.scenario.block_bytes.front());
  scenario.set_type_bytes(options.scenario.type_bytes);
  scenario.set_model(options.model);
  scenario.set_root(options.root);
  scenario.set_placement(PlacementOf(options.placement));
  scenario.set_assume_idle_switches(options.nodes_in_use.idle_switches);
  for (const v1::WhatIf& change : options.what_if.changes) *scenario.add_what_if() = change;
  const absl::StatusOr<int64_t> from = console::ParseSize(options.from);
  if (!from.ok()) return UsageError(absl::StrCat("--from: ", from.status().message()));
  const absl::StatusOr<int64_t> to = console::ParseSize(options.to);
  if (!to.ok()) return UsageError(absl::StrCat("--to: ", to.status().message()));
  if (*from > *to) {
    return UsageError(absl::StrCat("--from: is ", *from, " bytes, more than --to, which is ", *to));
  }
  request.set_min_block_bytes(*from);
  request.set_max_block_bytes(*to);
  return request;
}

// Whether the model counts units because no unit time is stated.
bool IsInUnits(const v1::ExplainResponse& response) {
  for (const v1::Prediction& prediction : response.predictions()) {
    if (prediction.time_s() > 0) return false;
  }
  return response.predictions_size() > 0 && response.predictions(0).units() > 0;
}

// The last size of a range.
int64_t EndOf(const v1::ExplainResponse& response, int i) {
  return i + 1 < response.ranges_size() ? response.ranges(i + 1).from_block_bytes() - 1
                                        : response.ranges_through_block_bytes();
}

// "alltoall/linear at 62 %, ...", the largest share first.
std::string SharesText(const v1::ExplainResponse& response) {
  std::map<std::string, double> sizes;
  double all = 0;
  for (int i = 0; i < response.ranges_size(); ++i) {
    const auto count =
        static_cast<double>(EndOf(response, i) - response.ranges(i).from_block_bytes() + 1);
    sizes[response.ranges(i).strategy()] += count;
    all += count;
  }
  std::vector<std::pair<double, std::string>> shares;
  shares.reserve(sizes.size());
  for (const auto& [strategy, count] : sizes) shares.emplace_back(count / all, strategy);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return absl::StrJoin(shares, ", ", [](std::string* out, const auto& share) {
    absl::StrAppendFormat(out, "%s at %.3g %%", share.second, 100 * share.first);
  });
}

void PrintPredictions(const v1::ExplainResponse& response, std::ostream& out) {
  console::Table table({{"STRATEGY"},
                        {"TIME", console::Align::kRight},
                        {"TERMS", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::Prediction& prediction : response.predictions()) {
    table.Add({prediction.strategy(), AmountText(prediction), TermsText(prediction)});
  }
  table.Print(out);
}

void PrintRanges(const v1::ExplainRequest& request, const v1::ExplainResponse& response,
                 std::ostream& out) {
  const bool in_units = IsInUnits(response);
  out << "\nThe best by size, "
      << (response.has_nodes_in_use() ? "compared at powers of two" : "to the byte");
  if (response.ranges_size() > 2) out << " (" << SharesText(response) << " of these sizes)";
  out << ":\n\n";
  console::Table table({{"FROM", console::Align::kRight},
                        {"TO", console::Align::kRight},
                        {"STRATEGY"},
                        {"TIME THERE", console::Align::kRight},
                        {"BEFORE", console::Align::kRight}});
  for (int i = 0; i < response.ranges_size(); ++i) {
    const v1::BestRange& range = response.ranges(i);
    table.Add({console::FormatBytes(range.from_block_bytes()),
               console::FormatBytes(EndOf(response, i)), range.strategy(),
               AmountText(range.time_s(), in_units),
               i == 0 ? "-" : AmountText(range.previous_time_s(), in_units)});
  }
  table.Print(out);
  if (response.ranges_through_block_bytes() < request.max_block_bytes()) {
    out << "note: ends at " << console::FormatBytes(response.ranges_through_block_bytes())
        << (response.has_nodes_in_use()
                ? ": the job has too many messages to follow them at larger sizes\n"
                : ": beyond this size the best strategy changes too often, or two strategies cost "
                  "the same\n");
  }
}

void Print(const v1::ExplainRequest& request, const v1::ExplainResponse& response,
           std::ostream& out) {
  const v1::PredictRequest& scenario = request.scenario();
  out << console::Printable(
             absl::StrFormat("%s on %s, %s, %s, model %s, profile @%d%s", scenario.collective(),
                             scenario.machine(), domain::Counted(scenario.ranks(), "rank"),
                             console::FormatBytes(scenario.block_bytes()), response.model(),
                             response.profile_revision(),
                             scenario.what_if_size() > 0 ? ", with parameters changed" : ""))
      << '\n';
  if (response.has_nodes_in_use()) {
    out << console::Printable(scenario.node_list()) << ": " << NodesText(response.nodes_in_use())
        << '\n';
  }
  out << '\n';
  PrintPredictions(response, out);
  if (response.predictions_size() > 0 && !response.predictions(0).caveat().empty()) {
    out << "note: " << console::Printable(response.predictions(0).caveat()) << '\n';
  }
  for (const std::string& caveat : response.caveats()) {
    out << "note: " << console::Printable(caveat) << '\n';
  }
  for (const std::string& reason : response.not_applicable()) {
    out << "cannot run: " << console::Printable(reason) << '\n';
  }
  PrintRanges(request, response, out);
  out << "\nParameters of " << console::Printable(response.model()) << ":\n\n";
  PrintParameters(response.parameters(), out);
}

std::string RangesCsv(const std::vector<std::pair<int64_t, v1::ExplainResponse>>& answers) {
  std::string out =
      "ranks,model,from_block_bytes,to_block_bytes,strategy,time_s,previous_time_s\r\n";
  for (const auto& [ranks, response] : answers) {
    for (int i = 0; i < response.ranges_size(); ++i) {
      const v1::BestRange& range = response.ranges(i);
      absl::StrAppend(&out, ranks, ",", console::CsvField(response.model()), ",",
                      range.from_block_bytes(), ",", EndOf(response, i), ",",
                      console::CsvField(range.strategy()), ",",
                      console::FormatDouble(range.time_s()), ",",
                      console::FormatDouble(range.previous_time_s()), "\r\n");
    }
  }
  return out;
}

absl::Status Explain(Session& session, const ExplainOptions& options) {
  absl::StatusOr<v1::ExplainRequest> request = RequestOf(options);
  if (!request.ok()) return request.status();
  WhatIfCheck what_if(options.what_if);
  if (absl::Status begun = what_if.Begin(session); !begun.ok()) return begun;
  SweepJson json;
  std::vector<std::pair<int64_t, v1::ExplainResponse>> answers;
  std::vector<std::string> node_lists = options.nodes_in_use.lists;
  if (node_lists.empty()) node_lists.emplace_back();
  for (const std::string& node_list : node_lists) {
    request->mutable_scenario()->set_node_list(node_list);
    for (const int64_t ranks : options.scenario.ranks) {
      request->mutable_scenario()->set_ranks(ranks);
      v1::ExplainResponse response;
      absl::Status status = session.connection().Call(kExplain, *request, response);
      if (!status.ok()) return status;
      json.Add(*request, response);
      what_if.AddUsed(response.model());
      if (!session.json() && options.files.csv != "-") {
        if (!answers.empty()) session.out() << '\n';
        Print(*request, response, session.out());
      }
      answers.emplace_back(ranks, std::move(response));
    }
  }
  what_if.Note(session);
  if (session.json()) session.out() << json.Text();
  if (options.files.csv.empty()) return absl::OkStatus();
  return WriteSheet(session, options.files.csv, RangesCsv(answers));
}

}  // namespace

void AddExplainVerb(Verb app) {
  Verb verb = app.Sub("explain", "Explain why a strategy is the best, and at which sizes");
  verb.Footer(
      "Examples:\n"
      "  cox explain -m intel-delta -c alltoall -p 256 -b 64 --to 1k\n"
      "  cox explain -m cluster -c bcast -p 64,128 -b 64k --model loggp\n"
      "  cox explain -m intel-delta -c alltoall -p 256 -b 64 --what-if 'c3.s*0.1'\n"
      "  cox explain -m cluster -c allgather -p 16 --ppn 1 -b 1M --node-list n[1-8,33-40]\n"
      "The sizes at which the best strategy changes are exact to the byte. --csv writes them.\n"
      "With --node-list, sizes are compared at powers of two and each change is followed to the\n"
      "byte: a change that is undone before the next power of two is not seen.");
  auto options = std::make_shared<ExplainOptions>();
  options->from = "1";
  options->to = "16MiB";
  AddScenarioOptions(verb, options->scenario);
  verb.Text("--from", options->from, "Smallest size at which to compare strategies")
      .Type("SIZE")
      .ShowDefault();
  verb.Text("--to", options->to, "Largest size at which to compare strategies")
      .Type("SIZE")
      .ShowDefault();
  verb.Text("--model", options->model,
            "A model of `cox models` (default: the machine's selected model)")
      .Type("MODEL");
  AddPlacementOption(verb, options->placement);
  AddNodeListOptions(verb, NodeLists::kSeveral, options->nodes_in_use);
  AddCount(verb, "--root", options->root, 0, std::numeric_limits<int32_t>::max(),
           "Root rank of a rooted operation (default 0)");
  AddWhatIfOption(verb, options->what_if);
  AddSheetOptions(verb, options->files, false);
  verb.Do([options](Session& session) { return Explain(session, *options); },
          [options](const GlobalOptions& global) {
            if (options->scenario.block_bytes.size() > 1) {
              return UsageError("--bytes takes one size here; --from and --to take a range");
            }
            if (options->nodes_in_use.lists.size() > 1 && !options->files.csv.empty()) {
              return UsageError("--csv takes one --node-list: its rows do not name the list");
            }
            absl::Status status = RequireScenario(options->scenario);
            if (status.ok()) status = RequestOf(*options).status();
            return status.ok() ? CheckSheetFiles(options->files, global) : status;
          });
}

}  // namespace cox::cli
