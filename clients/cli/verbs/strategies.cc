// cox strategies: the catalogue, what a library calls its strategies, and the library's default.
#include <cox/v1/model.pb.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/verbs/verbs.h"
#include "console/numbers.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

absl::Status List(Session& session, const v1::ListStrategiesRequest& request) {
  v1::ListStrategiesResponse response;
  absl::Status status = session.connection().Call(kListStrategies, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  if (request.library().empty()) {
    console::Table table({{"STRATEGY"},
                          {"OPTIONS", console::Align::kLeft, console::Fit::kFold},
                          {"DESCRIPTION", console::Align::kLeft, console::Fit::kFold}});
    for (const v1::Strategy& strategy : response.strategies()) {
      table.Add({strategy.name(), strategy.knobs().empty() ? "-" : strategy.knobs(),
                 strategy.description()});
    }
    table.Print(session.out());
    return absl::OkStatus();
  }
  console::Table table({{"COLLECTIVE"},
                        {"ALGORITHM"},
                        {"ID", console::Align::kRight},
                        {"STRATEGY"},
                        {"NEEDS", console::Align::kLeft, console::Fit::kFold}});
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
std::string DefaultText(const v1::DefaultChoice& choice) {
  if (choice.algorithm().empty()) return "several, on nodes and leaders";
  if (choice.runs() == choice.algorithm()) return choice.algorithm();
  return absl::StrCat(choice.algorithm(),
                      choice.runs().empty() ? ", fails" : ", runs " + choice.runs());
}

absl::Status ListDefaults(Session& session, const v1::ListDefaultChoicesRequest& request) {
  v1::ListDefaultChoicesResponse response;
  absl::Status status = session.connection().Call(kListDefaultChoices, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  console::Table table({{"COLLECTIVE"},
                        {"FROM", console::Align::kRight},
                        {"DEFAULT"},
                        {"ID", console::Align::kRight},
                        {"STRATEGY"}});
  for (const v1::DefaultChoice& choice : response.choices()) {
    table.Add({choice.collective(), console::FormatBytes(choice.from_block_bytes()),
               DefaultText(choice), choice.has_native_id() ? absl::StrCat(choice.native_id()) : "-",
               choice.strategy().empty() ? "-" : choice.strategy()});
  }
  table.Print(session.out());
  if (response.choices().empty()) {
    session.Note(absl::StrCat(request.library(), "'s default is not known",
                              request.collective().empty() ? "" : " for ", request.collective()));
  }
  return absl::OkStatus();
}

struct StrategiesOptions {
  std::string collective;
  std::string library;
  bool defaults = false;
  int64_t ranks = 0;
  int64_t ppn = 0;
  int64_t type_bytes = 0;
  bool non_commutative = false;
};

absl::Status Run(Session& session, const StrategiesOptions& options) {
  if (options.defaults) {
    v1::ListDefaultChoicesRequest request;
    request.set_library(options.library);
    request.set_collective(options.collective);
    request.set_ranks(options.ranks);
    request.set_ppn(options.ppn);
    request.set_type_bytes(options.type_bytes);
    request.set_non_commutative(options.non_commutative);
    return ListDefaults(session, request);
  }
  v1::ListStrategiesRequest request;
  request.set_collective(options.collective);
  request.set_library(options.library);
  return List(session, request);
}

}  // namespace

void AddStrategiesVerb(Verb app) {
  Verb verb = app.Sub("strategies", "List all strategies, or those of a library");
  verb.Footer(
      "Examples:\n"
      "  cox strategies --collective alltoall\n"
      "  cox strategies --library openmpi-4.1\n"
      "  cox strategies --library openmpi-4.1 --default -c allreduce -p 48\n"
      "With --default, each row shows the algorithm that the library runs from this size on.");
  auto options = std::make_shared<StrategiesOptions>();
  verb.Text("-c,--collective", options->collective, "Only this operation").Type("COLLECTIVE");
  Option library = AddLibraryOption(verb, options->library);
  Option defaults = verb.Flag("--default", options->defaults,
                              "Show which algorithm the library runs by default at which sizes")
                        .Needs(library);
  Option ranks = AddCount(verb, "-p,--ranks", options->ranks, 2, console::kMaxCount,
                          "With --default: ranks of the communicator")
                     .Needs(defaults);
  defaults.Needs(ranks);
  AddCount(verb, "--ppn", options->ppn, 1, console::kMaxCount,
           "With --default: ranks per node (default: 1)")
      .Needs(defaults);
  AddCount(verb, "--type-bytes", options->type_bytes, 1, console::kMaxCount,
           "With --default: bytes of one element (default: 4)")
      .Needs(defaults);
  verb.Flag("--non-commutative", options->non_commutative,
            "With --default: the reductions do not commute")
      .Needs(defaults);
  verb.Do([options](Session& session) { return Run(session, *options); });
}

}  // namespace cox::cli
