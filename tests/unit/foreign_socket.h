// A Unix socket of any user, to which everybody may connect; it answers nobody. Other users than
// the test's own need root.
#ifndef COX_TESTS_UNIT_FOREIGN_SOCKET_H_
#define COX_TESTS_UNIT_FOREIGN_SOCKET_H_

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "as_user.h"

namespace cox {

inline constexpr uid_t kAnotherUser = 54'321;

class ForeignSocket {
 public:
  // Binds `path`, in a folder where everybody may write from then on.
  ForeignSocket(const std::string& path, uid_t owner) : address_("unix:" + path) {
    chmod(path.substr(0, path.rfind('/')).c_str(), 0777);
    unlink(path.c_str());
    AsUser(owner, [&] {
      sockaddr_un name = {};
      name.sun_family = AF_UNIX;
      path.copy(name.sun_path, sizeof(name.sun_path) - 1);
      fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      is_bound_ =
          bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0 && listen(fd_, 16) == 0;
      chmod(path.c_str(), 0666);
    });
  }
  ~ForeignSocket() { close(fd_); }
  ForeignSocket(const ForeignSocket&) = delete;
  ForeignSocket& operator=(const ForeignSocket&) = delete;

  bool is_bound() const { return is_bound_; }
  const std::string& address() const { return address_; }
  // Lists of daemons with this one: alone, and beside one that is not there.
  std::vector<std::string> Lists() const { return {address_, address_ + "," + address_ + "-none"}; }
  // Waits until somebody connects, and hangs up.
  void AwaitVisit() const {
    pollfd ready = {fd_, POLLIN, 0};
    while (poll(&ready, 1, -1) < 1 || !WasVisited()) {
    }
  }
  // Whether somebody connected since the last time.
  bool WasVisited() const {
    const int visitor = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (visitor >= 0) close(visitor);
    return visitor >= 0;
  }

 private:
  const std::string address_;
  int fd_ = -1;
  bool is_bound_ = false;
};

}  // namespace cox

#endif  // COX_TESTS_UNIT_FOREIGN_SOCKET_H_
