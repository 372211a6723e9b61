// A relay's answer to a report that it keeps: coxd has not answered yet, and the relay sends the
// report by itself. A client that sends it again under its number hears of its end. Header only,
// pure, any thread.
#ifndef COX_DOMAIN_REPORTS_SPOOLED_H_
#define COX_DOMAIN_REPORTS_SPOOLED_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// The payload that distinguishes it from other errors with its code.
inline constexpr absl::string_view kSpooledUrl = "cox.spooled";
// Its reason in google.rpc.ErrorInfo.
inline constexpr char kSpooledReason[] = "SPOOLED";

// UNAVAILABLE, for which IsSpooled() holds.
inline absl::Status Spooled(absl::string_view message) {
  absl::Status status = absl::UnavailableError(message);
  status.SetPayload(kSpooledUrl, absl::Cord());
  return status;
}

inline bool IsSpooled(const absl::Status& status) {
  return status.GetPayload(kSpooledUrl).has_value();
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_REPORTS_SPOOLED_H_
