// cox predict: what a collective will cost under each strategy, model by model.
#include <cox/v1/advice.grpc.pb.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/json_output.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verbs.h"

namespace cox::cli {
namespace {

using v1::AdviceService;

struct Options {
  ScenarioOptions scenario;
  std::string strategy;
  std::string model;
  std::string placement;
  int64_t root = 0;
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
  if (options.placement == "block") request.set_placement(v1::PLACEMENT_BLOCK);
  if (options.placement == "cyclic") request.set_placement(v1::PLACEMENT_CYCLIC);
  return request;
}

// "startup 3.1 µs + bandwidth 2 µs", the largest first.
std::string TermsText(const v1::Prediction& prediction) {
  std::vector<const v1::CostTerm*> terms;
  for (const v1::CostTerm& term : prediction.terms()) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(), [](const v1::CostTerm* a, const v1::CostTerm* b) {
    return a->time_s() > b->time_s();
  });
  return absl::StrJoin(terms, " + ", [](std::string* out, const v1::CostTerm* term) {
    absl::StrAppend(out, term->name(), " ", FormatTime(term->time_s()));
  });
}

absl::Status Predict(Session& session, const Options& options) {
  v1::PredictRequest request = RequestOf(options);
  Table table({{"RANKS", Align::kRight},
               {"BYTES", Align::kRight},
               {"MODEL"},
               {"STRATEGY"},
               {"TIME", Align::kRight},
               {"TERMS"}});
  const bool sweep = options.scenario.ranks.size() * options.scenario.block_bytes.size() > 1;
  std::string text = sweep ? "{\"responses\":[" : "";
  bool first = true;
  for (const int64_t ranks : options.scenario.ranks) {
    for (const int64_t block_bytes : options.scenario.block_bytes) {
      request.set_ranks(ranks);
      request.set_block_bytes(block_bytes);
      v1::PredictResponse response;
      absl::Status status = session.connection().Call<AdviceService>(&AdviceService::Stub::Predict,
                                                                     request, response);
      if (!status.ok()) return status;
      if (session.json()) {
        if (!first) text += ',';
        first = false;
        if (sweep) {
          AppendMergedJson(request, response, text);
        } else {
          AppendJson(response, text);
        }
        continue;
      }
      for (const v1::Prediction& prediction : response.predictions()) {
        table.Add({absl::StrCat(ranks), FormatBytes(block_bytes), prediction.model(),
                   prediction.strategy(), FormatTime(prediction.time_s()), TermsText(prediction)});
      }
    }
  }
  if (session.json()) {
    session.out() << text << (sweep ? "]}\n" : "\n");
  } else {
    table.Print(session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddPredictVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("predict", "Predict what a collective will cost");
  verb->footer(
      "Examples:\n"
      "  cox predict -m cluster -c alltoall -p 256 --ppn 16 -b 64k\n"
      "  cox predict -m cluster -c bcast -p 2..1024:*2 -b 1MiB --strategy bcast/binomial\n"
      "  cox predict -m cluster -c allreduce -p 64 -b 1k..1M:*4 --model all\n"
      "With --json a sweep is one document, {\"responses\": [...]}, what was asked beside each "
      "answer.");
  auto options = std::make_shared<Options>();
  AddScenarioOptions(*verb, options->scenario);
  verb->add_option("--strategy", options->strategy,
                   "Only this strategy, as `bcast/chain?segment=8192` (default: all that apply)")
      ->type_name("STRATEGY");
  verb->add_option("--model", options->model,
                   "A model of `cox models`, or all (default: the one that speaks for the machine)")
      ->type_name("MODEL");
  verb->add_option("--placement", options->placement,
                   "How ranks are dealt to nodes (default block)")
      ->check(CLI::IsMember({"block", "cyclic"}));
  AddCount(*verb, "--root", options->root, 0, std::numeric_limits<int32_t>::max(),
           "Root rank of a rooted operation (default 0)");
  verb->callback([&action, options] {
    RequireScenario(options->scenario);
    action = [options](Session& session) { return Predict(session, *options); };
  });
}

}  // namespace cox::cli
