#include "service/convert/checks.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "service/limits.h"

namespace cox::service {

absl::Status InRange(absl::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return domain::InvalidField(field,
                              absl::StrCat("must be in ", low, "..", high, "; it is ", value));
}

absl::Status NoControlCharacters(absl::string_view field, absl::string_view value) {
  for (size_t i = 0; i < value.size(); ++i) {
    const auto byte = static_cast<unsigned char>(value[i]);
    const auto next = static_cast<unsigned char>(i + 1 < value.size() ? value[i + 1] : 0);
    const bool is_c1 = byte == 0xC2 && next >= 0x80 && next <= 0x9F;  // in UTF-8
    if (byte < 0x20 || byte == 0x7F || is_c1) {
      return domain::InvalidField(field, "must not hold control characters");
    }
  }
  return absl::OkStatus();
}

absl::Status Text(absl::string_view field, const std::string& value, size_t limit, bool required) {
  if (required && value.empty()) return domain::InvalidField(field, "is required");
  if (value.size() > limit) {
    return domain::InvalidField(
        field, absl::StrCat("must be at most ", limit, " bytes; it has ", value.size()));
  }
  return NoControlCharacters(field, value);
}

absl::Status CheckName(absl::string_view field, const std::string& value) {
  return Text(field, value, kMaxNameBytes, false);
}

absl::Status PositiveSeconds(absl::string_view field, double value) {
  if (std::isfinite(value) && value > 0) return absl::OkStatus();
  return domain::InvalidField(
      field, absl::StrCat("must be a finite number of seconds > 0; it is ", value));
}

absl::Status CheckBucket(absl::string_view field, double bucket_s, double least_s) {
  constexpr double kGreatestS = 1e9;
  if (bucket_s == 0 || (bucket_s >= least_s && bucket_s <= kGreatestS)) return absl::OkStatus();
  return domain::InvalidField(
      field, absl::StrCat("must be 0 or within ", least_s, "..1e9 seconds; it is ", bucket_s));
}

absl::Status FirstOf(std::initializer_list<absl::Status> checks) {
  for (const absl::Status& check : checks) {
    if (!check.ok()) return check;
  }
  return absl::OkStatus();
}

}  // namespace cox::service
