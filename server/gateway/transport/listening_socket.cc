#include "gateway/transport/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace cox::gateway {
namespace {

constexpr int kBacklog = 128;

absl::Status CannotListen(const std::string& address, const char* why) {
  return absl::UnavailableError(absl::StrCat(
      "http: cannot listen on ", address, ": ", why,
      "; choose another port with --http (0: any free one), or turn HTTP off with --http off"));
}

}  // namespace

absl::StatusOr<ListeningSocket> Listen(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
      error != 0) {
    return CannotListen(address, gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  const int listener =
      socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (listener < 0) return CannotListen(address, strerror(errno));
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in6 bound{};
  socklen_t size = sizeof(bound);
  if (bind(listener, found->ai_addr, found->ai_addrlen) != 0 || listen(listener, kBacklog) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    const int error = errno;
    close(listener);
    return CannotListen(address, strerror(error));
  }
  // Both families have the port at the same place.
  return ListeningSocket{listener,
                         absl::StrCat(address.substr(0, colon + 1), ntohs(bound.sin6_port))};
}

}  // namespace cox::gateway
