#include "advise/kernel.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "model/schedule.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kOperation = "operation";

struct KnobName {
  absl::string_view name;
  absl::string_view kernel;  // that has it
  int64_t least;
  int64_t KernelChoice::*value;
};
constexpr KnobName kKnobs[] = {
    {"oversampling", "sample-sort", 1, &KernelChoice::oversampling},
    {"largest_bucket", "sample-sort", 0, &KernelChoice::largest_bucket},
};

// The choice has its kernel.
absl::Status SetKnob(absl::string_view name, absl::string_view text, KernelChoice* choice) {
  for (const KnobName& knob : kKnobs) {
    if (knob.name != name) continue;
    if (knob.kernel != choice->kernel->name) {
      return domain::InvalidField("kernel", absl::StrCat(name, " is a knob of ", knob.kernel, ", ",
                                                         choice->kernel->name, " has no such one"));
    }
    int64_t value = 0;
    if (!absl::SimpleAtoi(text, &value) || value < knob.least) {
      return domain::InvalidField(
          "kernel", absl::StrCat(name, ": \"", text, "\" is not a whole number >= ", knob.least));
    }
    choice->*knob.value = value;
    return absl::OkStatus();
  }
  return domain::InvalidField("kernel", absl::StrCat("\"", name,
                                                     "\" is not a knob of kernels; choose "
                                                     "variant, oversampling or largest_bucket"));
}

// KernelScenario calls the size n, and its knobs are part of the field "kernel" here.
absl::Status WithApiField(const absl::Status& status) {
  const std::string field = domain::FieldOf(status);
  const bool is_knob = field == "oversampling" || field == "largest_bucket";
  if (field != "n" && !is_knob) return status;
  absl::string_view rule = status.message();
  if (!is_knob) rule.remove_prefix(3);  // "n: "
  return domain::InvalidField(is_knob ? "kernel" : "size", rule);
}

// Why the price has no local work; "" if it has it, or if there is none.
std::string WithoutWork(const PricedBy& priced_by, double operations) {
  if (!(operations > 0)) return "";
  const absl::Span<const model::ParameterSpec> specs = priced_by.model->parameters();
  const auto operation =
      std::find_if(specs.begin(), specs.end(), [](const model::ParameterSpec& spec) {
        return spec.level == domain::Level::kSelf && spec.name == kOperation;
      });
  const std::string missing =
      absl::StrFormat("without the local work, %g operations of each rank", operations);
  if (operation == specs.end()) return absl::StrCat(missing, ", which this model does not price");
  if ((*priced_by.values)[static_cast<size_t>(operation - specs.begin())] > 0) return "";
  return absl::StrCat(missing, ": the profile states no time of one (", priced_by.model->id(),
                      ".self.", kOperation, ")");
}

}  // namespace

absl::StatusOr<KernelChoice> ParseKernel(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('?', 1));
  absl::string_view variant;
  std::vector<std::pair<absl::string_view, absl::string_view>> settings;
  for (absl::string_view knob : absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    settings.emplace_back(absl::StrSplit(knob, absl::MaxSplits('=', 1)));
    if (settings.back().first != "variant") continue;
    variant = settings.back().second;
    settings.pop_back();
  }
  const auto kernel = strategy::FindKernel(parts.first, variant);
  if (!kernel.ok()) return kernel.status();
  KernelChoice choice{.kernel = *kernel};
  for (const auto& [name, text] : settings) {
    if (absl::Status set = SetKnob(name, text, &choice); !set.ok()) return set;
  }
  return choice;
}

absl::StatusOr<KernelAnswer> EvaluateKernel(const MachineView& machine,
                                            const KernelQuestion& question) {
  const auto choice = ParseKernel(question.kernel);
  if (!choice.ok()) return choice.status();
  strategy::KernelScenario scenario{.n = question.size,
                                    .ranks = question.ranks,
                                    .word_bytes = question.word_bytes,
                                    .largest_bucket = choice->largest_bucket,
                                    .shape = &machine.profile.shape};
  if (choice->oversampling > 0) scenario.oversampling = choice->oversampling;
  if (absl::Status valid = strategy::Validate(scenario); !valid.ok()) return WithApiField(valid);
  if (absl::Status applies = choice->kernel->applies(scenario); !applies.ok()) {
    return Named(question.kernel, applies);
  }
  const auto models = ModelsFor(machine, question.model);
  if (!models.ok()) return models.status();

  model::Schedule schedule;
  strategy::BuildKernel(*choice->kernel, scenario, &schedule);
  KernelAnswer answer;
  for (const model::Phase& phase : schedule) {
    const model::RankTraffic& any = phase.traffic.any;
    if (any.sends_count > 0 || any.receives_count > 0)
      answer.communication_phase_count += phase.times;
    answer.operations += phase.times * phase.work.operations;
  }
  for (const PricedBy& priced_by : *models) {
    answer.predictions.push_back(Price(priced_by, question.kernel, schedule));
    const std::string without = WithoutWork(priced_by, answer.operations);
    if (!without.empty()) AddCaveat(without, &answer.predictions.back());
  }
  return answer;
}

}  // namespace cox::advise
