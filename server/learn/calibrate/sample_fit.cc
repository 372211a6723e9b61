#include "learn/calibrate/sample_fit.h"

#include <vector>

#include "learn/calibrate/sample_kinds.h"

namespace cox::learn {

SampleFit::SampleFit(const ModelPlan& plan, domain::Level level, const domain::Shape& shape,
                     domain::CallerWatch* watch)
    : plan_(plan),
      level_(level),
      shape_(shape),
      watch_(watch),
      schedule_(std::make_unique<model::Schedule>()) {}

ParameterFit SampleFit::Fit(const Samples& samples, absl::Span<const Setting> settings,
                            absl::Span<const int> also) {
  if (watch_ != nullptr && watch_->IsGone()) return {};
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

void SampleFit::Make(const Sample& sample) {
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
  FindSampleKind(sample.kind)->build(sample, shape_, schedule_.get());
  evidence_.schedule = schedule_.get();
}

}  // namespace cox::learn
