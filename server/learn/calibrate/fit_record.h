// Writes one model's fit at one level down: parameters into the profile, the fit's report, and
// warnings. One thread at a time, never fails.
#ifndef COX_LEARN_CALIBRATE_FIT_RECORD_H_
#define COX_LEARN_CALIBRATE_FIT_RECORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "learn/calibrate/calibrate.h"
#include "learn/calibrate/parameter_fit.h"
#include "learn/samples.h"
#include "model/model.h"

namespace cox::learn {

class FitRecord {
 public:
  // The parameters are of `level`, the samples were taken at `sample_level`: sources say so where
  // the two differ. `calibration` and `model` outlive it.
  FitRecord(const model::Model& model, domain::Level level, domain::Level sample_level,
            Calibration* calibration);

  // The fit of the sizes above `above` bytes, up to the next border; 0: from the first size on.
  void AddRegime(const ParameterFit& fit, size_t sample_count, double above);
  // A stated size that was chosen because it fits best.
  void AddSetting(const Setting& setting, size_t sample_count);
  // The buffer's size, for a model that has one and where floods (of all the level's samples) were
  // timed.
  void AddBufferLimit(absl::Span<const Sample* const> samples);
  void Warn(absl::string_view text);

  // Whether no timing was fitted so far.
  bool is_empty() const { return errors_.empty(); }

  // Adds the report of all fits. Call it last, once.
  void Finish(size_t sample_count);

 private:
  void Keep(const FittedParameter& parameter, size_t sample_count, double above);
  void LeaveOut(const FittedParameter& parameter, size_t sample_count);
  void NotIdentified(int index);
  std::string NamesOf(absl::Span<const int> indices) const;
  void Set(int index, double value, double standard_error, double above, std::string source,
           std::string relation = "");

  const model::Model& model_;
  domain::Level level_;
  domain::Level sample_level_;
  Calibration& calibration_;
  std::vector<double> errors_;  // relative, of all timings
  ModelFit report_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_FIT_RECORD_H_
