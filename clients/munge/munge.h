// Makes the credential of munge with which a client proves to coxd on another node which user it
// runs as.
//
// Any thread. Waits for munged of this host: usually 0.1 ms, seconds if it hangs.
#ifndef COX_MUNGE_MUNGE_H_
#define COX_MUNGE_MUNGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::munge {

struct Options {
  std::string reader{};  // coxd's user, by name or number: it and root alone can read credentials
  std::string socket{};  // of munged; "": where libmunge expects it
  // Of the job that this process is part of (domain/munge_payload.h); "": none.
  std::string job_credential{};
};

// COX_MUNGE and COX_MUNGE_SOCKET; no reader: no munge.
Options FromEnvironment();

// Whether the kernel does not tell `server` already who connects, as over a Unix socket.
bool IsUseful(absl::string_view server);

// The header `authorization` of one call. `server`: HOST:PORT; `path`:
// "/cox.v1.AdviceService/Recommend". INVALID_ARGUMENT: there is no such user; UNAVAILABLE: munged
// does not answer.
absl::StatusOr<std::string> Authorization(const Options& options, absl::string_view server,
                                          absl::string_view path);

}  // namespace cox::munge

#endif  // COX_MUNGE_MUNGE_H_
