// Where the daemon may listen, and what other hosts can reach.
#ifndef COX_DAEMON_HOST_LISTEN_ADDRESS_H_
#define COX_DAEMON_HOST_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::daemon {

// OK for unix:/path, unix-abstract:name, IP:port, [IPv6]:port and localhost:port. INVALID_ARGUMENT
// (field `key`) for anything else; other names than localhost are none. Looks up no name.
absl::Status CheckAddress(absl::string_view address, absl::string_view key);

// The same, and FAILED_PRECONDITION for an address that other hosts can reach: for what has no TLS.
absl::Status CheckLocalAddress(absl::string_view address, absl::string_view key);

// Whether the address is unix:/path or unix-abstract:name.
bool IsUnixAddress(absl::string_view address);

// UNAVAILABLE if `address` is unix:/PATH and another daemon answers there: listening would replace
// its socket. OK for all other addresses.
absl::Status CheckSocketFree(const std::string& address);

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_LISTEN_ADDRESS_H_
