#include "daemon/host/unix_peer.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace cox::daemon {
namespace {

// A user is in at most so many groups (NGROUPS_MAX).
constexpr size_t kMaxGroups = 65'536;

thread_local const PeerName* current = nullptr;

// As the kernel does: what does not fit is left out, and the length is that of the whole.
void Answer(const std::string& name, sockaddr* address, socklen_t* bytes) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  const size_t copied = name.copy(un.sun_path + 1, sizeof(un.sun_path) - 2);
  const auto whole = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + copied);
  std::memcpy(address, &un, std::min<size_t>(*bytes, whole));
  *bytes = whole;
}

}  // namespace

std::optional<UnixPeer> UnixPeerOf(int fd) {
  sockaddr_storage own{};
  socklen_t bytes = sizeof(own);
  ucred credentials{};
  socklen_t credentials_bytes = sizeof(credentials);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &bytes) != 0 || own.ss_family != AF_UNIX ||
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &credentials_bytes) != 0) {
    return std::nullopt;
  }
  UnixPeer peer;
  peer.user = credentials.uid;
  peer.groups.resize(64);
  for (;;) {
    auto group_bytes = static_cast<socklen_t>(peer.groups.size() * sizeof(gid_t));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &group_bytes) == 0) {
      peer.groups.resize(group_bytes / sizeof(gid_t));
      break;
    }
    // ERANGE: there are more, and the kernel says how many bytes they take.
    if (errno != ERANGE || peer.groups.size() >= kMaxGroups) {
      peer.groups.clear();
      break;
    }
    peer.groups.resize(std::max(2 * peer.groups.size(), group_bytes / sizeof(gid_t)));
  }
  peer.groups.push_back(credentials.gid);
  return peer;
}

uint64_t SocketCookie(int fd) {
  uint64_t cookie = 0;
  socklen_t bytes = sizeof(cookie);
  return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &bytes) == 0 ? cookie : 0;
}

std::optional<UnixPeer> UnixPeerAgain(int fd, uint64_t cookie) {
  std::optional<UnixPeer> peer = UnixPeerOf(fd);
  // After the question: the descriptor may have been closed and used again before.
  return cookie != 0 && SocketCookie(fd) == cookie ? peer : std::nullopt;
}

PeerName::PeerName(int fd, std::string name) : fd_(fd), name_(std::move(name)) { current = this; }
PeerName::~PeerName() { current = nullptr; }

}  // namespace cox::daemon

// Takes the place of libc's function in this program.
extern "C" __attribute__((visibility("default"))) int getpeername(
    int fd, sockaddr* __restrict address, socklen_t* __restrict bytes) noexcept {
  const cox::daemon::PeerName* const peer = cox::daemon::current;
  if (peer != nullptr && peer->fd() == fd) {
    cox::daemon::Answer(peer->name(), address, bytes);
    return 0;
  }
  return static_cast<int>(syscall(SYS_getpeername, fd, address, bytes));
}
