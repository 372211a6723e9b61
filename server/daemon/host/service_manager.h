// Messages to the service manager that started the daemon (systemd's notify protocol,
// sd_notify(3)).
//
// One thread. Without a service manager nothing happens; a message that cannot be sent is lost.
#ifndef COX_DAEMON_HOST_SERVICE_MANAGER_H_
#define COX_DAEMON_HOST_SERVICE_MANAGER_H_

#include <chrono>
#include <functional>
#include <string>

namespace cox::daemon {

// Null where the variable is not set: getenv, or a test's own.
using Environment = std::function<const char*(const char*)>;

class ServiceManager {
 public:
  explicit ServiceManager(const Environment& environment);

  // "READY=1", "STOPPING=1", "WATCHDOG=1".
  void Notify(const std::string& message) const;

  // The watchdog must hear "WATCHDOG=1" once in this time; 0: there is no watchdog.
  std::chrono::microseconds watchdog_time() const { return watchdog_time_; }

 private:
  std::string socket_;  // "": none
  std::chrono::microseconds watchdog_time_{0};
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_SERVICE_MANAGER_H_
