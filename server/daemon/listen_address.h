// Where the daemon may listen: this host only.
#ifndef COX_DAEMON_LISTEN_ADDRESS_H_
#define COX_DAEMON_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::daemon {

// OK for unix:/path, unix-abstract:name, 127.x.y.z:port, [::1]:port and localhost:port.
// INVALID_ARGUMENT (field "listen") for what is no address, FAILED_PRECONDITION for one that other
// hosts can reach: there is no TLS and there are no tokens yet, so everybody on the network could
// read and write. Nothing is looked up.
absl::Status CheckListenAddress(absl::string_view address);

// UNAVAILABLE if `address` is unix:/PATH and someone answers there: gRPC would take the path over
// without a word, and the other daemon could not be reached any more. OK for all other addresses.
absl::Status CheckSocketFree(const std::string& address);

}  // namespace cox::daemon

#endif  // COX_DAEMON_LISTEN_ADDRESS_H_
