#include "daemon/host/connection_share.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "daemon/host/unix_peer.h"

namespace cox::daemon {
namespace {

// Beyond this many peers, those without connections are forgotten.
constexpr size_t kMostPeers = 4'096;

std::string TextOf(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* const written =
      inet_ntop(family, address, text.data(), static_cast<socklen_t>(text.size()));
  return written == nullptr ? "" : written;
}

}  // namespace

std::string HostOf(int fd) {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_storage storage;
  } peer{};
  socklen_t bytes = sizeof(peer);
  if (getpeername(fd, &peer.any, &bytes) != 0) return "";
  if (peer.any.sa_family == AF_INET) return TextOf(AF_INET, &peer.v4.sin_addr);
  return peer.any.sa_family == AF_INET6 ? HostOf(peer.v6.sin6_addr) : "";
}

std::string HostOf(const in6_addr& address) {
  constexpr size_t kMappedFrom = 12;
  constexpr size_t kNetworkBytes = 8;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return TextOf(AF_INET, &address.s6_addr[kMappedFrom]);
  in6_addr network{};
  std::copy_n(address.s6_addr, kNetworkBytes, network.s6_addr);
  return TextOf(AF_INET6, &network) + "/64";
}

bool ConnectionShare::Admit(int fd, const std::string& peer) {
  if (limit_ == 0) return true;
  std::lock_guard lock(mutex_);
  if (peers_.size() >= kMostPeers && !peers_.contains(peer)) {
    absl::erase_if(peers_, [](auto& entry) {
      RemoveClosed(&entry.second.connections);
      return entry.second.connections.empty();
    });
  }
  Peer& of_peer = peers_[peer];
  if (of_peer.connections.size() >= limit_) {
    const Clock::time_point now = Clock::now();
    if (now < of_peer.next_look) return false;
    of_peer.next_look = now + rest_;
    RemoveClosed(&of_peer.connections);
  }
  if (of_peer.connections.size() >= limit_) return false;
  of_peer.connections.push_back({fd, SocketCookie(fd)});
  return true;
}

void ConnectionShare::RemoveClosed(std::vector<Open>* connections) {
  std::erase_if(*connections,
                [](const Open& open) { return SocketCookie(open.fd) != open.cookie; });
}

}  // namespace cox::daemon
