#include "learn/calibrate/model_samples.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>

namespace cox::learn {
namespace {

constexpr absl::string_view kPingPongOnly[] = {"pingpong"};

bool Contains(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsShortOnly(const ModelPlan& plan) { return plan.size_choice == SizeChoice::kSmallMessage; }

Samples OfKinds(absl::Span<const absl::string_view> kinds, const ModelPlan& plan,
                absl::Span<const Sample* const> all, int64_t small_bytes) {
  Samples selected;
  for (const Sample* sample : all) {
    if (IsShortOnly(plan) && sample->block_bytes > small_bytes) continue;
    if (!Contains(kinds, sample->kind)) continue;
    if (plan.uses == nullptr || plan.uses(*sample)) selected.push_back(sample);
  }
  return selected;
}

// A barrier's time depends on the ranks that it joins. The relations are of the largest number.
void KeepLargestBarriers(Samples* samples) {
  int64_t most = 0;
  for (const Sample* sample : *samples) most = std::max(most, sample->ranks);
  std::erase_if(*samples, [&](const Sample* sample) {
    return sample->kind == "barrier" && sample->ranks < most;
  });
}

void AddDirect(const ModelPlan& plan, absl::Span<const Sample* const> all, int64_t small_bytes,
               Samples* samples) {
  for (const DirectKind& direct : plan.direct) {
    for (const Sample* sample : all) {
      if (sample->kind != direct.kind) continue;
      if (!direct.small_only || sample->block_bytes <= small_bytes) samples->push_back(sample);
    }
  }
}

}  // namespace

Samples EvenlySpread(const Samples& samples, size_t most) {
  const size_t count = std::min(samples.size(), most);
  Samples spread;
  spread.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    spread.push_back(samples[(2 * i + 1) * samples.size() / (2 * count)]);
  }
  return spread;
}

ModelSamples SelectSamples(const ModelPlan& plan, domain::Level level,
                           absl::Span<const Sample* const> all) {
  const int64_t small_bytes = SmallMessageBytes(all);
  ModelSamples selected;
  // Samples of a channel say nothing where the level has no channel.
  const bool lacks_extras = !plan.extras.empty() && ExtraIndices(plan, level).empty();
  selected.samples =
      OfKinds(lacks_extras ? absl::Span<const absl::string_view>(kPingPongOnly) : plan.kinds, plan,
              all, small_bytes);
  KeepLargestBarriers(&selected.samples);
  if (!selected.samples.empty()) {
    AddDirect(plan, all, small_bytes, &selected.samples);
    if (IsShortOnly(plan)) selected.small_bytes = std::max<int64_t>(1, small_bytes);
    return selected;
  }
  selected.samples = OfKinds(kPingPongOnly, plan, all, small_bytes);
  selected.are_only_ping_pongs = !selected.samples.empty();
  return selected;
}

std::vector<int> ExtraIndices(const ModelPlan& plan, domain::Level level) {
  std::vector<int> indices;
  for (const absl::string_view name : plan.extras) {
    const int index = IndexOf(*plan.model, level, name);
    if (index >= 0) indices.push_back(index);
  }
  return indices;
}

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
    const Samples some = EvenlySpread(same, kMostAlike);
    thinned.insert(thinned.end(), some.begin(), some.end());
  }
  return EvenlySpread(thinned, kMostSamples);
}

}  // namespace cox::learn
