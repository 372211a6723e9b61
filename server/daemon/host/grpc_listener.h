// The daemon's listening socket and the thread that accepts its connections.
//
// gRPC's own listener stops permanently when the process has no free descriptor. This one closes
// connections beyond a limit, reserves descriptors for the database, and waits while none are free.
//
// Start(), Stop() and the destructor: one thread. `take` runs on the accepting thread.
#ifndef COX_DAEMON_HOST_GRPC_LISTENER_H_
#define COX_DAEMON_HOST_GRPC_LISTENER_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "daemon/host/log_limit.h"

namespace cox::daemon {

class GrpcListener {
 public:
  struct Options {
    std::string address;          // CheckAddress() accepts it
    int64_t max_connections = 0;  // >= 1
    // Of the file of unix:/PATH. A group that is not empty must be one of the process, or it runs
    // as root.
    mode_t socket_mode = 0600;
    std::string socket_group{};
  };
  // A connection, non-blocking, to be closed by the callee.
  using Take = std::function<void(int fd)>;

  // Binds and listens; accepts nothing yet. Replaces a socket file that a daemon left behind.
  // UNAVAILABLE: the address is taken or cannot be bound; NOT_FOUND, FAILED_PRECONDITION: the
  // group.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Open(const Options& options);
  ~GrpcListener();  // stops
  GrpcListener(const GrpcListener&) = delete;
  GrpcListener& operator=(const GrpcListener&) = delete;

  // The address with the real port.
  const std::string& address() const { return address_; }

  // Accepts connections from now on. Raises the process's limit of descriptors; where even the hard
  // limit has no room for max_connections, fewer are accepted, and the log says so.
  void Start(Take take);
  // Connections that were closed at once because too many are open, and one that `take` has closed
  // for that reason. Any thread.
  int64_t refused_count() const { return refused_count_; }
  void CountRefusal() { ++refused_count_; }

  // Whether the connection has one of the last places, a sixteenth of all and at most 64. `take`
  // gives them to operators only, so that these still get in where others have all the rest.
  bool IsReserved(int fd) const { return fd >= reserved_from_; }
  // Closes a connection: too many are open. On the accepting thread, in `take`.
  void Refuse(int fd);

  // Closes the socket and removes its file. Connections that were taken live on.
  void Stop();

 private:
  GrpcListener(const Options& options, int fd, int wake_fd);

  void Loop();
  void Accept();
  bool AwaitConnection() const;

  const Options options_;
  std::string address_;
  std::string path_;  // of the socket's file; "": none
  int fd_;
  int wake_fd_;  // readable: end
  int descriptor_limit_ = 0;
  int reserved_from_ = 0;
  LogLimit refusals_{1, 10'000'000};
  std::atomic<int64_t> refused_count_{0};
  Take take_;
  std::thread thread_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_GRPC_LISTENER_H_
