// Bounds the open connections of each peer, so that none can take all that the daemon accepts.
//
// gRPC does not say when it closes a connection. So a connection is known by its descriptor and the
// kernel's cookie of the socket: once the descriptor is closed or another socket's, it is over. Any
// thread.
#ifndef COX_DAEMON_HOST_CONNECTION_SHARE_H_
#define COX_DAEMON_HOST_CONNECTION_SHARE_H_

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace cox::daemon {

// The host of a connection over TCP, as text: "10.0.0.7", or "2001:db8:0:7::/64". "": `fd` is no
// such connection.
std::string HostOf(int fd);
// A host may choose any address of its network of 64 bits, so all of them are one host.
std::string HostOf(const in6_addr& address);

class ConnectionShare {
 public:
  // `limit`: open connections of a peer; 0: no limit.
  explicit ConnectionShare(int64_t limit) : limit_(static_cast<size_t>(limit)) {}

  // Whether `peer` may have one more. Then `fd` counts as its connection until somebody closes it.
  bool Admit(int fd, const std::string& peer);

 private:
  struct Open {
    int fd;
    uint64_t cookie;
  };
  // With mutex_ held.
  static void RemoveClosed(std::vector<Open>& connections);

  const size_t limit_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::vector<Open>> connections_;  // closed ones, too
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_CONNECTION_SHARE_H_
