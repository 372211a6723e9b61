// Rules that fields of several messages share. Each returns OK or INVALID_ARGUMENT that names the
// field. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_CHECKS_H_
#define COX_SERVICE_CONVERT_CHECKS_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::service {

// low <= value <= high.
absl::Status InRange(absl::string_view field, int64_t value, int64_t low, int64_t high);

// No C0 or C1 control character and no DEL: texts reach terminals and logs, where such characters
// can hide or change what a person reads.
absl::Status NoControlCharacters(absl::string_view field, absl::string_view value);

// At most `limit` bytes without control characters; not empty if `required`.
absl::Status Text(absl::string_view field, const std::string& value, size_t limit, bool required);

// An optional name of at most kMaxNameBytes.
absl::Status CheckName(absl::string_view field, const std::string& value);

// Finite and > 0.
absl::Status PositiveSeconds(absl::string_view field, double value);

// 0, or within least_s..1e9.
absl::Status CheckBucket(absl::string_view field, double bucket_s, double least_s);

// The first error of several checks.
absl::Status FirstOf(std::initializer_list<absl::Status> checks);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_CHECKS_H_
