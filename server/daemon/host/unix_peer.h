// The user at the other end of a Unix socket, and how gRPC gets to know him.
//
// gRPC tells a call's caller only by the name of its connection, and connections of a Unix socket
// have no names. So the daemon replaces getpeername(): while gRPC takes a connection over, it
// returns the name that PeerName gives. Any thread.
#ifndef COX_DAEMON_HOST_UNIX_PEER_H_
#define COX_DAEMON_HOST_UNIX_PEER_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cox::daemon {

struct UnixPeer {
  uid_t user = 0;
  std::vector<gid_t> groups;  // all of them, when it connected
};

// nullopt: `fd` is no connection of a Unix socket. The kernel noted the user when the peer
// connected.
std::optional<UnixPeer> UnixPeerOf(int fd);

// The kernel's number of the socket `fd`, unique since the start of the system; 0: it is no socket.
uint64_t SocketCookie(int fd);

// UnixPeerOf() a connection that was taken earlier: nullopt if `fd` is closed or another socket
// now.
std::optional<UnixPeer> UnixPeerAgain(int fd, uint64_t cookie);

// While it lives, this thread sees `name` as the peer of the Unix connection `fd`, as if the peer
// had bound the abstract name. At most 100 bytes.
class PeerName {
 public:
  PeerName(int fd, std::string name);
  ~PeerName();
  PeerName(const PeerName&) = delete;
  PeerName& operator=(const PeerName&) = delete;

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }

 private:
  const int fd_;
  const std::string name_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_UNIX_PEER_H_
