// Listening TCP sockets.
#ifndef COX_GATEWAY_TRANSPORT_LISTENING_SOCKET_H_
#define COX_GATEWAY_TRANSPORT_LISTENING_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"

namespace cox::gateway {

struct ListeningSocket {
  int socket;           // does not block; the caller closes it
  std::string address;  // with the real port
};

// `address` is HOST:PORT or [HOST]:PORT, with a host that is localhost or a number. UNAVAILABLE,
// with the reason, if it cannot listen there.
absl::StatusOr<ListeningSocket> Listen(const std::string& address);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_TRANSPORT_LISTENING_SOCKET_H_
