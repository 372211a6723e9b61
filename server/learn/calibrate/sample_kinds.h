// The kinds of samples that a calibration takes, each as a schedule that every model can price.
// calibration_plan.h lists what a kind tells about a model. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_SAMPLE_KINDS_H_
#define COX_LEARN_CALIBRATE_SAMPLE_KINDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "domain/shape.h"
#include "learn/samples.h"
#include "model/schedule.h"

namespace cox::learn {

struct SampleKind {
  absl::string_view name;
  // Fills a schedule of one phase, on a machine of this shape, so that a model is fitted to what it
  // predicts with. Null for times without a schedule (overheads, floods).
  void (*build)(const Sample& sample, const domain::Shape& shape, model::Schedule* schedule);
  bool needs_counts;  // whether ranks, messages and senders have to be given
};

// Null for an unknown kind.
const SampleKind* FindSampleKind(absl::string_view name);

// "pingpong, gap, ...": for messages.
std::string SampleKindNames();

// OK, or INVALID_ARGUMENT with the field ("kind", "pairs", "block_bytes", "time_s", "ranks",
// "messages", "senders") that is out of range for its kind, all prefixed by `prefix`.
absl::Status CheckSample(const Sample& sample, absl::string_view prefix);

// The ranks that take part and those that send, with defaults where the sample leaves them open.
double RanksOf(const Sample& sample);
double SendersOf(const Sample& sample);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_SAMPLE_KINDS_H_
