// Owns what OpenSSL allocates. Header only.
#ifndef COX_ACCESS_TLS_OPENSSL_FREE_H_
#define COX_ACCESS_TLS_OPENSSL_FREE_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
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

}  // namespace cox::access

#endif  // COX_ACCESS_TLS_OPENSSL_FREE_H_
