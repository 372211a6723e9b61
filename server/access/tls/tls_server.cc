#include "access/tls/tls_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace cox::access {
namespace {

// Of one call: OpenSSL takes an int.
constexpr size_t kMaxBytes = 1 << 20;

int Bounded(size_t size) { return static_cast<int>(std::min(size, kMaxBytes)); }

}  // namespace

TlsStream::~TlsStream() { SSL_free(session_); }

ssize_t TlsStream::Accept() {
  ERR_clear_error();
  return Outcome(SSL_accept(session_));
}

ssize_t TlsStream::Read(char* out, size_t size) {
  ERR_clear_error();
  return Outcome(SSL_read(session_, out, Bounded(size)));
}

ssize_t TlsStream::Write(const char* data, size_t size) {
  ERR_clear_error();
  return Outcome(SSL_write(session_, data, Bounded(size)));
}

bool TlsStream::is_open() const { return SSL_is_init_finished(session_) == 1; }

bool TlsStream::HasPending() const { return SSL_pending(session_) > 0; }

void TlsStream::End() {
  ERR_clear_error();
  SSL_shutdown(session_);
}

ssize_t TlsStream::Outcome(int result) {
  wants_ = 0;
  if (result > 0) return result;
  switch (SSL_get_error(session_, result)) {
    case SSL_ERROR_WANT_READ:
      wants_ = POLLIN;
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_WANT_WRITE:
      wants_ = POLLOUT;
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      errno = 0;
      return 0;
    default:
      errno = ECONNRESET;
      return -1;
  }
}

absl::StatusOr<std::unique_ptr<TlsServer>> TlsServer::Open(const TlsFiles* files) {
  std::unique_ptr<TlsServer> server(new TlsServer(files));
  if (server->Newest() == nullptr) {
    return absl::UnavailableError("http: OpenSSL cannot use tls-certificate and tls-key");
  }
  return server;
}

std::unique_ptr<TlsStream> TlsServer::NewStream(int socket) {
  const Context context = Newest();
  ERR_clear_error();
  SSL* const session = SSL_new(context.get());
  if (session == nullptr) return nullptr;
  auto stream = std::make_unique<TlsStream>(session);
  if (SSL_set_fd(session, socket) != 1) return nullptr;
  return stream;
}

TlsServer::Context TlsServer::Load(const TlsFiles& files) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const std::string identity = files.identity_path();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_use_certificate_chain_file(context.get(), identity.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), identity.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  // A write that has to wait goes on with the rest, wherever that lies then.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  return context;
}

TlsServer::Context TlsServer::Newest() {
  std::lock_guard lock(mutex_);
  const int64_t number = files_->identity_number();
  if (number != identity_number_) {
    // A certificate that OpenSSL refuses leaves the last good one.
    if (Context loaded = Load(*files_); loaded != nullptr) context_ = std::move(loaded);
    identity_number_ = number;
  }
  return context_;
}

}  // namespace cox::access
