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

namespace {

enum class Reach { kNoAddress, kThisHost, kOtherHosts };

Reach ReachOf(absl::string_view address) {
  if (IsUnixAddress(address)) {
    return address.substr(address.find(':') + 1).empty() ? Reach::kNoAddress : Reach::kThisHost;
  }
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return Reach::kNoAddress;
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return Reach::kNoAddress;
  }
  std::string host(address.substr(0, colon));
  if (host == "localhost") return Reach::kThisHost;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127 ? Reach::kThisHost : Reach::kOtherHosts;
  }
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&v6) ? Reach::kThisHost : Reach::kOtherHosts;
  }
  return Reach::kNoAddress;
}

}  // namespace

absl::Status CheckAddress(absl::string_view address, absl::string_view key) {
  if (ReachOf(address) != Reach::kNoAddress) return absl::OkStatus();
  return domain::InvalidField(
      key,
      absl::StrCat("must be 127.0.0.1:PORT, [::1]:PORT, localhost:PORT, unix:/PATH or, with TLS, "
                   "another IP:PORT; it is \"",
                   address.substr(0, 200), "\""));
}

absl::Status CheckLocalAddress(absl::string_view address, absl::string_view key) {
  if (absl::Status checked = CheckAddress(address, key); !checked.ok()) return checked;
  if (ReachOf(address) == Reach::kThisHost) return absl::OkStatus();
  if (key == "http") {
    return absl::FailedPreconditionError(
        absl::StrCat(key, ": ", address,
                     " is reachable from other hosts and has no TLS. Set tls-certificate and "
                     "tls-key, or listen on "
                     "127.0.0.1 and forward the port over SSH"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      key, ": ", address,
      " is reachable from other hosts and has no TLS: everyone on the way could read tokens and "
      "change answers. Set tls-certificate and tls-key, or munge-names and anonymous-role = "
      "\"none\", or listen on 127.0.0.1 or a Unix socket. --insecure true listens without any"));
}

bool IsUnixAddress(absl::string_view address) {
  return absl::StartsWith(address, "unix:") || absl::StartsWith(address, "unix-abstract:");
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
