// The daemon's certificate, its key, and the certificates that vouch for clients.
//
// Refresh() accepts a replaced file only if it is complete and valid; until then the last valid one
// stays in use. Valid content is copied to files in memory, because gRPC reads the files itself and
// would accept a broken one. Refresh(): one thread at a time; the paths: any thread.
#ifndef COX_ACCESS_TLS_TLS_FILES_H_
#define COX_ACCESS_TLS_TLS_FILES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "access/tls/client_ca.h"

namespace cox::access {

// A file in memory whose whole text is replaced at once.
class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // UNAVAILABLE if there is no memory or no descriptor; then the text stays as it was.
  absl::Status Replace(absl::string_view text);
  // For this process; "" before the first Replace().
  std::string path() const;

 private:
  int fd_ = -1;
};

class TlsFiles {
 public:
  struct Paths {
    std::string certificate;  // PEM: the server's own first, then those between it and its CA
    std::string key;          // PEM, without a password
    std::string client_ca;    // PEM; "": none
  };

  // FAILED_PRECONDITION, with the setting and the file: not readable, not PEM, the key is another
  // certificate's or readable by every user, or the certificate has expired.
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Open(Paths paths);

  // Reads the files again. Fails as Open() does; then the last good ones stay.
  absl::Status Refresh();

  // The path of one file with key and certificates, so that gRPC sees both change together.
  std::string identity_path() const { return identity_file_.path(); }
  // "": no client CA.
  std::string client_ca_path() const { return client_ca_file_.path(); }
  // Null: there is none. Any thread.
  std::shared_ptr<const ClientCa> client_ca() const { return client_ca_.load(); }
  // Grows when a new identity was taken over. Any thread.
  int64_t identity_number() const { return identity_number_.load(std::memory_order_acquire); }

 private:
  explicit TlsFiles(Paths paths) : paths_(std::move(paths)) {}

  const Paths paths_;
  std::string identity_;  // what is in the files in memory
  std::string client_ca_text_;
  std::atomic<std::shared_ptr<const ClientCa>> client_ca_;
  MemoryFile identity_file_;
  std::atomic<int64_t> identity_number_{0};
  MemoryFile client_ca_file_;
};

}  // namespace cox::access

#endif  // COX_ACCESS_TLS_TLS_FILES_H_
