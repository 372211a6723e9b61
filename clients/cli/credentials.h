// The files with which cox proves to coxd who calls, and with which it checks that it talks to
// coxd. Options hold file names, never secrets.
#ifndef COX_CLI_CREDENTIALS_H_
#define COX_CLI_CREDENTIALS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "munge/munge.h"

namespace cox::cli {

struct Credentials {
  std::string token_file;       // "": no token
  std::string tls_ca;           // PEM that vouches for coxd; "": no TLS
  std::string tls_certificate;  // PEM, of cox itself; "": none
  std::string tls_key;          // PEM, of tls_certificate
  munge::Options munge;         // without a reader: no munge
  std::string server_user;      // of coxd, whose Unix socket cox trusts; "": CoxdUser() says
};

// The token in a file, without white space around it. FAILED_PRECONDITION if every user may read
// the file, INVALID_ARGUMENT if it holds no token; fails as ReadFile() does. No message has a part
// of the token.
absl::StatusOr<std::string> ReadToken(const std::string& path);

// The user whose Unix socket cox trusts beside root's and its own: server_user, else the reader of
// munge's credentials, who is coxd's user too, else servers::kUsualUser.
std::string CoxdUser(const Credentials& credentials);

// FAILED_PRECONDITION if a token would go over a network without TLS.
absl::Status CheckTokenIsSafe(absl::string_view server, const Credentials& credentials);

// Puts a new token into a new file that only its owner can read. ALREADY_EXISTS, NOT_FOUND,
// UNKNOWN; a failure leaves no new file.
absl::Status WriteToken(const std::string& path, const std::string& token);

}  // namespace cox::cli

#endif  // COX_CLI_CREDENTIALS_H_
