// Profiles and parameters: the API's messages and the domain's records. An error names the API's
// field. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_PROFILE_H_
#define COX_SERVICE_CONVERT_PROFILE_H_

#include <cox/v1/machine.pb.h>
#include <google/protobuf/repeated_ptr_field.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/parameter.h"
#include "store/records.h"

namespace cox::service {

// Parameters, provenance and note; checked against the models.
absl::StatusOr<store::ProfileRecord> ToRecord(absl::string_view machine,
                                              const v1::Profile& profile);
void FromRecord(const store::ProfileRecord& record, bool active, v1::Profile* profile);

// With the models' units.
void FromParameters(absl::Span<const domain::Parameter> parameters,
                    google::protobuf::RepeatedPtrField<v1::Parameter>* messages);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_PROFILE_H_
