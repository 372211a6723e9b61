// Reads PEM texts, and owns what OpenSSL allocates. Header only, any thread.
#ifndef COX_ACCESS_TLS_PEM_H_
#define COX_ACCESS_TLS_PEM_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace cox::access {

template <auto kFree>
struct OpensslFree {
  template <class T>
  void operator()(T* thing) const {
    kFree(thing);
  }
};
using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// Reads the text, which outlives it.
inline Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Nobody types a password for a daemon.
inline int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return -1;
}

// The next certificate; null at the end, and where one is damaged. OpenSSL's last error tells
// which.
inline Certificate NextCertificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, NoPassword, nullptr));
}

}  // namespace cox::access

#endif  // COX_ACCESS_TLS_PEM_H_
