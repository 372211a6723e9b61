#include "learn/calibrate/model_calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "learn/calibrate/buffer_limit.h"
#include "learn/calibrate/parameter_fit.h"
#include "learn/calibrate/regimes.h"
#include "learn/calibrate/sample_kinds.h"
#include "learn/median.h"
#include "model/models/models.h"

namespace cox::learn {
namespace {

using Samples = std::vector<const Sample*>;

// A size, or more parameters, must fit better by this to be taken.
constexpr double kClearlyBetter = 0.98;
constexpr double kWorthMoreParameters = 0.9;
// How many sizes are tried as a packet's.
constexpr size_t kMostTrials = 16;
constexpr int64_t kLeastPacketBytes = 128;
// Set-ups that are tried for C3, in units: 0 and powers of two.
constexpr int kMostSetupDoublings = 20;
constexpr absl::string_view kPingPongOnly[] = {"pingpong"};
// As many timings of one thing say what there is to say.
constexpr size_t kMostAlike = 9;

bool Contains(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of many timings of the same thing, some that are spread as all of them are.
Samples Thin(const Samples& samples) {
  std::map<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t, int64_t>, Samples> alike;
  for (const Sample* sample : samples) {
    alike[{sample->kind, sample->pairs, sample->block_bytes, sample->ranks, sample->messages,
           sample->senders}]
        .push_back(sample);
  }
  Samples thinned;
  for (auto& [key, same] : alike) {
    std::sort(same.begin(), same.end(),
              [](const Sample* a, const Sample* b) { return a->time_s < b->time_s; });
    const size_t count = std::min(same.size(), kMostAlike);
    for (size_t i = 0; i < count; ++i) {
      thinned.push_back(same[(2 * i + 1) * same.size() / (2 * count)]);
    }
  }
  return thinned;
}

// One fit: of some samples, with some settings.
class Evidences {
 public:
  Evidences(const ModelPlan& plan, domain::Level level)
      : plan_(plan), level_(level), schedule_(std::make_unique<model::Schedule>()) {}

  ParameterFit Fit(const Samples& samples, absl::Span<const Setting> settings,
                   absl::Span<const int> also) {
    std::vector<double> times_s;
    times_s.reserve(samples.size());
    for (const Sample* sample : samples) times_s.push_back(sample->time_s);
    return FitParameters(
        *plan_.model, level_, times_s,
        [&](size_t i) -> const Evidence& {
          Make(*samples[i]);
          return evidence_;
        },
        settings, also);
  }

 private:
  void Make(const Sample& sample) {
    evidence_.shares.clear();
    evidence_.schedule = nullptr;
    for (const DirectKind& direct : plan_.direct) {
      if (direct.kind != sample.kind) continue;
      evidence_.shares.push_back({IndexOf(*plan_.model, level_, direct.parameter), 1});
      if (!direct.per_byte.empty()) {
        evidence_.shares.push_back({IndexOf(*plan_.model, level_, direct.per_byte),
                                    static_cast<double>(sample.block_bytes)});
      }
      return;
    }
    FindSampleKind(sample.kind)->build(sample, schedule_.get());
    evidence_.schedule = schedule_.get();
  }

  const ModelPlan& plan_;
  domain::Level level_;
  std::unique_ptr<model::Schedule> schedule_;
  Evidence evidence_;
};

class ModelCalibration {
 public:
  ModelCalibration(const ModelPlan& plan, domain::Level level,
                   absl::Span<const Sample* const> samples, Calibration* calibration)
      : plan_(plan),
        model_(*plan.model),
        level_(level),
        all_(samples),
        evidences_(plan, level),
        calibration_(*calibration) {}

  void Run() {
    Select();
    if (samples_.empty()) return;
    ChooseSize();
    ChooseExtras();
    report_.model = std::string(model_.id());
    report_.level = level_;
    report_.sample_count = static_cast<int64_t>(samples_.size());
    if (plan_.argument == nullptr) {
      FitRegime(Thin(samples_), 0);
    } else {
      FitRegimes();
    }
    if (errors_.empty()) return;
    report_.median_relative_error = MedianOf(std::move(errors_));
    KeepSettings();
    KeepBufferLimit();
    calibration_.fits.push_back(std::move(report_));
  }

 private:
  // The samples that inform the model; ping-pongs where it has none of its own.
  void Select() {
    const int64_t small_bytes = SmallMessageBytes(all_);
    const bool short_only = plan_.size_choice == SizeChoice::kSmallMessage;
    const auto select = [&](absl::Span<const absl::string_view> kinds) {
      Samples selected;
      for (const Sample* sample : all_) {
        if (short_only && sample->block_bytes > small_bytes) continue;
        if (!Contains(kinds, sample->kind)) continue;
        if (plan_.uses == nullptr || plan_.uses(*sample)) selected.push_back(sample);
      }
      return selected;
    };
    // What a level has no channel for is not asked of one.
    const bool lacks_extras = !plan_.extras.empty() && ExtraIndices().empty();
    samples_ =
        select(lacks_extras ? absl::Span<const absl::string_view>(kPingPongOnly) : plan_.kinds);
    KeepLargestBarriers();
    if (samples_.empty()) {
      samples_ = select(kPingPongOnly);
      if (!samples_.empty()) {
        Warn(absl::StrCat("no ", absl::StrJoin(plan_.kinds, ", "),
                          " was measured; it is fitted to ping-pongs, which know no barrier and "
                          "one message at a time"));
      }
      return;
    }
    for (const DirectKind& direct : plan_.direct) {
      for (const Sample* sample : all_) {
        if (sample->kind != direct.kind) continue;
        if (!direct.small_only || sample->block_bytes <= small_bytes) samples_.push_back(sample);
      }
    }
    if (short_only) size_bytes_ = std::max<int64_t>(1, small_bytes);
  }

  // A barrier's time is of the ranks that it joins: those of the relations.
  void KeepLargestBarriers() {
    int64_t most = 0;
    for (const Sample* sample : samples_) most = std::max(most, sample->ranks);
    samples_.erase(std::remove_if(samples_.begin(), samples_.end(),
                                  [&](const Sample* sample) {
                                    return sample->kind == "barrier" && sample->ranks < most;
                                  }),
                   samples_.end());
  }

  std::vector<double> Arguments() const {
    std::set<double> arguments;
    for (const Sample* sample : samples_) arguments.insert(plan_.argument(*sample));
    return {arguments.begin(), arguments.end()};
  }

  // Sizes that a packet may have: some of those that were sent, the largest first.
  std::vector<int64_t> PacketSizes() const {
    std::set<int64_t, std::greater<>> sizes;
    for (const Sample* sample : samples_) {
      if (sample->block_bytes >= kLeastPacketBytes) sizes.insert(sample->block_bytes);
    }
    std::vector<int64_t> chosen;
    const size_t step = (sizes.size() + kMostTrials - 1) / kMostTrials;
    size_t i = 0;
    for (const int64_t size : sizes) {
      if (i++ % std::max<size_t>(1, step) == 0) chosen.push_back(size);
    }
    return chosen;
  }

  void ChooseSize() {
    if (plan_.size_choice == SizeChoice::kNone) return;
    const int size_index = IndexOf(model_, level_, plan_.size_parameter);
    if (plan_.size_choice == SizeChoice::kSmallMessage) {
      settings_.push_back({size_index, static_cast<double>(size_bytes_)});
      return;
    }
    std::vector<int64_t> sizes = PacketSizes();
    if (sizes.empty()) sizes.push_back(kLeastPacketBytes);
    const int setup_index = model_.id() == model::C3().id() ? IndexOf(model_, level_, "s") : -1;
    const Samples thinned = Thin(samples_);
    double best_loss = HUGE_VAL;
    const std::vector<int> also = ExtraIndices();
    const auto try_settings = [&](const std::vector<Setting>& settings) {
      const double loss = evidences_.Fit(thinned, settings, also).loss;
      if (loss < kClearlyBetter * best_loss) {
        best_loss = loss;
        settings_ = settings;
      }
    };
    for (const int64_t size : sizes) {
      const Setting packet = {size_index, static_cast<double>(size)};
      if (setup_index < 0) {
        try_settings({packet});
        continue;
      }
      try_settings({packet, {setup_index, 0}});
      for (int k = 0; k <= kMostSetupDoublings; ++k) {
        try_settings({packet, {setup_index, std::ldexp(1, k)}});
      }
    }
  }

  std::vector<int> ExtraIndices() const {
    std::vector<int> indices;
    for (const absl::string_view name : plan_.extras) {
      const int index = IndexOf(model_, level_, name);
      if (index >= 0) indices.push_back(index);
    }
    return indices;
  }

  // Parameters that are usually stated need to be worth their while; a model without others has
  // nothing else.
  void ChooseExtras() {
    const std::vector<int> indices = ExtraIndices();
    if (indices.empty()) return;
    const Samples thinned = Thin(samples_);
    const ParameterFit plain = evidences_.Fit(thinned, settings_, {});
    if (plain.parameters.empty() ||
        evidences_.Fit(thinned, settings_, indices).loss < kWorthMoreParameters * plain.loss) {
      also_ = indices;
    }
  }

  void FitRegimes() {
    const std::vector<double> arguments = Arguments();
    const Samples thinned = Thin(samples_);
    const auto within = [&](const Samples& samples, double from, double to) {
      Samples selected;
      for (const Sample* sample : samples) {
        const double argument = plan_.argument(*sample);
        if (argument >= from && argument <= to) selected.push_back(sample);
      }
      return selected;
    };
    int parameters = 0;
    for (const model::ParameterSpec& spec : model_.parameters()) {
      if (spec.level == level_ && !spec.argument.empty()) ++parameters;
    }
    const std::vector<size_t> borders =
        FindBorders(arguments.size(), parameters, [&](size_t i, size_t j) {
          const Samples some = within(thinned, arguments[i], arguments[j - 1]);
          Misfit misfit;
          for (double error : evidences_.Fit(some, settings_, also_).relative_errors) {
            misfit.error_sum += error;
          }
          misfit.timings = static_cast<double>(some.size());
          return misfit;
        });
    size_t begin = 0;
    for (size_t k = 0; k <= borders.size(); ++k) {
      const size_t end = k < borders.size() ? borders[k] : arguments.size();
      const double above = begin == 0 ? 0 : arguments[begin - 1];
      FitRegime(within(thinned, arguments[begin], arguments[end - 1]), above);
      if (begin > 0) report_.breakpoints_bytes.push_back(above);
      begin = end;
    }
  }

  void FitRegime(const Samples& samples, double above) {
    const ParameterFit fit = evidences_.Fit(samples, settings_, also_);
    errors_.insert(errors_.end(), fit.relative_errors.begin(), fit.relative_errors.end());
    for (const FittedParameter& parameter : fit.parameters) {
      if (parameter.identified) {
        Keep(parameter, samples.size(), above);
      } else if (above == 0) {
        LeaveOut(parameter, samples.size());
      }
    }
  }

  void Warn(absl::string_view text) {
    calibration_.warnings.push_back(
        absl::StrCat(model_.id(), " at level ", domain::LevelName(level_), ": ", text));
  }

  std::string NamesOf(absl::Span<const int> indices) const {
    return absl::StrJoin(indices, ", ", [&](std::string* out, int index) {
      absl::StrAppend(out, model_.parameters()[index].name);
    });
  }

  void NotIdentified(int index) {
    const std::string name(model_.parameters()[index].name);
    auto& names = report_.not_identified;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  void Set(int index, double value, double standard_error, double above, std::string source,
           std::string relation = "") {
    if (all_.front()->level != level_) {
      absl::StrAppend(&source, " at level ", domain::LevelName(all_.front()->level));
    }
    domain::Parameter parameter;
    parameter.model = std::string(model_.id());
    parameter.level = level_;
    parameter.name = std::string(model_.parameters()[index].name);
    parameter.value = value;
    parameter.stderr_ = standard_error;
    parameter.above = above;
    parameter.source = std::move(source);
    parameter.relation = std::move(relation);
    calibration_.profile.Set(std::move(parameter));
  }

  void Keep(const FittedParameter& parameter, size_t sample_count, double above) {
    const bool is_piecewise = !model_.parameters()[parameter.index].argument.empty();
    if (above > 0 && !is_piecewise) return;
    std::string source = absl::StrCat("calibrated: ", sample_count, " samples");
    if (!parameter.tied_to.empty()) {
      NotIdentified(parameter.index);
      absl::StrAppend(&source, ", cost shared evenly with ", NamesOf(parameter.tied_to));
      // Once for the group.
      if (above == 0 && parameter.index < parameter.tied_to.front()) {
        Warn(absl::StrCat("these samples do not tell ", model_.parameters()[parameter.index].name,
                          " from ", NamesOf(parameter.tied_to), "; the cost is shared evenly"));
      }
    }
    Set(parameter.index, parameter.value, parameter.stderr_, above, std::move(source));
  }

  void LeaveOut(const FittedParameter& parameter, size_t sample_count) {
    const model::ParameterSpec& spec = model_.parameters()[parameter.index];
    NotIdentified(parameter.index);
    if (spec.required && std::isfinite(parameter.bound)) {
      Warn(absl::StrCat("these samples do not show ", spec.name,
                        ": something slower always hides it; it is only bounded"));
      Set(parameter.index, parameter.bound, parameter.bound, 0,
          absl::StrCat("calibrated: bounded by ", sample_count, " samples"), "<=");
      return;
    }
    Warn(absl::StrCat("these samples do not show ", spec.name,
                      spec.required ? ", without which it cannot be priced" : "; it is left out"));
  }

  // Sizes that were chosen rather than fitted.
  void KeepSettings() {
    for (const Setting& setting : settings_) {
      Set(setting.index, setting.value, 0, 0,
          absl::StrCat("calibrated: chosen to fit ", samples_.size(), " samples"));
    }
  }

  void KeepBufferLimit() {
    const int buffer = IndexOf(model_, level_, "B_L");
    if (buffer < 0) return;
    const domain::Parameter* gap = calibration_.profile.Find(model_.id(), level_, "g_r");
    const domain::Parameter* per_byte = calibration_.profile.Find(model_.id(), level_, "g_r_byte");
    std::vector<Flood> floods;
    double bytes = 0;
    for (const Sample* sample : all_) {
      if (sample->kind != "flood") continue;
      floods.push_back({static_cast<double>(sample->messages), sample->time_s});
      bytes = static_cast<double>(sample->block_bytes);
    }
    if (floods.empty() || gap == nullptr) return;
    const double gap_s = gap->value + (per_byte != nullptr ? per_byte->value * bytes : 0);
    if (const auto limit = BufferLimit(floods, gap_s)) {
      Set(buffer, *limit, 0.1 * *limit, 0,
          absl::StrCat("calibrated: ", floods.size(), " floods of messages of ", bytes, " B"));
      return;
    }
    NotIdentified(buffer);
    Warn("the floods did not fill a buffer; B_L is left out: no limit");
  }

  const ModelPlan& plan_;
  const model::Model& model_;
  domain::Level level_;
  absl::Span<const Sample* const> all_;  // of the level
  Evidences evidences_;
  Calibration& calibration_;
  Samples samples_;  // of these, those that inform the model
  int64_t size_bytes_ = 1;
  std::vector<Setting> settings_;
  std::vector<int> also_;
  std::vector<double> errors_;
  ModelFit report_;
};

}  // namespace

void CalibrateModel(const ModelPlan& plan, domain::Level level,
                    absl::Span<const Sample* const> samples, Calibration* calibration) {
  if (samples.empty()) return;
  ModelCalibration(plan, level, samples, calibration).Run();
}

void CalibrateLocalWork(absl::Span<const Sample* const> samples, Calibration* calibration) {
  static constexpr absl::string_view kLocal[] = {"copy", "reduce"};
  for (const absl::string_view kind : kLocal) {
    Samples of_kind;
    for (const Sample* sample : samples) {
      if (sample->kind == kind && sample->block_bytes > 0) of_kind.push_back(sample);
    }
    if (of_kind.empty()) continue;
    const ModelPlan plan = {&model::Hockney(), kLocal, nullptr, {}, "",
                            SizeChoice::kNone, {},     nullptr};
    const int index = IndexOf(model::Hockney(), domain::Level::kSelf, kind);
    const ParameterFit fit = Evidences(plan, domain::Level::kSelf).Fit(Thin(of_kind), {}, {});
    for (const FittedParameter& fitted : fit.parameters) {
      if (fitted.index != index || !fitted.identified) continue;
      for (const model::Model* model : model::Models()) {
        if (IndexOf(*model, domain::Level::kSelf, kind) < 0) continue;
        domain::Parameter parameter;
        parameter.model = std::string(model->id());
        parameter.level = domain::Level::kSelf;
        parameter.name = std::string(kind);
        parameter.value = fitted.value;
        parameter.stderr_ = fitted.stderr_;
        parameter.source = absl::StrCat("calibrated: ", of_kind.size(), " samples");
        calibration->profile.Set(std::move(parameter));
      }
      ModelFit report;
      report.model = absl::StrCat("all: ", kind);
      report.level = domain::Level::kSelf;
      report.sample_count = static_cast<int64_t>(of_kind.size());
      report.median_relative_error = fit.median_relative_error;
      calibration->fits.push_back(std::move(report));
    }
  }
}

}  // namespace cox::learn
