// Where the daemon may listen: this host only.
#ifndef COX_DAEMON_HOST_LISTEN_ADDRESS_H_
#define COX_DAEMON_HOST_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::daemon {

// OK for unix:/path, unix-abstract:name, 127.x.y.z:port, [::1]:port and localhost:port.
// INVALID_ARGUMENT (field `key`) for anything that is not an address. FAILED_PRECONDITION for an
// address that other hosts can reach: TLS and tokens do not exist yet. Looks up no name.
absl::Status CheckListenAddress(absl::string_view address, absl::string_view key = "listen");

// UNAVAILABLE if `address` is unix:/PATH and another daemon answers there: listening would replace
// its socket. OK for all other addresses.
absl::Status CheckSocketFree(const std::string& address);

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_LISTEN_ADDRESS_H_
