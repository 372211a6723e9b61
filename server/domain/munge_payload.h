// What a credential of munge is for: its scheme in the header `authorization`, and its payload.
//
// Header only, because clients, the agent and coxd share it. Any thread, cannot fail.
#ifndef COX_DOMAIN_MUNGE_PAYLOAD_H_
#define COX_DOMAIN_MUNGE_PAYLOAD_H_

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// Before the credential in the header.
inline constexpr absl::string_view kMungeScheme = "Munge ";

// `host`: by which name the client calls the daemon. So another host's daemon cannot use the
// credential, whose munged does not know that it was used. `method`:
// "cox.v1.AdviceService/Recommend", so that it is good for this method only.
inline std::string MungePayload(absl::string_view host, absl::string_view method) {
  return absl::StrCat("coxswain 1 ", absl::AsciiStrToLower(host), " ", method);
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_MUNGE_PAYLOAD_H_
