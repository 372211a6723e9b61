// Calibrates the time in which the processor is busy with messages: Hockney's alpha_cpu and
// beta_cpu. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_PROCESSOR_TIME_H_
#define COX_LEARN_CALIBRATE_PROCESSOR_TIME_H_

#include "absl/types/span.h"
#include "domain/level.h"
#include "learn/calibrate/calibrate.h"
#include "learn/samples.h"

namespace cox::learn {

// Adds both parameters of this level. They are the line through the overheads of sending (kind
// "overhead_send") plus the line of receiving ("overhead_recv"): a rank that sends a message also
// receives one. All samples must be of this level. Adds nothing without either kind.
void CalibrateProcessorTime(domain::Level level, absl::Span<const Sample* const> samples,
                            Calibration* calibration);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_PROCESSOR_TIME_H_
