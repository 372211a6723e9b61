// The provenance of a profile: the API's value and the store's name. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_PROVENANCE_H_
#define COX_SERVICE_CONVERT_PROVENANCE_H_

#include <cox/v1/machine.pb.h>

#include "absl/strings/string_view.h"

namespace cox::service {

// The store's name, "calibrated" and so on; "edited" for a value without a name.
absl::string_view ProvenanceName(v1::Provenance provenance);
// PROVENANCE_UNSPECIFIED for an unknown name.
v1::Provenance ToProvenance(absl::string_view name);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_PROVENANCE_H_
