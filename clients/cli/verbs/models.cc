// cox models: the models, what they see, their parameters and units.
#include <cox/v1/model.pb.h>

#include "absl/strings/str_cat.h"
#include "cli/methods.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"

namespace cox::cli {
namespace {

void Print(const v1::Model& model, std::ostream& out) {
  const auto print = [&out](absl::string_view label, const std::string& text) {
    if (!text.empty()) out << label << ": " << console::Printable(text) << '\n';
  };
  print(console::Printable(model.id()), model.description());
  print("  sees", model.sees());
  print("  blind to", model.blind_to());
  print("  source", model.source());
  out << '\n';
  console::Table table({{"  PARAMETER"},
                        {"LEVEL"},
                        {"UNIT"},
                        {"NEEDED"},
                        {"FROM"},
                        {"MEANING", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::ParameterSpec& spec : model.parameters()) {
    table.Add({"  " + spec.name(), spec.level(), spec.unit(), spec.required() ? "yes" : "no",
               spec.stated() ? "stated" : "fitted",
               spec.argument().empty()
                   ? spec.description()
                   : absl::StrCat(spec.description(), " (may depend on: ", spec.argument(), ")")});
  }
  table.Print(out);
}

absl::Status ListModels(Session& session) {
  v1::ListModelsResponse response;
  absl::Status status = session.connection().Call(kListModels, v1::ListModelsRequest(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  for (int i = 0; i < response.models_size(); ++i) {
    if (i > 0) session.out() << '\n';
    Print(response.models(i), session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddModelsVerb(Verb app) {
  Verb verb = app.Sub("models", "List the models, their parameters and units");
  verb.Footer(
      "Example:\n"
      "  cox --json models | jq -r '.models[].id'\n"
      "FROM: fitted (a calibration fits the parameter to timings) or stated (a person or a\n"
      "publication states it). If a parameter may depend on something, it can have pieces, each\n"
      "with its own value.");
  verb.Do(ListModels);
}

}  // namespace cox::cli
