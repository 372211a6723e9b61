#include "daemon/host/grpc_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

// For the database's files, the log, and what libraries open.
constexpr int kReservedDescriptors = 64;
constexpr int kBacklog = 4'096;
// The last places are for operators: a sixteenth of all, and at most 64.
constexpr int kReservedShare = 16;
constexpr int kMostReserved = 64;
constexpr int kRestWithoutDescriptors_ms = 50;

struct SocketAddress {
  union {
    sockaddr_storage storage{};
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un un;
  };
  socklen_t bytes = sizeof(storage);
  std::string path{};  // of a socket's file; "": none
};

absl::Status CannotListen(const std::string& address, absl::string_view why) {
  if (absl::StrContains(why, "Address family not supported")) {
    return absl::UnavailableError(
        absl::StrCat("listen: cannot listen on ", address, ": ", why,
                     ". systemd's unit allows Unix sockets only: add network.conf to it"));
  }
  const bool lacks_folder = absl::StrContains(why, "No such file");
  return absl::UnavailableError(
      absl::StrCat("listen: cannot listen on ", address, ": ", why,
                   lacks_folder ? ". Make the folder of the socket, or choose another path"
                                : ". Is another daemon there? Choose another port, 0 for any free "
                                  "one, or another path"));
}

absl::StatusOr<SocketAddress> UnixAddress(absl::string_view name, bool is_abstract) {
  SocketAddress address;
  sockaddr_un& un = address.un;
  un.sun_family = AF_UNIX;
  const size_t offset = is_abstract ? 1 : 0;
  if (name.size() + offset >= sizeof(un.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("listen: the socket's name must be at most ",
                                                   sizeof(un.sun_path) - 2, " bytes"));
  }
  name.copy(un.sun_path + offset, name.size());
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + name.size() +
                                         (is_abstract ? 0 : 1));
  if (!is_abstract) address.path = std::string(name);
  return address;
}

absl::StatusOr<SocketAddress> Parse(const std::string& text) {
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix-abstract:")) return UnixAddress(rest, true);
  if (absl::ConsumePrefix(&rest, "unix:")) return UnixAddress(rest, false);
  const size_t colon = rest.rfind(':');
  std::string host(rest.substr(0, colon));
  int port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(colon + 1), &port)) {
    return absl::InvalidArgumentError(absl::StrCat("listen: no port in ", text));
  }
  if (host == "localhost") host = "127.0.0.1";
  SocketAddress address;
  sockaddr_in& v4 = address.v4;
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<uint16_t>(port));
    address.bytes = sizeof(v4);
    return address;
  }
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  sockaddr_in6& v6 = address.v6;
  if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("listen: no address in ", text));
  }
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(static_cast<uint16_t>(port));
  address.bytes = sizeof(v6);
  return address;
}

// A socket that a daemon left behind. Any other file stays, and bind() says that it is in the way.
void RemoveSocket(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) unlink(path.c_str());
}

// Before listen(): no client can connect until then.
absl::Status SetAccess(const std::string& path, const GrpcListener::Options& options) {
  if (!options.socket_group.empty()) {
    errno = 0;
    const group* const found = getgrnam(options.socket_group.c_str());
    if (found == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("socket-group: there is no group \"", options.socket_group, "\""));
    }
    if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0) {
      return absl::FailedPreconditionError(absl::StrCat("socket-group: cannot give ", path, " to ",
                                                        options.socket_group, ": ",
                                                        std::strerror(errno)));
    }
  }
  if (chmod(path.c_str(), options.socket_mode) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("socket-mode: cannot change ", path, ": ", std::strerror(errno)));
}

int RealPort(int fd) {
  SocketAddress address;
  if (getsockname(fd, &address.any, &address.bytes) != 0) return 0;
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

bool IsOutOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// The process's limit, raised as far as it can be.
int64_t RaisedDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1'024;
  const rlimit raised = {limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT32_MAX));
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Open(const Options& options) {
  const absl::StatusOr<SocketAddress> parsed = Parse(options.address);
  if (!parsed.ok()) return parsed.status();
  const int fd = socket(parsed->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Closes both if anything fails.
  auto listener = std::unique_ptr<GrpcListener>(new GrpcListener(options, fd, wake_fd));
  if (fd < 0 || wake_fd < 0) return CannotListen(options.address, std::strerror(errno));
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  RemoveSocket(parsed->path);
  if (bind(fd, &parsed->any, parsed->bytes) != 0) {
    return CannotListen(options.address, std::strerror(errno));
  }
  listener->path_ = parsed->path;
  if (!parsed->path.empty()) {
    if (absl::Status set = SetAccess(parsed->path, options); !set.ok()) return set;
  }
  if (listen(fd, kBacklog) != 0) return CannotListen(options.address, std::strerror(errno));
  if (parsed->any.sa_family != AF_UNIX) {
    const size_t colon = options.address.rfind(':');
    listener->address_ = absl::StrCat(options.address.substr(0, colon + 1), RealPort(fd));
  }
  return listener;
}

GrpcListener::GrpcListener(const Options& options, int fd, int wake_fd)
    : options_(options), address_(options.address), fd_(fd), wake_fd_(wake_fd) {}

GrpcListener::~GrpcListener() { Stop(); }

void GrpcListener::Start(Take take) {
  take_ = std::move(take);
  // A new descriptor gets the lowest free number, so its number bounds how many are open.
  const int lowest = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  close(lowest);
  const int64_t wanted = lowest + options_.max_connections;
  const int64_t possible = RaisedDescriptorLimit() - kReservedDescriptors;
  descriptor_limit_ = static_cast<int>(std::max<int64_t>(lowest + 1, std::min(wanted, possible)));
  reserved_from_ =
      descriptor_limit_ - std::min((descriptor_limit_ - lowest) / kReservedShare, kMostReserved);
  if (possible < wanted) {
    Log(LogLevel::kWarning, "fewer connections than max-connections: raise LimitNOFILE",
        {{"max_connections", absl::StrCat(options_.max_connections)},
         {"possible", absl::StrCat(descriptor_limit_ - lowest)}});
  }
  thread_ = std::thread([this] { Loop(); });
}

void GrpcListener::Stop() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    // Cannot fail: the counter is far from full.
    if (write(wake_fd_, &one, sizeof(one)) > 0) thread_.join();
  }
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  if (wake_fd_ >= 0) close(std::exchange(wake_fd_, -1));
  if (!path_.empty()) unlink(std::exchange(path_, {}).c_str());
}

void GrpcListener::Loop() {
  domain::NameThisThread("grpc-accept");
  while (AwaitConnection()) Accept();
}

// False: Stop() was called.
bool GrpcListener::AwaitConnection() const {
  pollfd ready[] = {{fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
  while (true) {
    const int count = poll(ready, 2, -1);
    if (ready[1].revents != 0) return false;
    if (count > 0) return true;
  }
}

void GrpcListener::Accept() {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    // The connection stays in the queue of the kernel.
    if (IsOutOfDescriptors(errno)) poll(nullptr, 0, kRestWithoutDescriptors_ms);
    return;
  }
  if (fd >= descriptor_limit_) {
    Refuse(fd);
    return;
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // no effect on a Unix socket
  take_(fd);
}

void GrpcListener::Refuse(int fd) {
  close(fd);
  CountRefusal();
  const std::optional<int64_t> suppressed = refusals_.Admit(NowMicros());
  if (!suppressed) return;
  Log(LogLevel::kWarning, "refused a connection: too many are open (max-connections)",
      {{"suppressed", absl::StrCat(*suppressed)}});
}

}  // namespace cox::daemon
