#include "learn/calibrate/model_calibration.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "learn/calibrate/fit_record.h"
#include "learn/calibrate/model_samples.h"
#include "learn/calibrate/parameter_fit.h"
#include "learn/calibrate/regimes.h"
#include "learn/calibrate/sample_fit.h"
#include "learn/calibrate/stated_parameters.h"

namespace cox::learn {
namespace {

// More would only cost time: FindBorders() fits every run of neighbours among them.
constexpr size_t kMostArguments = 64;
// The search for borders fits at most about this many samples at once: nine of each of the most
// groups, more of fewer.
constexpr size_t kMostSearched = 9 * kMostArguments;

// Neighbouring arguments between which no border is looked for.
struct Group {
  double first = 0;
  double last = 0;
};

// The arguments of the samples, ascending, at most kMostArguments groups of about equally many.
std::vector<Group> GroupsOf(const ModelPlan& plan, const Samples& samples) {
  std::set<double> distinct;
  for (const Sample* sample : samples) distinct.insert(plan.argument(*sample));
  const std::vector<double> arguments(distinct.begin(), distinct.end());
  const size_t count = std::min(arguments.size(), kMostArguments);
  std::vector<Group> groups;
  groups.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    groups.push_back({arguments[i * arguments.size() / count],
                      arguments[(i + 1) * arguments.size() / count - 1]});
  }
  return groups;
}

// How many parameters a regime has of its own.
int PiecewiseCount(const model::Model& model, domain::Level level) {
  const auto specs = model.parameters();
  return static_cast<int>(
      std::count_if(specs.begin(), specs.end(), [level](const model::ParameterSpec& spec) {
        return spec.level == level && !spec.argument.empty();
      }));
}

Samples Within(const ModelPlan& plan, const Samples& samples, double from, double to) {
  Samples selected;
  for (const Sample* sample : samples) {
    const double argument = plan.argument(*sample);
    if (argument >= from && argument <= to) selected.push_back(sample);
  }
  return selected;
}

// What every fit of one calibration has in common.
struct FitPlan {
  const ModelPlan& plan;
  domain::Level level;
  SampleFit fit;
  std::vector<Setting> settings;
  std::vector<int> also;

  ParameterFit FitTo(const Samples& samples) { return fit.Fit(samples, settings, also); }
};

// Some samples of each group, which count as much as all samples of the run.
class Search {
 public:
  Search(const ModelPlan& plan, const Samples& samples, const std::vector<Group>& groups) {
    for (const Group& group : groups) {
      const Samples all = Within(plan, samples, group.first, group.last);
      const Samples some = EvenlySpread(all, kMostSearched / groups.size());
      searched_.insert(searched_.end(), some.begin(), some.end());
      ends_.push_back({all.size() + ends_.back().all, searched_.size()});
    }
  }

  // How well one set of parameters fits the groups begin .. end - 1.
  Misfit MisfitOf(size_t begin, size_t end, FitPlan* fits) const {
    const auto first = searched_.begin();
    const Samples some(first + static_cast<ptrdiff_t>(ends_[begin].searched),
                       first + static_cast<ptrdiff_t>(ends_[end].searched));
    Misfit misfit;
    misfit.timings = static_cast<double>(ends_[end].all - ends_[begin].all);
    const double weight = misfit.timings / static_cast<double>(some.size());
    for (const double error : fits->FitTo(some).relative_errors) misfit.error_sum += weight * error;
    return misfit;
  }

 private:
  struct Count {
    size_t all = 0;
    size_t searched = 0;
  };
  Samples searched_;                     // group by group
  std::vector<Count> ends_ = {Count{}};  // samples before each group, and in all
};

void FitRegimes(const Samples& thinned, const std::vector<Group>& groups, FitPlan* fits,
                FitRecord* record) {
  const Search search(fits->plan, thinned, groups);
  std::vector<size_t> ends =
      FindBorders(groups.size(), PiecewiseCount(*fits->plan.model, fits->level),
                  [&](size_t begin, size_t end) { return search.MisfitOf(begin, end, fits); });
  ends.push_back(groups.size());
  size_t begin = 0;
  for (const size_t end : ends) {
    const Samples regime = Within(fits->plan, thinned, groups[begin].first, groups[end - 1].last);
    record->AddRegime(fits->FitTo(regime), regime.size(), begin == 0 ? 0 : groups[begin - 1].last);
    begin = end;
  }
}

}  // namespace

void CalibrateModel(const ModelPlan& plan, domain::Level level, const domain::Shape& shape,
                    absl::Span<const Sample* const> samples, domain::CallerWatch* watch,
                    Calibration* calibration) {
  if (samples.empty()) return;
  const ModelSamples selected = SelectSamples(plan, level, samples);
  if (selected.samples.empty()) return;
  FitRecord record(*plan.model, level, samples.front()->level, calibration);
  if (selected.are_only_ping_pongs) {
    record.Warn(absl::StrCat("no ", absl::StrJoin(plan.kinds, ", "),
                             " was measured; it is fitted to ping-pongs, which know no barrier and "
                             "one message at a time"));
  }
  FitPlan fits{plan, level, SampleFit(plan, level, shape, watch), {}, {}};
  fits.settings = ChooseSizes(plan, level, selected, &fits.fit);
  fits.also = ChooseExtras(plan, level, selected.samples, fits.settings, &fits.fit);
  const Samples thinned = Thin(selected.samples);
  if (plan.argument == nullptr) {
    record.AddRegime(fits.FitTo(thinned), thinned.size(), 0);
  } else {
    FitRegimes(thinned, GroupsOf(plan, selected.samples), &fits, &record);
  }
  if (record.is_empty()) return;
  for (const Setting& setting : fits.settings) record.AddSetting(setting, selected.samples.size());
  record.AddBufferLimit(samples);
  record.Finish(selected.samples.size());
}

}  // namespace cox::learn
