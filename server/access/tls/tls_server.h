// TLS over the sockets of a server that is not gRPC's, with the certificate that gRPC has.
#ifndef COX_ACCESS_TLS_TLS_SERVER_H_
#define COX_ACCESS_TLS_TLS_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "access/tls/tls_files.h"

struct ssl_st;
struct ssl_ctx_st;

namespace cox::access {

// The server's side of one connection, over a socket that does not block. One thread at a time.
class TlsStream {
 public:
  explicit TlsStream(ssl_st* session) : session_(session) {}  // owns it
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // These return as recv() and send() do, Accept() 1 when both sides agree. After -1 with EAGAIN,
  // wants() says which event of poll() to wait for before the same call. Any other error is final.
  ssize_t Accept();
  ssize_t Read(char* out, size_t size);
  ssize_t Write(const char* data, size_t size);
  short wants() const { return wants_; }

  // Whether Accept() was successful.
  bool is_open() const;
  // Whether Read() has bytes without a look at the socket.
  bool HasPending() const;
  // Tells the client that nothing follows. Does not wait for its answer.
  void End();

 private:
  // What a call of OpenSSL returned, as recv() says it.
  ssize_t Outcome(int result);

  ssl_st* const session_;
  short wants_ = 0;
};

// Any thread.
class TlsServer {
 public:
  // `files` outlives it. UNAVAILABLE if there is no memory, or OpenSSL refuses the certificate.
  static absl::StatusOr<std::unique_ptr<TlsServer>> Open(const TlsFiles* files);

  // Over a connected socket, which the caller closes, with the newest good certificate. Null: no
  // memory.
  std::unique_ptr<TlsStream> NewStream(int socket);

 private:
  using Context = std::shared_ptr<ssl_ctx_st>;

  explicit TlsServer(const TlsFiles* files) : files_(files) {}
  // Null if OpenSSL refuses the files.
  static Context Load(const TlsFiles& files);
  Context Newest();

  const TlsFiles* const files_;
  std::mutex mutex_;
  Context context_;
  int64_t identity_number_ = -1;  // of the files that were loaded
};

}  // namespace cox::access

#endif  // COX_ACCESS_TLS_TLS_SERVER_H_
