// cox accuracy: the error of each model's predictions on a machine, by collective and size.
#include <cox/v1/advice.pb.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

struct AccuracyOptions {
  std::string machine;
  std::string library;
  std::string collective;
  std::vector<std::string> by;
  std::string statistic = "median";
};

struct Statistic {
  const char* name;
  double (v1::PredictionError::*value)() const;
};
constexpr Statistic kStatistics[] = {{"median", &v1::PredictionError::median_error},
                                     {"p90", &v1::PredictionError::p90_error},
                                     {"largest", &v1::PredictionError::largest_error}};

std::string Sizes(const v1::AccuracyRow& row) {
  if (row.to_block_bytes() > 0) return "< " + console::FormatBytes(row.to_block_bytes());
  return row.from_block_bytes() > 0 ? ">= " + console::FormatBytes(row.from_block_bytes()) : "all";
}

// The models in the order of the columns: every row has the same.
std::vector<std::string> Columns(const v1::GetAccuracyResponse& response) {
  std::vector<std::string> models;
  for (const v1::AccuracyRow& row : response.rows()) {
    for (const v1::ModelAccuracy& model : row.models()) {
      if (!absl::c_linear_search(models, model.model())) models.push_back(model.model());
    }
  }
  return models;
}

void PrintTable(const v1::GetAccuracyResponse& response, const AccuracyOptions& options,
                std::ostream& out) {
  const Statistic* statistic = kStatistics;
  while (statistic->name != options.statistic) ++statistic;
  const auto value = [&](const v1::PredictionError& error) {
    return console::FormatError((error.*statistic->value)());
  };
  const bool by_size = absl::c_linear_search(options.by, "size");
  const bool by_library = absl::c_linear_search(options.by, "library");
  std::vector<console::Table::Column> columns = {{"COLLECTIVE"}};
  if (by_library) columns.push_back({"LIBRARY"});
  if (by_size) columns.push_back({"BLOCK"});
  columns.push_back({"CELLS", console::Align::kRight});
  const std::vector<std::string> models = Columns(response);
  for (const std::string& model : models) columns.push_back({model, console::Align::kRight});
  columns.push_back({"LEFT OUT", console::Align::kRight});
  console::Table table(columns);
  for (const v1::AccuracyRow& row : response.rows()) {
    std::vector<std::string> line = {row.collective().empty() ? "(all)" : row.collective()};
    if (by_library) line.push_back(row.library());
    if (by_size) line.push_back(Sizes(row));
    line.push_back(row.models().empty() ? "0" : absl::StrCat(row.models(0).error().cell_count()));
    for (const std::string& name : models) {
      std::string text = "-";
      for (const v1::ModelAccuracy& model : row.models()) {
        if (model.model() != name) continue;
        text = absl::StrCat(name == row.best_model() ? "*" : "", value(model.error()));
      }
      line.push_back(std::move(text));
    }
    line.push_back(row.has_left_out() ? value(row.left_out()) : "-");
    table.Add(std::move(line));
  }
  table.Print(out);
}

void PrintNotes(const v1::GetAccuracyResponse& response, std::ostream& out) {
  if (!response.model().empty())
    out << "selected model: " << console::Printable(response.model()) << '\n';
  for (const v1::AccuracyRow& row : response.rows()) {
    if (row.collective().empty() || row.selected_model() == response.model()) continue;
    if (row.from_block_bytes() > 0) continue;  // once for each collective
    out << "selected model for " << console::Printable(row.collective()) << ": "
        << console::Printable(row.selected_model()) << '\n';
  }
  if (response.unstructured_cell_count() > 0) {
    const int64_t count = response.unstructured_cell_count();
    out << count << domain::Plural(count, " cell is of an algorithm", " cells are of algorithms")
        << " with an unknown structure; no model predicts " << domain::Plural(count, "it", "them")
        << "\n";
  }
  for (const v1::UnpricedModel& model : response.unpriced_models()) {
    out << "no column for " << console::Printable(model.model()) << ": "
        << console::Printable(model.reason()) << '\n';
  }
}

absl::Status Run(Session& session, const AccuracyOptions& options) {
  v1::GetAccuracyRequest request;
  request.set_machine(MachineName(options.machine));
  request.set_library(options.library);
  request.set_collective(options.collective);
  request.set_by_size(absl::c_linear_search(options.by, "size"));
  request.set_by_library(absl::c_linear_search(options.by, "library"));
  v1::GetAccuracyResponse response;
  absl::Status status = session.connection().Call(kGetAccuracy, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  if (response.rows().empty() && !(options.library.empty() && options.collective.empty())) {
    session.Note(absl::StrCat("no observations match these options; `cox accuracy ",
                              options.machine, "` compares all"));
    return absl::OkStatus();
  }
  if (response.rows().empty()) {
    session.Note(
        "no observations yet: predictions cannot be compared; `cox calibrate` or a job with the "
        "agent brings some");
  } else {
    PrintTable(response, options, session.out());
  }
  PrintNotes(response, session.out());
  return absl::OkStatus();
}

}  // namespace

void AddAccuracyVerb(Verb app) {
  Verb verb = app.Sub("accuracy",
                      "Show the error of each model's predictions by collective; * marks the best");
  verb.Footer(
      "Example:\n"
      "  cox accuracy cluster --by size\n"
      "An error is |measured - predicted| / min(measured, predicted), over the cells of the\n"
      "machine's observations. LEFT OUT: the error of a recommendation's predicted time without\n"
      "the place's own timings. A model and the other observations predict that time.");
  auto options = std::make_shared<AccuracyOptions>();
  AddMachineArgument(verb, options->machine);
  AddLibraryOption(verb, options->library);
  verb.Text("-c,--collective", options->collective, "Only this operation").Type("COLLECTIVE");
  verb.Words("--by", options->by, "Divide the rows by size, library, or both")
      .OneOf({"size", "library"});
  verb.Text("--statistic", options->statistic,
            "Which error to show: median, p90 (nine of ten are smaller) or largest")
      .OneOf({"median", "p90", "largest"});
  verb.Do([options](Session& session) { return Run(session, *options); });
}

}  // namespace cox::cli
