#include "cli/files/measured_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "console/csv.h"
#include "console/median.h"

namespace cox::cli {
namespace {

// From the median absolute deviation to the standard deviation of a normal distribution.
constexpr double kSigmaOfDeviation = 1.4826;

// The columns that a step needs, in the order of a Run's key and numbers.
enum StepColumn : size_t {
  kStepKernel,
  kStepVariant,
  kStepRanks,
  kStepSize,
  kStepWork,
  kStepOperations,
  kStepColumns
};
constexpr absl::string_view kStepNames[kStepColumns] = {"kernel", "variant", "ranks",
                                                        "size",   "work_s",  "operations"};

// The places of the columns in a row of names.
absl::StatusOr<std::vector<size_t>> PlacesOf(const std::vector<std::string>& names) {
  std::vector<size_t> places;
  for (const absl::string_view name : kStepNames) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("has no column ", name, ": write the file with `cox-bench suite -o`"));
    }
    places.push_back(static_cast<size_t>(std::distance(names.begin(), found)));
  }
  return places;
}

bool IsOf(absl::string_view kernel, absl::string_view asked) {
  return asked.empty() || kernel == asked || kernel.substr(0, kernel.find('?')) == asked;
}

MeasuredStep Summarize(const std::vector<double>& steps_s, const std::set<std::string>& kernels) {
  MeasuredStep step;
  step.step_s = console::MedianOf(steps_s);
  std::vector<double> deviations_s;
  deviations_s.reserve(steps_s.size());
  for (const double one_s : steps_s) deviations_s.push_back(std::abs(one_s - step.step_s));
  step.std_error_s =
      steps_s.size() > 1 ? kSigmaOfDeviation * console::MedianOf(deviations_s) : step.step_s;
  step.runs = static_cast<int64_t>(steps_s.size());
  step.kernels = absl::StrJoin(kernels, ", ");
  return step;
}

}  // namespace

absl::StatusOr<MeasuredStep> ReadMeasuredStep(absl::string_view csv, absl::string_view kernel) {
  std::istringstream in{std::string(csv)};
  console::CsvReader reader(&in);
  console::CsvRecord record;
  reader.Next(record);
  const absl::StatusOr<std::vector<size_t>> places = PlacesOf(record.fields);
  if (!places.ok()) return places.status();
  const size_t least = *std::max_element(places->begin(), places->end());
  std::vector<double> steps_s;
  std::set<std::string> kernels;
  std::set<std::string> seen;
  while (reader.Next(record)) {
    const auto field = [&](StepColumn column) -> const std::string& {
      return record.fields[(*places)[column]];
    };
    double work_s = 0;
    double operations = 0;
    if (!record.error.ok() || record.fields.size() <= least ||
        !absl::SimpleAtod(field(kStepWork), &work_s) ||
        !absl::SimpleAtod(field(kStepOperations), &operations)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", record.line, " is not a row of `cox-bench suite -o`"));
    }
    if (field(kStepKernel).empty() || !IsOf(field(kStepKernel), kernel)) continue;
    const bool is_new = seen.insert(absl::StrJoin({field(kStepKernel), field(kStepVariant),
                                                   field(kStepRanks), field(kStepSize)},
                                                  " "))
                            .second;
    if (!is_new || !(work_s > 0) || !(operations > 0)) continue;
    steps_s.push_back(work_s / operations);
    kernels.insert(field(kStepKernel));
  }
  if (steps_s.empty()) {
    return absl::InvalidArgumentError(
        kernel.empty() ? std::string("has no kernel with local work")
                       : absl::StrCat("has no run of ", kernel, " with local work"));
  }
  return Summarize(steps_s, kernels);
}

}  // namespace cox::cli
