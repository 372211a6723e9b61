#include "daemon/host/listen_address.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::daemon {

absl::Status CheckListenAddress(absl::string_view address, absl::string_view key) {
  const auto malformed = [&] {
    return domain::InvalidField(
        key,
        absl::StrCat("must be 127.0.0.1:PORT, [::1]:PORT, localhost:PORT or unix:/PATH; it is \"",
                     address.substr(0, 200), "\""));
  };
  if (absl::StartsWith(address, "unix:") || absl::StartsWith(address, "unix-abstract:")) {
    return address.substr(address.find(':') + 1).empty() ? malformed() : absl::OkStatus();
  }
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return malformed();
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return malformed();
  }
  std::string host(address.substr(0, colon));
  if (host == "localhost") return absl::OkStatus();
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    if ((ntohl(v4.s_addr) >> 24) == 127) return absl::OkStatus();
  } else if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    if (IN6_IS_ADDR_LOOPBACK(&v6)) return absl::OkStatus();
  } else if (host.empty() ||
             host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789.-_") != std::string::npos) {
    return malformed();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(key, ": ", address,
                   " is reachable from other hosts, and this version has no TLS and no tokens: "
                   "everybody there could read and change all data. Listen on 127.0.0.1 or a Unix "
                   "socket, and forward the port over SSH to reach it from elsewhere"));
}

absl::Status CheckSocketFree(const std::string& address) {
  constexpr absl::string_view kUnix = "unix:";
  if (!absl::StartsWith(address, kUnix)) return absl::OkStatus();
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  address.copy(path.sun_path, sizeof(path.sun_path) - 1, kUnix.size());
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return absl::OkStatus();  // listening will say why
  const bool answered = connect(probe, reinterpret_cast<const sockaddr*>(&path), sizeof(path)) == 0;
  close(probe);
  if (!answered) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("listen: another daemon answers at ", address,
                                             "; end it first, or choose another path"));
}

}  // namespace cox::daemon
