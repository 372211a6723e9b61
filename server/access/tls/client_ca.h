// The certificates that vouch for clients, as they are now. gRPC asks them when a connection
// begins; a connection, and a session of TLS that begins again, may live longer than the client's
// certificate, and longer than its CA. Immutable, any thread.
#ifndef COX_ACCESS_TLS_CLIENT_CA_H_
#define COX_ACCESS_TLS_CLIENT_CA_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct x509_store_st;

namespace cox::access {

class ClientCa {
 public:
  // `pem`: certificates, all of them valid PEM. Null if there is no memory.
  static std::shared_ptr<const ClientCa> Make(const std::string& pem);

  // `chain_pem`: the client's certificate, then those between it and its CA. UNAUTHENTICATED if it
  // has expired, or if none of these certificates vouches for it. A thread remembers the last
  // chains that were good, so most calls compute a hash.
  absl::Status Check(absl::string_view chain_pem) const;

 private:
  using Store = std::shared_ptr<x509_store_st>;

  explicit ClientCa(Store store);

  const Store store_;
  const int64_t number_;  // of those made since the start
};

}  // namespace cox::access

#endif  // COX_ACCESS_TLS_CLIENT_CA_H_
