#include "servers/checked_channel.h"

#include <fcntl.h>
#include <grpc/compression.h>
#include <grpcpp/create_channel.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "servers/user_number.h"

namespace cox::servers {
namespace {

// A descriptor's number follows. gRPC connects to this file, even if its path names another by
// then.
constexpr absl::string_view kTarget = "unix:/proc/self/fd/";
constexpr absl::string_view kDescriptors = kTarget.substr(5);  // without "unix:"

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

std::string UserFromEnvironment() {
  for (const char* name : {"COX_SERVER_USER", "COX_MUNGE"}) {
    if (std::string value = Variable(name); !value.empty()) return value;
  }
  return kUsualUser;
}

std::string WithServer(absl::string_view message, absl::string_view server) {
  const size_t at = message.find(kTarget);
  if (at == absl::string_view::npos) return std::string(message);
  const size_t end = message.find_first_not_of("0123456789", at + kTarget.size());
  return absl::StrCat(message.substr(0, at), server,
                      end == absl::string_view::npos ? "" : message.substr(end));
}

// While the descriptor is open, no other file can have this number of an inode.
struct CheckedChannel::Socket {
  Socket() = default;
  ~Socket() {
    channel.reset();
    if (fd >= 0) close(fd);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd = -1;  // of the file only, opened with O_PATH
  struct stat status = {};
  std::shared_ptr<grpc::Channel> channel;
};

CheckedChannel::CheckedChannel(Options options) : options_(std::move(options)) {}
CheckedChannel::~CheckedChannel() = default;
CheckedChannel::CheckedChannel(CheckedChannel&&) noexcept = default;
CheckedChannel& CheckedChannel::operator=(CheckedChannel&&) noexcept = default;

std::shared_ptr<grpc::Channel> CheckedChannel::Connect(const std::string& target) const {
  grpc::ChannelArguments arguments = options_.arguments;
  // Three megabytes of a false daemon would become gigabytes here. coxd compresses nothing.
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  return grpc::CreateCustomChannel(target, options_.credentials, arguments);
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> CheckedChannel::Get() {
  absl::string_view path = options_.server;
  if (absl::StartsWith(path, "unix-abstract:")) {
    return absl::PermissionDeniedError(absl::StrCat(
        options_.server, " has no owner that could be checked; let coxd listen at unix:/PATH"));
  }
  if (absl::ConsumePrefix(&path, "unix:")) return GetUnix(std::string(path));
  if (channel_ == nullptr) channel_ = Connect(options_.server);
  return channel_;
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> CheckedChannel::GetUnix(const std::string& path) {
  const auto socket = std::make_shared<Socket>();
  socket->fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (socket->fd < 0 && errno == EACCES) {
    return absl::PermissionDeniedError(
        absl::StrCat("this user may not enter the folder of the socket ", path,
                     ": ask who runs coxd to open the folder to you"));
  }
  if (socket->fd < 0 || fstat(socket->fd, &socket->status) != 0) {
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  const bool is_same = socket_ != nullptr && socket_->status.st_dev == socket->status.st_dev &&
                       socket_->status.st_ino == socket->status.st_ino;
  if (!is_same) {
    if (absl::Status checked = CheckOwner(path, *socket); !checked.ok()) return checked;
    const std::string file = absl::StrCat(kDescriptors, socket->fd);
    if (faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0 && errno == EACCES) {
      return absl::PermissionDeniedError(
          absl::StrCat("the socket ", path,
                       " refuses this user: coxd's settings socket-mode and socket-group "
                       "say who may connect"));
    }
    socket->channel = Connect(absl::StrCat(kTarget, socket->fd));
    socket_ = socket;
  }
  // The descriptor lives as long as the channel.
  return std::shared_ptr<grpc::Channel>(socket_, socket_->channel.get());
}

absl::Status CheckedChannel::CheckOwner(const std::string& path, const Socket& socket) const {
  if (!S_ISSOCK(socket.status.st_mode)) {
    return absl::PermissionDeniedError(absl::StrCat(path, " is no socket"));
  }
  const uid_t owner = socket.status.st_uid;
  if (owner == 0 || owner == geteuid() || owner == UserNumber(options_.user)) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "the socket ", path, " belongs to the user ", UserText(owner), ", not to root, to you or to ",
      options_.user, ": another program may have taken coxd's place. If coxd runs as that user, ",
      "say so with --server-user or COX_SERVER_USER"));
}

Usable FindUsable(absl::Span<CheckedChannel> daemons) {
  Usable usable;
  for (size_t i = 0; i < daemons.size(); ++i) {
    absl::StatusOr<std::shared_ptr<grpc::Channel>> channel = daemons[i].Get();
    if (channel.ok()) {
      usable.channels.push_back(*std::move(channel));
      usable.indices.push_back(i);
    } else if (usable.problem.ok() || !absl::IsUnavailable(channel.status())) {
      usable.problem = channel.status();
    }
  }
  return usable;
}

}  // namespace cox::servers
