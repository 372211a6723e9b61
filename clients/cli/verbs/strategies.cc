// cox strategies: the catalogue, what a library calls it, and what it runs by itself.
#include <cox/v1/model.grpc.pb.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/options.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

using v1::ModelService;

absl::Status List(Session& session, const v1::ListStrategiesRequest& request) {
  v1::ListStrategiesResponse response;
  absl::Status status = session.connection().Call<ModelService>(&ModelService::Stub::ListStrategies,
                                                                request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  if (request.library().empty()) {
    console::Table table({{"STRATEGY"}, {"KNOBS"}, {"DESCRIPTION"}});
    for (const v1::Strategy& strategy : response.strategies()) {
      table.Add({strategy.name(), strategy.knobs().empty() ? "-" : strategy.knobs(),
                 strategy.description()});
    }
    table.Print(session.out());
    return absl::OkStatus();
  }
  console::Table table(
      {{"COLLECTIVE"}, {"ALGORITHM"}, {"ID", console::Align::kRight}, {"STRATEGY"}, {"NEEDS"}});
  for (const v1::Strategy& strategy : response.strategies()) {
    table.Add({strategy.collective(), strategy.native_name(),
               strategy.native_id() < 0 ? "-" : absl::StrCat(strategy.native_id()),
               strategy.algorithm().empty() ? "-" : strategy.name(),
               strategy.needs().empty() ? "-" : strategy.needs()});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

// "rabenseifner", or "rabenseifner, runs basic_linear" where it falls back.
std::string StockText(const v1::DefaultChoice& choice) {
  if (choice.algorithm().empty()) return "several, on nodes and leaders";
  if (choice.runs() == choice.algorithm()) return choice.algorithm();
  return absl::StrCat(choice.algorithm(),
                      choice.runs().empty() ? ", fails" : ", runs " + choice.runs());
}

absl::Status ListStock(Session& session, const v1::ListDefaultChoicesRequest& request) {
  v1::ListDefaultChoicesResponse response;
  absl::Status status = session.connection().Call<ModelService>(
      &ModelService::Stub::ListDefaultChoices, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  console::Table table({{"COLLECTIVE"},
                        {"FROM", console::Align::kRight},
                        {"BY ITSELF"},
                        {"ID", console::Align::kRight},
                        {"STRATEGY"}});
  for (const v1::DefaultChoice& choice : response.choices()) {
    table.Add({choice.collective(), console::FormatBytes(choice.from_block_bytes()),
               StockText(choice), choice.has_native_id() ? absl::StrCat(choice.native_id()) : "-",
               choice.strategy().empty() ? "-" : choice.strategy()});
  }
  table.Print(session.out());
  if (response.choices().empty()) {
    session.Note(absl::StrCat(request.library(), "'s own decision is not known",
                              request.collective().empty() ? "" : " for ", request.collective()));
  }
  return absl::OkStatus();
}

struct Options {
  std::string collective;
  std::string library;
  bool stock = false;
  int64_t ranks = 0;
  int64_t ppn = 0;
  int64_t type_bytes = 0;
  bool non_commutative = false;
};

absl::Status Run(Session& session, const Options& options) {
  if (options.stock) {
    v1::ListDefaultChoicesRequest request;
    request.set_library(options.library);
    request.set_collective(options.collective);
    request.set_ranks(options.ranks);
    request.set_ppn(options.ppn);
    request.set_type_bytes(options.type_bytes);
    request.set_non_commutative(options.non_commutative);
    return ListStock(session, request);
  }
  v1::ListStrategiesRequest request;
  request.set_collective(options.collective);
  request.set_library(options.library);
  return List(session, request);
}

}  // namespace

void AddStrategiesVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "strategies", "List the catalogue of strategies, or what a library has of it");
  verb->footer(
      "Examples:\n"
      "  cox strategies --collective alltoall\n"
      "  cox strategies --library openmpi-4.1\n"
      "  cox strategies --library openmpi-4.1 --stock -c allreduce -p 48\n"
      "With --stock: which algorithm does the library run by itself, from which size on.");
  auto options = std::make_shared<Options>();
  verb->add_option("-c,--collective", options->collective, "Only this operation")
      ->type_name("COLLECTIVE");
  CLI::Option* library = AddLibraryOption(*verb, options->library);
  CLI::Option* stock =
      verb->add_flag("--stock", options->stock, "What the library runs by itself, by size")
          ->needs(library);
  CLI::Option* ranks = AddCount(*verb, "-p,--ranks", options->ranks, 2, console::kMaxCount,
                                "With --stock: ranks of the communicator")
                           ->needs(stock);
  stock->needs(ranks);
  AddCount(*verb, "--ppn", options->ppn, 1, console::kMaxCount,
           "With --stock: ranks per node (default: 1)")
      ->needs(stock);
  AddCount(*verb, "--type-bytes", options->type_bytes, 1, console::kMaxCount,
           "With --stock: bytes of one element (default: 4)")
      ->needs(stock);
  verb->add_flag("--non-commutative", options->non_commutative,
                 "With --stock: the reductions do not commute")
      ->needs(stock);
  verb->callback([&action, options] {
    action = [options](Session& session) { return Run(session, *options); };
  });
}

}  // namespace cox::cli
