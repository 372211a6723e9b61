// Where a profile comes from, in the API and in the store. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_PROVENANCE_H_
#define COX_SERVICE_CONVERT_PROVENANCE_H_

#include <cox/v1/machine.pb.h>

#include "absl/strings/string_view.h"

namespace cox::service {

// The store's name, "calibrated" and so on; "edited" for a value that has none.
absl::string_view ProvenanceName(v1::Provenance provenance);
// PROVENANCE_UNSPECIFIED for an unknown name.
v1::Provenance ToProvenance(absl::string_view name);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_PROVENANCE_H_
