// Errors that name the invalid field. Pure code says which field broke which rule; the service
// layer turns the field into google.rpc.BadRequest.
#ifndef COX_DOMAIN_ERRORS_H_
#define COX_DOMAIN_ERRORS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// INVALID_ARGUMENT "<field>: <rule>" with the field attached. `rule` says what is wrong, the value,
// the limit and, if there is one, the next step.
absl::Status InvalidField(absl::string_view field, absl::string_view rule);

// The field attached by InvalidField, or "" if there is none.
std::string FieldOf(const absl::Status& status);

// `status` with `prefix` put before its field and message ("requests[3]." + "ranks").
absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix);

// RESOURCE_EXHAUSTED by a limit of the caller's own, which has room again after `delay_s` seconds.
absl::Status QuotaExceeded(absl::string_view message, double delay_s);

// The delay attached by QuotaExceeded, seconds; nullopt: none is.
std::optional<double> RetryDelayOf(const absl::Status& status);

}  // namespace cox::domain

#endif  // COX_DOMAIN_ERRORS_H_
