#include "cli/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "files/file_io.h"
#include "files/system_error.h"
#include "servers/checked_channel.h"
#include "servers/server_list.h"

namespace cox::cli {
namespace {

constexpr size_t kMaxTokenBytes = 4'096;

}  // namespace

std::string CoxdUser(const Credentials& credentials) {
  if (!credentials.server_user.empty()) return credentials.server_user;
  return credentials.munge.reader.empty() ? servers::kUsualUser : credentials.munge.reader;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat status {};
  // What is no file has no token, and is nobody's to change.
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_mode & S_IRWXO) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": every user may read this token; make another one, and run chmod 600"));
  }
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const absl::string_view token = absl::StripAsciiWhitespace(*text);
  if (token.empty() || token.size() > kMaxTokenBytes ||
      !std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); })) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": holds no token; `cox token create` prints one"));
  }
  return std::string(token);
}

absl::Status CheckTokenIsSafe(absl::string_view server, const Credentials& credentials) {
  if (credentials.token_file.empty() || !credentials.tls_ca.empty() || servers::IsLocal(server)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the token is not sent to ", server,
                   ", because the network could read it: name the CA of coxd with --tls-ca"));
}

absl::Status WriteToken(const std::string& path, const std::string& token) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0 && errno == EEXIST) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": exists already"));
  }
  const std::string line = token + "\n";
  const bool written = fd >= 0 &&
                       write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (written) return absl::OkStatus();
  // Half a token is of no use, and its file would keep the next one from being written.
  if (fd >= 0) unlink(path.c_str());
  return SystemError(absl::StrCat(path, ": cannot be written"), error);
}

}  // namespace cox::cli
