#include "bench/suite/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "console/table.h"
#include "console/units.h"
#include "model/analysis/error_metric.h"

namespace cox::bench {
namespace {

using console::Align;
using console::FormatDouble;
using console::FormatTime;
using console::Table;

constexpr char kNothing[] = "-";

bool IsKernel(const Outcome& outcome) { return !outcome.experiment.kernel.empty(); }

// The name of a row of errors.
std::string NameOf(const Outcome& outcome, const Measurement& measurement) {
  if (IsKernel(outcome)) return outcome.experiment.kernel;
  return absl::StrCat(outcome.experiment.program, " ", measurement.algorithm);
}

// The first columns, to the left; the others to the right, where numbers stand.
Table TableOf(const std::vector<std::string>& texts, const std::vector<std::string>& numbers,
              const std::vector<std::string>& models) {
  std::vector<Table::Column> columns;
  columns.reserve(texts.size() + numbers.size() + models.size());
  for (const std::string& name : texts) columns.push_back({name});
  for (const std::string& name : numbers) columns.push_back({name, Align::kRight});
  for (const std::string& name : models) columns.push_back({name, Align::kRight});
  return Table(std::move(columns));
}

// Runs `take` for every measurement of kernels, or of exchanges.
template <typename Take>
void ForEach(const std::vector<Outcome>& outcomes, bool kernels, const Take& take) {
  for (const Outcome& outcome : outcomes) {
    if (IsKernel(outcome) != kernels) continue;
    for (const Measurement& measurement : outcome.measurements) take(outcome, measurement);
  }
}

void AddPredictions(const Outcome& outcome, const Measurement& measurement,
                    const std::vector<std::string>& models, std::vector<std::string>& cells) {
  for (const std::string& model : models) {
    Comparison comparison;
    const bool known = Compare(outcome, measurement, model, &comparison);
    cells.push_back(known ? FormatTime(comparison.predicted_s) : kNothing);
  }
}

void PrintKernelTimes(const std::vector<Outcome>& outcomes, const std::vector<std::string>& models,
                      std::ostream& out) {
  Table table =
      TableOf({"KERNEL"}, {"RANKS", "N", "TIME", "COMMUNICATION", "WORK", "A STEP"}, models);
  ForEach(outcomes, true, [&](const Outcome& outcome, const Measurement& measurement) {
    const double operations = outcome.forecast.operations;
    std::vector<std::string> cells = {
        outcome.experiment.kernel,
        absl::StrCat(outcome.experiment.ranks),
        absl::StrCat(outcome.experiment.size),
        FormatTime(measurement.time_s),
        FormatTime(measurement.communication_s),
        FormatTime(measurement.work_s),
        operations > 0 ? FormatTime(measurement.work_s / operations) : kNothing};
    AddPredictions(outcome, measurement, models, cells);
    table.Add(std::move(cells));
  });
  if (table.empty()) return;
  out << "Kernels, measured and predicted by each model: the whole time, for apsp the "
         "communication.\n\n";
  table.Print(out);
  out << '\n';
}

void PrintExchangeTimes(const std::vector<Outcome>& outcomes,
                        const std::vector<std::string>& models, std::ostream& out) {
  Table table = TableOf({"PROGRAM", "ALGORITHM"},
                        {"RANKS", "SIZE", "DEGREE", "COMPLETION", "EXCHANGE"}, models);
  ForEach(outcomes, false, [&](const Outcome& outcome, const Measurement& measurement) {
    const auto exchanges = static_cast<double>(std::max<int64_t>(1, measurement.exchanges));
    const int64_t degree = outcome.experiment.degree;
    std::vector<std::string> cells = {outcome.experiment.program,
                                      measurement.algorithm,
                                      absl::StrCat(outcome.experiment.ranks),
                                      absl::StrCat(outcome.experiment.size),
                                      degree > 0 ? absl::StrCat(degree) : kNothing,
                                      FormatTime(measurement.time_s),
                                      FormatTime(measurement.exchange_s / exchanges)};
    AddPredictions(outcome, measurement, models, cells);
    table.Add(std::move(cells));
  });
  if (table.empty()) return;
  out << "Exchanges of blocks: the measured program and one exchange, and each model's prediction "
         "of one exchange.\n\n";
  table.Print(out);
  out << '\n';
}

void PrintErrors(const std::vector<Outcome>& outcomes, bool kernels,
                 const std::vector<std::string>& models, std::ostream& out) {
  std::vector<std::string> names;
  std::map<std::pair<std::string, std::string>, double> worst;
  ForEach(outcomes, kernels, [&](const Outcome& outcome, const Measurement& measurement) {
    const std::string name = NameOf(outcome, measurement);
    for (const std::string& model : models) {
      Comparison comparison;
      if (!Compare(outcome, measurement, model, &comparison)) continue;
      if (std::count(names.begin(), names.end(), name) == 0) names.push_back(name);
      const auto error = model::ErrorOf(comparison.measured_s, comparison.predicted_s);
      double& entry = worst[{name, model}];
      if (error.ok()) entry = std::max(entry, *error);
    }
  });
  if (names.empty()) return;
  Table table = TableOf({kernels ? "KERNEL" : "EXCHANGE"}, {}, models);
  for (const std::string& name : names) {
    std::vector<std::string> cells = {name};
    for (const std::string& model : models) {
      const auto found = worst.find({name, model});
      cells.push_back(found == worst.end() ? kNothing : console::FormatError(found->second));
    }
    table.Add(std::move(cells));
  }
  out << "The largest error of all sizes, |measured - predicted| / min(measured, predicted).\n\n";
  table.Print(out);
  out << '\n';
}

}  // namespace

std::vector<std::string> ModelsOf(const std::vector<Outcome>& outcomes,
                                  const std::vector<std::string>& asked) {
  std::set<std::string> known;
  for (const Outcome& outcome : outcomes) {
    for (const auto& [route, models] : outcome.forecast.communication_s) {
      for (const auto& [model, time_s] : models) known.insert(model);
    }
  }
  const bool all = std::count(asked.begin(), asked.end(), "all") > 0;
  if (all) return {known.begin(), known.end()};
  std::vector<std::string> models;
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(models),
               [&](const std::string& model) { return known.count(model) > 0; });
  return models;
}

void PrintTables(const std::vector<Outcome>& outcomes, const std::vector<std::string>& models,
                 std::ostream& out) {
  PrintKernelTimes(outcomes, models, out);
  PrintErrors(outcomes, true, models, out);
  PrintExchangeTimes(outcomes, models, out);
  PrintErrors(outcomes, false, models, out);
}

std::string CsvOf(const std::vector<Outcome>& outcomes) {
  std::string text =
      "program,kernel,variant,algorithm,ranks,size,degree,time_s,communication_s,work_s,"
      "exchange_s,exchanges,operations,model,compared_s,predicted_s,error\n";
  const std::vector<std::string> models = ModelsOf(outcomes, {"all"});
  for (const Outcome& outcome : outcomes) {
    const Experiment& experiment = outcome.experiment;
    for (const Measurement& measurement : outcome.measurements) {
      const std::string start = absl::StrJoin(
          {console::CsvField(experiment.program), console::CsvField(experiment.kernel),
           console::CsvField(experiment.variant), console::CsvField(measurement.algorithm),
           absl::StrCat(experiment.ranks), absl::StrCat(experiment.size),
           absl::StrCat(experiment.degree), FormatDouble(measurement.time_s),
           FormatDouble(measurement.communication_s), FormatDouble(measurement.work_s),
           FormatDouble(measurement.exchange_s), absl::StrCat(measurement.exchanges),
           FormatDouble(outcome.forecast.operations)},
          ",");
      bool priced = false;
      for (const std::string& model : models) {
        Comparison comparison;
        if (!Compare(outcome, measurement, model, &comparison)) continue;
        const auto error = model::ErrorOf(comparison.measured_s, comparison.predicted_s);
        absl::StrAppend(&text, start, ",", model, ",", FormatDouble(comparison.measured_s), ",",
                        FormatDouble(comparison.predicted_s), ",",
                        error.ok() ? FormatDouble(*error) : "", "\n");
        priced = true;
      }
      if (!priced) absl::StrAppend(&text, start, ",,,,\n");
    }
  }
  return text;
}

}  // namespace cox::bench
