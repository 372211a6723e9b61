#include "daemon/host/connection_share.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "daemon/host/unix_peer.h"

namespace cox::daemon {
namespace {

// Beyond this many peers, those without connections are forgotten.
constexpr size_t kMostPeers = 4'096;
// Where an address of IPv4 is in one of IPv6.
constexpr size_t kMappedFrom = 12;
constexpr const char* kThisHost = "this host";

std::string TextOf(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* const written =
      inet_ntop(family, address, text.data(), static_cast<socklen_t>(text.size()));
  return written == nullptr ? "" : written;
}

bool IsSame(const in6_addr& a, const in6_addr& b) { return IN6_ARE_ADDR_EQUAL(&a, &b); }

in6_addr Mapped(const in_addr& address) {
  in6_addr mapped{};
  mapped.s6_addr[kMappedFrom - 2] = mapped.s6_addr[kMappedFrom - 1] = 0xff;
  std::memcpy(mapped.s6_addr + kMappedFrom, &address, sizeof(address));
  return mapped;
}

// The addresses of this host's networks. They change seldom, and the kernel needs some
// microseconds to list them.
class OwnAddresses {
 public:
  bool Has(const in6_addr& address) {
    const std::lock_guard lock(mutex_);
    if (const auto now = std::chrono::steady_clock::now(); now >= next_look_) {
      next_look_ = now + kRest;
      Look();
    }
    return std::any_of(addresses_.begin(), addresses_.end(),
                       [&](const in6_addr& own) { return IsSame(own, address); });
  }

 private:
  static constexpr std::chrono::seconds kRest{10};

  void Look() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return;
    addresses_.clear();
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
      const sockaddr* const address = entry->ifa_addr;
      if (address == nullptr) continue;
      if (address->sa_family == AF_INET) {
        addresses_.push_back(Mapped(reinterpret_cast<const sockaddr_in*>(address)->sin_addr));
      } else if (address->sa_family == AF_INET6) {
        addresses_.push_back(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
      }
    }
    freeifaddrs(list);
  }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_look_;
  std::vector<in6_addr> addresses_;
};

bool IsThisHost(const in6_addr& address) {
  static OwnAddresses own;
  const bool is_loopback =
      IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[kMappedFrom] == IN_LOOPBACKNET;
  return is_loopback || IN6_IS_ADDR_LOOPBACK(&address) || own.Has(address);
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
  if (peer.any.sa_family == AF_INET) return HostOf(peer.v4.sin_addr);
  return peer.any.sa_family == AF_INET6 ? HostOf(peer.v6.sin6_addr) : "";
}

std::string HostOf(const in_addr& address) { return HostOf(Mapped(address)); }

std::string HostOf(const in6_addr& address) {
  constexpr size_t kNetworkBytes = 8;
  if (IsThisHost(address)) return kThisHost;
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
