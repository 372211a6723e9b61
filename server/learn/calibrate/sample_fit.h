// Fits a model's parameters at one level to samples: builds what each sample is the price of. One
// thread at a time.
#ifndef COX_LEARN_CALIBRATE_SAMPLE_FIT_H_
#define COX_LEARN_CALIBRATE_SAMPLE_FIT_H_

#include <memory>

#include "absl/types/span.h"
#include "domain/level.h"
#include "domain/shape.h"
#include "domain/sharing/caller_watch.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/model_samples.h"
#include "learn/calibrate/parameter_fit.h"
#include "model/schedule.h"

namespace cox::learn {

class SampleFit {
 public:
  // `plan`, the machine's `shape` and `watch` outlive it. Null: the caller always waits.
  SampleFit(const ModelPlan& plan, domain::Level level, const domain::Shape& shape,
            domain::CallerWatch* watch = nullptr);

  // FitParameters() with these samples, whose kinds the plan names. Nothing if the caller is gone.
  ParameterFit Fit(const Samples& samples, absl::Span<const Setting> settings,
                   absl::Span<const int> also);

 private:
  void Make(const Sample& sample);

  const ModelPlan& plan_;
  domain::Level level_;
  const domain::Shape& shape_;
  domain::CallerWatch* watch_;
  std::unique_ptr<model::Schedule> schedule_;
  Evidence evidence_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_SAMPLE_FIT_H_
