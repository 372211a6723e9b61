// The published machines: published/*.textproto, compiled in, each a cox.v1.MachineDescription with
// parameters in the units of their publication. Constant
// data, any thread.
#ifndef COX_SERVICE_PUBLISHED_PUBLISHED_H_
#define COX_SERVICE_PUBLISHED_PUBLISHED_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/records.h"

namespace cox::service {

struct MachineText {
  absl::string_view file;
  absl::string_view text;
};

// In order of file name.
absl::Span<const MachineText> PublishedTexts();

// A value in a published unit ("us", "us/byte", "us/word4": per word of 4 bytes, ...) in the SI
// unit that the models use. INVALID_ARGUMENT, field "unit", for an unknown unit.
absl::StatusOr<double> ToSi(double value, absl::string_view unit);

// All of them, in SI units, provenance "published". If a model needs a parameter inside nodes that
// was published only between nodes, both get the same value. INVALID_ARGUMENT names the file.
absl::StatusOr<std::vector<store::PublishedMachine>> PublishedMachines();

}  // namespace cox::service

#endif  // COX_SERVICE_PUBLISHED_PUBLISHED_H_
