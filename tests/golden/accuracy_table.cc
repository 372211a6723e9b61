#include "accuracy_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "domain/errors.h"
#include "model/analysis/error_metric.h"

namespace cox::golden {
namespace {

// Numbers names in the order of their first appearance.
class Order {
 public:
  size_t Of(const std::string& name) { return places_.emplace(name, places_.size()).first->second; }
  std::vector<std::string> Names() const {
    std::vector<std::string> names(places_.size());
    for (const auto& [name, place] : places_) names[place] = name;
    return names;
  }

 private:
  std::map<std::string, size_t> places_;
};

absl::Status CheckLabels(const AccuracySample& sample) {
  const std::pair<absl::string_view, const std::string*> labels[] = {
      {"algorithm", &sample.algorithm}, {"model", &sample.model}, {"machine", &sample.machine}};
  for (const auto& [name, label] : labels) {
    if (label->empty()) return domain::InvalidField(name, "is empty");
  }
  return absl::OkStatus();
}

void Widen(double error, absl::optional<AccuracyCell>* cell) {
  if (!cell->has_value()) *cell = AccuracyCell();
  (*cell)->max_error = std::max((*cell)->max_error, error);
  (*cell)->samples_count += 1;
}

}  // namespace

absl::StatusOr<AccuracyTable> MakeAccuracyTable(absl::Span<const AccuracySample> samples) {
  Order algorithms, models, machines;
  // By the places of algorithm, model and machine; the models' order is that of the whole table.
  std::map<std::pair<size_t, size_t>, std::map<size_t, absl::optional<AccuracyCell>>> cells;
  for (size_t i = 0; i < samples.size(); ++i) {
    const AccuracySample& sample = samples[i];
    const std::string prefix = absl::StrCat("samples[", i, "].");
    absl::Status labels = CheckLabels(sample);
    if (!labels.ok()) return domain::WithFieldPrefix(labels, prefix);
    const absl::StatusOr<double> error = model::ErrorOf(sample.measured, sample.predicted);
    if (!error.ok()) return domain::WithFieldPrefix(error.status(), prefix);
    auto& row = cells[{algorithms.Of(sample.algorithm), models.Of(sample.model)}];
    Widen(*error, &row[machines.Of(sample.machine)]);
  }
  AccuracyTable table;
  table.machines = machines.Names();
  const std::vector<std::string> algorithm_names = algorithms.Names();
  const std::vector<std::string> model_names = models.Names();
  for (const auto& [key, by_machine] : cells) {
    AccuracyRow& row = table.rows.emplace_back();
    row.algorithm = algorithm_names[key.first];
    row.model = model_names[key.second];
    row.cells.resize(table.machines.size());
    for (const auto& [machine, cell] : by_machine) row.cells[machine] = cell;
  }
  return table;
}

std::string FormatCell(const absl::optional<AccuracyCell>& cell) {
  if (!cell.has_value()) return "-";
  const double percent = 100 * cell->max_error;
  if (!std::isfinite(percent)) return "not defined";
  return percent < 9.95 ? absl::StrFormat("%.1f %%", percent) : absl::StrFormat("%.0f %%", percent);
}

std::string FormatAccuracyTable(const AccuracyTable& table) {
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"algorithm", "model"});
  lines[0].insert(lines[0].end(), table.machines.begin(), table.machines.end());
  for (const AccuracyRow& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line = {row.algorithm, row.model};
    for (const auto& cell : row.cells) line.push_back(FormatCell(cell));
  }
  std::vector<size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      absl::StrAppend(&text, line[i]);
      if (i + 1 < line.size()) text.append(widths[i] - line[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace cox::golden
