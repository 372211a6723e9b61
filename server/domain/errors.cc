#include "domain/errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cox::domain {
namespace {

constexpr absl::string_view kFieldUrl = "cox.field";
constexpr absl::string_view kRetryDelayUrl = "cox.retry_delay_s";

}  // namespace

absl::Status InvalidField(absl::string_view field, absl::string_view rule) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(field, ": ", rule));
  status.SetPayload(kFieldUrl, absl::Cord(field));
  return status;
}

std::string FieldOf(const absl::Status& status) {
  auto field = status.GetPayload(kFieldUrl);
  return field.has_value() ? std::string(*field) : std::string();
}

absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix) {
  if (status.ok()) return status;
  auto field = status.GetPayload(kFieldUrl);
  if (!field.has_value()) return status;
  absl::Status prefixed(status.code(), absl::StrCat(prefix, status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { prefixed.SetPayload(url, payload); });
  prefixed.SetPayload(kFieldUrl, absl::Cord(absl::StrCat(prefix, std::string(*field))));
  return prefixed;
}

absl::Status QuotaExceeded(absl::string_view message, double delay_s) {
  absl::Status status = absl::ResourceExhaustedError(message);
  status.SetPayload(kRetryDelayUrl, absl::Cord(absl::StrCat(delay_s)));
  return status;
}

std::optional<double> RetryDelayOf(const absl::Status& status) {
  const auto delay = status.GetPayload(kRetryDelayUrl);
  double delay_s = 0;
  if (!delay.has_value() || !absl::SimpleAtod(std::string(*delay), &delay_s)) return std::nullopt;
  return delay_s;
}

}  // namespace cox::domain
