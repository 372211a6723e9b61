// The channel of a client to one daemon. At a Unix socket it checks first whose socket that is: a
// local user who binds the path before coxd does, or while coxd is away, is not coxd.
//
// The socket must belong to root, to the client's own user, or to the user of coxd that the client
// names. The check holds for the connection, too: gRPC connects to the very file that was checked
// (/proc/self/fd), not to what the path names by then.
//
// Not thread-safe; the channels are.
#ifndef COX_SERVERS_CHECKED_CHANNEL_H_
#define COX_SERVERS_CHECKED_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::servers {

// The user of coxd where nothing else is said: the one of its package's unit.
inline constexpr char kUsualUser[] = "coxswain";

// The user of coxd by the environment: COX_SERVER_USER, else COX_MUNGE, else kUsualUser. COX_MUNGE
// names the same user (munge/munge.h).
std::string UserFromEnvironment();

// gRPC's message about a channel to `server`, with the server's address in place of the file that
// gRPC was told to connect to.
std::string WithServer(absl::string_view message, absl::string_view server);

class CheckedChannel {
 public:
  struct Options {
    std::string server{};          // an address that ParseServers() accepts
    std::string user{kUsualUser};  // of coxd, by name or number; it need not be on this host
    std::shared_ptr<grpc::ChannelCredentials> credentials{};
    grpc::ChannelArguments arguments{};
  };
  explicit CheckedChannel(Options options);
  ~CheckedChannel();
  CheckedChannel(CheckedChannel&&) noexcept;
  CheckedChannel& operator=(CheckedChannel&&) noexcept;

  const std::string& server() const { return options_.server; }

  // The channel; the same one as before, as long as the path names the same file. Connects at its
  // first call. Before each call of the API ask for it anew: then a daemon that took the path
  // meanwhile is checked, too. A channel lives on without this object.
  //
  // PERMISSION_DENIED: the socket belongs to somebody else, refuses this user, or is none; for an
  // abstract socket always, because it has no owner. UNAVAILABLE: there is no file, or it cannot be
  // opened.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> Get();

 private:
  struct Socket;  // a file that was checked, and its channel

  absl::StatusOr<std::shared_ptr<grpc::Channel>> GetUnix(const std::string& path);
  absl::Status CheckOwner(const std::string& path, const Socket& socket) const;
  std::shared_ptr<grpc::Channel> Connect(const std::string& target) const;

  Options options_;
  std::shared_ptr<Socket> socket_;          // null: none yet, or not a Unix socket
  std::shared_ptr<grpc::Channel> channel_;  // null: none yet, or a Unix socket
};

// The daemons of a list whose channels may be used now.
struct Usable {
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  std::vector<size_t> indices;  // of each channel's daemon in the list
  absl::Status problem;         // of the others: one that is not UNAVAILABLE, if there is one
};
Usable FindUsable(absl::Span<CheckedChannel> daemons);

}  // namespace cox::servers

#endif  // COX_SERVERS_CHECKED_CHANNEL_H_
