// cox predict: what a collective will cost under each strategy, model by model.
#include <cox/v1/advice.pb.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/what_if.h"
#include "cli/output/placement_table.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/sweep_json.h"
#include "cli/output/what_if_check.h"
#include "cli/verbs/verbs.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

struct PredictOptions {
  ScenarioOptions scenario;
  std::string strategy;
  std::string model;
  std::string placement;
  NodeListOptions nodes_in_use;
  int64_t root = 0;
  WhatIfOptions what_if;
  SheetFiles files;
};

v1::PredictRequest RequestOf(const PredictOptions& options) {
  v1::PredictRequest request;
  request.set_machine(options.scenario.machine);
  request.set_collective(options.scenario.collective);
  request.set_ppn(options.scenario.ppn);
  request.set_type_bytes(options.scenario.type_bytes);
  request.set_strategy(options.strategy);
  request.set_model(options.model);
  request.set_root(options.root);
  request.set_placement(PlacementOf(options.placement));
  request.set_assume_idle_switches(options.nodes_in_use.idle_switches);
  for (const v1::WhatIf& change : options.what_if.changes) *request.add_what_if() = change;
  return request;
}

// Where the ranks of a sweep are: each text once, with the numbers of ranks that it is about.
class NodesNotes {
 public:
  void Add(int64_t ranks, const v1::NodesInUse& nodes) {
    const std::string text = NodesText(nodes);
    auto at = std::find_if(texts_.begin(), texts_.end(),
                           [&](const auto& one) { return one.second == text; });
    if (at == texts_.end()) at = texts_.insert(at, {{}, text});
    at->first.insert(ranks);
    all_ranks_.insert(ranks);
  }

  void Note(Session& session) const {
    for (const auto& [ranks, text] : texts_) {
      if (all_ranks_.size() == 1) {
        session.Note(text);
      } else {
        const std::string who = ranks.size() == 1
                                    ? domain::Counted(*ranks.begin(), "rank")
                                    : absl::StrCat(absl::StrJoin(ranks, ", "), " ranks");
        session.Note(absl::StrCat(who, ": ", text));
      }
    }
  }

 private:
  std::vector<std::pair<std::set<int64_t>, std::string>> texts_;
  std::set<int64_t> all_ranks_;
};

absl::Status Predict(Session& session, const PredictOptions& options) {
  v1::PredictRequest request = RequestOf(options);
  if (!options.nodes_in_use.lists.empty())
    request.set_node_list(options.nodes_in_use.lists.front());
  PredictionSheet sheet(
      {absl::StrCat(options.scenario.collective, " on ", options.scenario.machine), "strategy",
       "block_bytes", "bytes of a block"});
  WhatIfCheck what_if(options.what_if);
  if (absl::Status begun = what_if.Begin(session); !begun.ok()) return begun;
  SweepJson json;
  NodesNotes where;
  for (const int64_t ranks : options.scenario.ranks) {
    for (const int64_t block_bytes : options.scenario.block_bytes) {
      request.set_ranks(ranks);
      request.set_block_bytes(block_bytes);
      v1::PredictResponse response;
      absl::Status status = session.connection().Call(kPredict, request, response);
      if (!status.ok()) return status;
      json.Add(request, response);
      if (response.has_nodes_in_use()) where.Add(ranks, response.nodes_in_use());
      for (const v1::Prediction& prediction : response.predictions()) {
        what_if.AddUsed(prediction.model());
        sheet.Add(ranks, block_bytes, prediction);
      }
      for (const std::string& caveat : response.caveats()) sheet.AddCaveat(caveat);
    }
  }
  if (session.json()) {
    session.out() << json.Text();
  } else {
    where.Note(session);
  }
  what_if.Note(session);
  return sheet.Show(session, options.files);
}

// A column for each list of nodes.
absl::Status ComparePlacements(Session& session, const PredictOptions& options) {
  v1::PredictRequest request = RequestOf(options);
  request.set_ranks(options.scenario.ranks.front());
  request.set_block_bytes(options.scenario.block_bytes.front());
  PlacementTable table;
  WhatIfCheck what_if(options.what_if);
  if (absl::Status begun = what_if.Begin(session); !begun.ok()) return begun;
  SweepJson json;
  for (const std::string& node_list : options.nodes_in_use.lists) {
    request.set_node_list(node_list);
    v1::PredictResponse response;
    absl::Status status = session.connection().Call(kPredict, request, response);
    if (!status.ok()) return status;
    json.Add(request, response);
    table.Add(node_list, response);
    for (const v1::Prediction& prediction : response.predictions()) {
      what_if.AddUsed(prediction.model());
    }
  }
  if (session.json()) {
    session.out() << json.Text();
  } else {
    table.Print(session.out());
  }
  what_if.Note(session);
  return absl::OkStatus();
}

absl::Status CheckPlacements(const PredictOptions& options) {
  if (options.nodes_in_use.lists.size() < 2) return absl::OkStatus();
  if (options.scenario.ranks.size() == 1 && options.scenario.block_bytes.size() == 1 &&
      !options.files.any()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--node-list: several lists compare one -p and one -b, without --csv and --plot");
}

}  // namespace

void AddPredictVerb(Verb app) {
  Verb verb = app.Sub("predict", "Predict the cost of a collective");
  verb.Footer(
      "Examples:\n"
      "  cox predict -m cluster -c alltoall -p 256 --ppn 16 -b 64k\n"
      "  cox predict -m cluster -c bcast -p 2..1024:*2 -b 1MiB --strategy bcast/binomial\n"
      "  cox predict -m cluster -c allreduce -p 64 -b 1k --model all\n"
      "  cox predict -m cluster -c alltoall -p 64 -b 8..1M:*2 --csv times.csv --plot times.svg\n"
      "  cox predict -m cluster -c alltoall -p 16 --ppn 1 -b 1M --node-list n[1-16] \\\n"
      "    --node-list n[1-4,9-11,17-19,25-27,33-35]\n"
      "  cox predict -m intel-delta -c alltoall -p 256 -b 64 --what-if 'c3.s*0.1'\n"
      "For one point under several models, the last column is the largest time over the\n"
      "smallest. --json prints one document, {\"responses\": [...]}, with its question\n"
      "beside each answer.");
  auto options = std::make_shared<PredictOptions>();
  AddScenarioOptions(verb, options->scenario);
  verb.Text("--strategy", options->strategy,
            "Only this strategy, such as `bcast/chain?segment=8192` (default: all that apply)")
      .Type("STRATEGY");
  verb.Text("--model", options->model,
            "A model of `cox models`, or all (default: the machine's selected model)")
      .Type("MODEL");
  AddPlacementOption(verb, options->placement);
  AddNodeListOptions(verb, NodeLists::kSeveral, options->nodes_in_use);
  AddCount(verb, "--root", options->root, 0, std::numeric_limits<int32_t>::max(),
           "Root rank of a rooted operation (default 0)");
  AddWhatIfOption(verb, options->what_if);
  AddSheetOptions(verb, options->files, true);
  verb.Do(
      [options](Session& session) {
        return options->nodes_in_use.lists.size() > 1 ? ComparePlacements(session, *options)
                                                      : Predict(session, *options);
      },
      [options](const GlobalOptions& global) {
        absl::Status status = RequireScenario(options->scenario);
        if (status.ok()) status = CheckPlacements(*options);
        return status.ok() ? CheckSheetFiles(options->files, global) : status;
      });
}

}  // namespace cox::cli
