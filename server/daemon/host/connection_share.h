// Bounds the open connections of each peer, so that none can take all that the daemon accepts.
//
// gRPC does not say when it closes a connection. So a connection is known by its descriptor and the
// kernel's cookie of the socket: once the descriptor is closed or another socket's, it is over. Any
// thread.
#ifndef COX_DAEMON_HOST_CONNECTION_SHARE_H_
#define COX_DAEMON_HOST_CONNECTION_SHARE_H_

#include <netinet/in.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace cox::daemon {

// The host of a connection over TCP, as text: "10.0.0.7", or "2001:db8:0:7::/64". "this host": all
// addresses of this host, among them the 16 million of loopback; its users can bind each of them.
// "": `fd` is no such connection.
std::string HostOf(int fd);
std::string HostOf(const in_addr& address);
// A host may choose any address of its network of 64 bits, so all of them are one host.
std::string HostOf(const in6_addr& address);

class ConnectionShare {
 public:
  // `limit`: open connections of a peer; 0: no limit. `rest`: after one look for closed connections
  // of a peer at its limit, until the next; each look asks the kernel about all of them.
  explicit ConnectionShare(int64_t limit,
                           std::chrono::milliseconds rest = std::chrono::milliseconds(50))
      : limit_(static_cast<size_t>(limit)), rest_(rest) {}

  // Whether `peer` may have one more. Then `fd` counts as its connection until somebody closes it;
  // for a peer at its limit, up to `rest` longer.
  bool Admit(int fd, const std::string& peer);

 private:
  struct Open {
    int fd;
    uint64_t cookie;
  };
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::vector<Open> connections;  // closed ones, too
    Clock::time_point next_look;    // for closed ones
  };
  // With mutex_ held.
  static void RemoveClosed(std::vector<Open>* connections);

  const size_t limit_;
  const std::chrono::milliseconds rest_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Peer> peers_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_CONNECTION_SHARE_H_
