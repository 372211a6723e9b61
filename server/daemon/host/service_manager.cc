#include "daemon/host/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"

namespace cox::daemon {

ServiceManager::ServiceManager(const Environment& environment) {
  if (const char* const socket = environment("NOTIFY_SOCKET"); socket != nullptr) socket_ = socket;
  const char* const time = environment("WATCHDOG_USEC");
  const char* const pid = environment("WATCHDOG_PID");
  int64_t of_pid = getpid();
  if (pid != nullptr && (!absl::SimpleAtoi(pid, &of_pid) || of_pid != getpid())) return;
  int64_t time_us = 0;
  if (time != nullptr && absl::SimpleAtoi(time, &time_us) && time_us > 0) {
    watchdog_time_ = std::chrono::microseconds(time_us);
  }
}

void ServiceManager::Notify(const std::string& message) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  socket_.copy(address.sun_path, socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const absl::Cleanup close_socket = [fd] { close(fd); };
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // An error means that the manager is gone.
  (void)sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), bytes);
}

}  // namespace cox::daemon
