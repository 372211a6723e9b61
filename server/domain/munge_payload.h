// What a credential of munge is for: its scheme in the header `authorization`, and its payload.
//
// A call's credential says who calls. A job's credential says that a user runs a job: root of the
// job's node makes it, clients/slurm/credential.c, with the payload "coxswain-job 1 JOB UID GID
// END_S"; END_S: the end of the job, in seconds since the Unix epoch. It begins like every text of
// munge. Whoever may see the network never sees it: the agent sends it inside a call's credential.
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
// How every credential begins.
inline constexpr absl::string_view kMungeBegin = "MUNGE:";
// Before the numbers in the payload of a job's credential.
inline constexpr absl::string_view kJobPayload = "coxswain-job 1 ";
// Between the payload of a call and the credential of the caller's job.
inline constexpr char kJobSeparator = '\n';

// `host`: by which name the client calls the daemon. So another host's daemon cannot use the
// credential, whose munged does not know that it was used. `method`:
// "cox.v1.AdviceService/Recommend", so that it is good for this method only.
inline std::string MungePayload(absl::string_view host, absl::string_view method) {
  return absl::StrCat("coxswain 1 ", absl::AsciiStrToLower(host), " ", method);
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_MUNGE_PAYLOAD_H_
