#include "learn/accuracy.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "domain/profile.h"
#include "learn/correct/default_check.h"
#include "learn/correct/model_errors.h"
#include "learn/prepared_cells.h"

namespace cox::learn {
namespace {

constexpr int64_t kKibi = 1024;
constexpr SizeClass kSizeClasses[] = {
    {0, kKibi}, {kKibi, 32 * kKibi}, {32 * kKibi, kKibi* kKibi}, {kKibi * kKibi, 0}};

// How clearly a model must beat the machine's to be selected for a collective: see
// SelectedFor().
constexpr double kClear = 3;

size_t SizeClassOf(double bytes) {
  size_t i = 0;
  while (kSizeClasses[i].to_bytes > 0 && bytes >= static_cast<double>(kSizeClasses[i].to_bytes)) {
    ++i;
  }
  return i;
}

ErrorSummary Summarise(std::vector<double> errors) {
  ErrorSummary summary;
  summary.cell_count = static_cast<int64_t>(errors.size());
  if (errors.empty()) return summary;
  std::sort(errors.begin(), errors.end());
  summary.median = errors[errors.size() / 2];
  summary.ninetieth = errors[errors.size() * 9 / 10];
  summary.largest = errors.back();
  return summary;
}

int BestOf(const std::vector<ErrorSummary>& models) {
  int best = -1;
  for (size_t m = 0; m < models.size(); ++m) {
    if (models[m].cell_count == 0 || !std::isfinite(models[m].median)) continue;
    if (best < 0 || models[m].median < models[best].median) best = static_cast<int>(m);
  }
  return best;
}

// The row that an entry belongs to: library, collective and size class. "" and the number of
// classes mean all.
using GroupKey = std::tuple<std::string, std::string, size_t>;
using Errors = std::vector<std::vector<double>>;  // by model

}  // namespace

absl::Span<const SizeClass> SizeClasses() { return kSizeClasses; }

Accuracy::Accuracy(const domain::Profile& profile, absl::Span<const Cell> cells,
                   const Corrections& corrections) {
  for (const model::Model* model : model::Models()) {
    const auto values = model::ValuesFor(*model, profile);
    if (values.ok()) {
      models_.push_back(model);
    } else {
      unpriced_.push_back({model, std::string(values.status().message())});
    }
  }
  MeasurePrices(profile, cells);
  MeasureCorrected(cells, corrections);
  SelectModels(corrections.model());
}

const std::string* Accuracy::Keep(const std::string& name) { return &*names_.insert(name).first; }

void Accuracy::MeasurePrices(const domain::Profile& profile, absl::Span<const Cell> cells) {
  std::vector<PreparedCell> prepared = PrepareCells(cells, profile.shape);
  DropContradictedDefaults(&prepared);
  unstructured_count_ =
      std::count_if(prepared.begin(), prepared.end(),
                    [](const PreparedCell& cell) { return cell.strategy == nullptr; });
  const ModelErrors measured = MeasureErrors(profile, prepared);
  for (size_t i = 0; i < measured.cells.size(); ++i) {
    const Cell& cell = *prepared[measured.cells[i]].cell;
    Entry entry{Keep(cell.library),
                Keep(cell.collective),
                SizeClassOf(static_cast<double>(cell.block_bytes)),
                {}};
    for (size_t m = 0; m < models_.size(); ++m) {
      entry.errors.push_back(static_cast<float>(measured.At(i, m)));
    }
    prices_.push_back(std::move(entry));
  }
}

void Accuracy::MeasureCorrected(absl::Span<const Cell> cells, const Corrections& corrections) {
  std::set<std::pair<absl::string_view, absl::string_view>> seen;
  for (const Cell& cell : cells) {
    if (!seen.emplace(cell.library, cell.collective).second) continue;
    for (absl::string_view algorithm : corrections.Algorithms(cell.library, cell.collective)) {
      for (const LeftOut& left_out :
           corrections.Find(cell.library, cell.collective, algorithm)->left_out()) {
        corrected_.push_back({Keep(cell.library),
                              Keep(cell.collective),
                              SizeClassOf(left_out.block_bytes),
                              {static_cast<float>(std::expm1(left_out.error))}});
      }
    }
  }
}

void Accuracy::SelectModels(absl::string_view machine_model) {
  size_t of_machine = models_.size();
  for (size_t m = 0; m < models_.size(); ++m) {
    if (models_[m]->id() == machine_model) of_machine = m;
  }
  if (of_machine == models_.size()) return;
  machine_model_ = models_[of_machine];
  for (const AccuracyRow& row : Rows({})) {
    if (row.collective.empty() || row.best < 0) continue;
    const ErrorSummary& best = row.models[row.best];
    const double clear = 1 + kClear / std::sqrt(static_cast<double>(best.cell_count));
    if (best.median * clear < row.models[of_machine].median) {
      selected_.emplace(row.collective, models_[row.best]);
    }
  }
}

const model::Model* Accuracy::SelectedFor(absl::string_view collective) const {
  const auto found = selected_.find(collective);
  return found == selected_.end() ? machine_model_ : found->second;
}

std::vector<AccuracyRow> Accuracy::Rows(const Question& question) const {
  return *Rows(question, {});
}

absl::StatusOr<std::vector<AccuracyRow>> Accuracy::Rows(
    const Question& question, const domain::IsCancelled& is_cancelled) const {
  // An entry takes a microsecond.
  constexpr int kEntriesPerQuestion = 1'024;
  domain::CallerWatch watch(is_cancelled, kEntriesPerQuestion);
  struct Sums {
    Errors prices;
    Errors corrected;
  };
  constexpr size_t kAllSizes = std::size(kSizeClasses);
  std::map<GroupKey, Sums> groups;
  const auto add = [&](const Entry& entry, Errors Sums::*part) {
    if (!question.library.empty() && *entry.library != question.library) return;
    if (!question.collective.empty() && *entry.collective != question.collective) return;
    const auto put = [&](const GroupKey& group) {
      Errors& errors = groups[group].*part;
      errors.resize(entry.errors.size());
      for (size_t m = 0; m < errors.size(); ++m) errors[m].push_back(entry.errors[m]);
    };
    put({question.by_library ? *entry.library : question.library, *entry.collective,
         question.by_size ? entry.size_class : kAllSizes});
    if (question.collective.empty()) put({question.library, "", kAllSizes});
  };
  for (const auto& [entries, part] :
       {std::pair(&prices_, &Sums::prices), std::pair(&corrected_, &Sums::corrected)}) {
    for (const Entry& entry : *entries) {
      if (watch.IsGone()) return watch.status();
      add(entry, part);
    }
  }

  std::vector<AccuracyRow> rows;
  domain::CallerWatch watch_of_groups(is_cancelled, 1);
  for (auto& [group, sums] : groups) {
    if (watch_of_groups.IsGone()) return watch_of_groups.status();
    AccuracyRow row;
    const auto& [library, collective, size_class] = group;
    row.library = library;
    row.collective = collective;
    if (size_class < kAllSizes) row.sizes = kSizeClasses[size_class];
    row.models.resize(models_.size());
    for (size_t m = 0; m < sums.prices.size(); ++m) {
      row.models[m] = Summarise(std::move(sums.prices[m]));
    }
    if (!sums.corrected.empty()) row.corrected = Summarise(std::move(sums.corrected.front()));
    row.best = BestOf(row.models);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cox::learn
