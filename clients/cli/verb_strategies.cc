// cox strategies: the catalogue, and what a library calls it.
#include <cox/v1/model.grpc.pb.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/verbs.h"

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
    Table table({{"STRATEGY"}, {"KNOBS"}, {"DESCRIPTION"}});
    for (const v1::Strategy& strategy : response.strategies()) {
      table.Add({strategy.name(), strategy.knobs().empty() ? "-" : strategy.knobs(),
                 strategy.description()});
    }
    table.Print(session.out());
    return absl::OkStatus();
  }
  Table table({{"COLLECTIVE"}, {"ALGORITHM"}, {"ID", Align::kRight}, {"STRATEGY"}, {"NEEDS"}});
  for (const v1::Strategy& strategy : response.strategies()) {
    table.Add({strategy.collective(), strategy.native_name(),
               strategy.native_id() < 0 ? "-" : absl::StrCat(strategy.native_id()),
               strategy.algorithm().empty() ? "-" : strategy.name(),
               strategy.needs().empty() ? "-" : strategy.needs()});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

}  // namespace

void AddStrategiesVerb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "strategies", "List the catalogue of strategies, or what a library has of it");
  verb->footer(
      "Examples:\n"
      "  cox strategies --collective alltoall\n"
      "  cox strategies --library openmpi-4.1");
  struct Options {
    std::string collective;
    std::string library;
  };
  auto options = std::make_shared<Options>();
  verb->add_option("-c,--collective", options->collective, "Only this operation")
      ->type_name("COLLECTIVE");
  AddLibraryOption(*verb, options->library);
  verb->callback([&action, options] {
    action = [options](Session& session) {
      v1::ListStrategiesRequest request;
      request.set_collective(options->collective);
      request.set_library(options->library);
      return List(session, request);
    };
  });
}

}  // namespace cox::cli
