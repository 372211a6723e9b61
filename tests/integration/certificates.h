// Certificates of a test: a CA, and what it vouches for.
#ifndef COX_TESTS_INTEGRATION_CERTIFICATES_H_
#define COX_TESTS_INTEGRATION_CERTIFICATES_H_

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace cox {

struct PemPair {
  std::string certificate;
  std::string key;
};

// A CA of its own, good from now on for an hour.
class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  // In PEM.
  std::string certificate() const;
  // `alternative_name` is "DNS:node1" or "IP:127.0.0.1"; `seconds` from now is its end.
  PemPair Issue(const std::string& alternative_name, long seconds = 3'600) const;

 private:
  EVP_PKEY* key_;
  X509* certificate_;
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_CERTIFICATES_H_
