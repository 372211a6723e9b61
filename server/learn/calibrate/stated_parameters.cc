#include "learn/calibrate/stated_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

#include "model/models/models.h"

namespace cox::learn {
namespace {

// A later size, or more parameters, must reduce the loss at least to this share.
constexpr double kClearlyBetter = 0.98;
constexpr double kWorthMoreParameters = 0.9;
constexpr size_t kMostTrials = 16;
constexpr int64_t kLeastPacketBytes = 128;
// C3's set-up is tried as 0 and powers of two, in units.
constexpr int kMostSetupDoublings = 20;

// Some of the sizes that were sent, the largest first: a packet may have one of them.
std::vector<int64_t> PacketSizes(const Samples& samples) {
  std::set<int64_t, std::greater<>> sizes;
  for (const Sample* sample : samples) {
    if (sample->block_bytes >= kLeastPacketBytes) sizes.insert(sample->block_bytes);
  }
  std::vector<int64_t> chosen;
  const size_t step = (sizes.size() + kMostTrials - 1) / kMostTrials;
  size_t i = 0;
  for (const int64_t size : sizes) {
    if (i++ % std::max<size_t>(1, step) == 0) chosen.push_back(size);
  }
  if (chosen.empty()) chosen.push_back(kLeastPacketBytes);
  return chosen;
}

using Trial = std::vector<Setting>;

std::vector<Trial> TrialsOf(const ModelPlan& plan, domain::Level level, const Samples& samples) {
  const int size_index = IndexOf(*plan.model, level, plan.size_parameter);
  const bool is_c3 = plan.model->id() == model::C3().id();
  const int setup_index = is_c3 ? IndexOf(*plan.model, level, "s") : -1;
  std::vector<Trial> trials;
  for (const int64_t size : PacketSizes(samples)) {
    const Setting packet = {size_index, static_cast<double>(size)};
    if (setup_index < 0) {
      trials.push_back({packet});
      continue;
    }
    trials.push_back({packet, {setup_index, 0}});
    for (int k = 0; k <= kMostSetupDoublings; ++k) {
      trials.push_back({packet, {setup_index, std::ldexp(1, k)}});
    }
  }
  return trials;
}

}  // namespace

std::vector<Setting> ChooseSizes(const ModelPlan& plan, domain::Level level,
                                 const ModelSamples& selected, SampleFit* fit) {
  if (plan.size_choice == SizeChoice::kNone) return {};
  if (plan.size_choice == SizeChoice::kSmallMessage) {
    return {{IndexOf(*plan.model, level, plan.size_parameter),
             static_cast<double>(selected.small_bytes)}};
  }
  const Samples thinned = Thin(selected.samples);
  const std::vector<int> also = ExtraIndices(plan, level);
  Trial best;
  double best_loss = HUGE_VAL;
  for (const Trial& trial : TrialsOf(plan, level, selected.samples)) {
    const double loss = fit->Fit(thinned, trial, also).loss;
    if (!(loss < kClearlyBetter * best_loss)) continue;
    best_loss = loss;
    best = trial;
  }
  return best;
}

std::vector<int> ChooseExtras(const ModelPlan& plan, domain::Level level, const Samples& samples,
                              const std::vector<Setting>& settings, SampleFit* fit) {
  std::vector<int> extras = ExtraIndices(plan, level);
  if (extras.empty()) return {};
  const Samples thinned = Thin(samples);
  const ParameterFit plain = fit->Fit(thinned, settings, {});
  if (plain.parameters.empty()) return extras;
  const bool is_better =
      fit->Fit(thinned, settings, extras).loss < kWorthMoreParameters * plain.loss;
  return is_better ? extras : std::vector<int>();
}

}  // namespace cox::learn
