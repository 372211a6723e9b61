// cox predict: what a collective will cost under each strategy, model by model.
#include <cox/v1/advice.pb.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/what_if.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/sweep_json.h"
#include "cli/verbs/verbs.h"

namespace cox::cli {
namespace {

struct Options {
  ScenarioOptions scenario;
  std::string strategy;
  std::string model;
  std::string placement;
  int64_t root = 0;
  std::vector<v1::WhatIf> what_if;
  SheetFiles files;
};

v1::PredictRequest RequestOf(const Options& options) {
  v1::PredictRequest request;
  request.set_machine(options.scenario.machine);
  request.set_collective(options.scenario.collective);
  request.set_ppn(options.scenario.ppn);
  request.set_type_bytes(options.scenario.type_bytes);
  request.set_strategy(options.strategy);
  request.set_model(options.model);
  request.set_root(options.root);
  request.set_placement(PlacementOf(options.placement));
  for (const v1::WhatIf& change : options.what_if) *request.add_what_if() = change;
  return request;
}

absl::Status Predict(Session& session, const Options& options) {
  v1::PredictRequest request = RequestOf(options);
  PredictionSheet sheet(
      {absl::StrCat(options.scenario.collective, " on ", options.scenario.machine), "strategy",
       "block_bytes", "bytes of a block"});
  SweepJson json;
  for (const int64_t ranks : options.scenario.ranks) {
    for (const int64_t block_bytes : options.scenario.block_bytes) {
      request.set_ranks(ranks);
      request.set_block_bytes(block_bytes);
      v1::PredictResponse response;
      absl::Status status = session.connection().Call(kPredict, request, response);
      if (!status.ok()) return status;
      json.Add(request, response);
      for (const v1::Prediction& prediction : response.predictions()) {
        sheet.Add(ranks, block_bytes, prediction);
      }
      for (const std::string& caveat : response.caveats()) sheet.AddCaveat(caveat);
    }
  }
  if (session.json()) session.out() << json.Text();
  return sheet.Show(session, options.files);
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
      "  cox predict -m intel-delta -c alltoall -p 256 -b 64 --what-if 'c3.s*0.1'\n"
      "For one point under several models, the last column is the largest time over the\n"
      "smallest. --json prints one document, {\"responses\": [...]}, with its question\n"
      "beside each answer.");
  auto options = std::make_shared<Options>();
  AddScenarioOptions(verb, options->scenario);
  verb.Text("--strategy", options->strategy,
            "Only this strategy, such as `bcast/chain?segment=8192` (default: all that apply)")
      .Type("STRATEGY");
  verb.Text("--model", options->model,
            "A model of `cox models`, or all (default: the machine's selected model)")
      .Type("MODEL");
  AddPlacementOption(verb, options->placement);
  AddCount(verb, "--root", options->root, 0, std::numeric_limits<int32_t>::max(),
           "Root rank of a rooted operation (default 0)");
  AddWhatIfOption(verb, options->what_if);
  AddSheetOptions(verb, options->files, true);
  verb.Do([options](Session& session) { return Predict(session, *options); },
          [options](const GlobalOptions& global) {
            absl::Status status = RequireScenario(options->scenario);
            return status.ok() ? CheckSheetFiles(options->files, global) : status;
          });
}

}  // namespace cox::cli
