#include "certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>

namespace cox {
namespace {

template <class Write>
std::string Pem(Write write) {
  BIO* const bio = BIO_new(BIO_s_mem());
  write(bio);
  char* data = nullptr;
  const long bytes = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(bytes));
  BIO_free_all(bio);
  return text;
}

void AddExtension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* NewCertificate(const std::string& name, EVP_PKEY* key, X509_NAME* issuer, long seconds) {
  X509* const certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  uint32_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial));
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3'600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), seconds);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate,
                       issuer != nullptr ? issuer : X509_get_subject_name(certificate));
  X509_set_pubkey(certificate, key);
  return certificate;
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& name) : key_(EVP_EC_gen("P-256")) {
  certificate_ = NewCertificate(name, key_, nullptr, 3'600);
  AddExtension(certificate_, certificate_, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate_, certificate_, NID_key_usage, "critical,keyCertSign,cRLSign");
  X509_sign(certificate_, key_, EVP_sha256());
}

CertificateAuthority::~CertificateAuthority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

std::string CertificateAuthority::certificate() const {
  return Pem([this](BIO* bio) { PEM_write_bio_X509(bio, certificate_); });
}

PemPair CertificateAuthority::Issue(const std::string& alternative_name, long seconds) const {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate =
      NewCertificate("issued", key, X509_get_subject_name(certificate_), seconds);
  AddExtension(certificate, certificate_, NID_subject_alt_name, alternative_name);
  X509_sign(certificate, key_, EVP_sha256());
  PemPair pair = {Pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); }), Pem([&](BIO* bio) {
                    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
                  })};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pair;
}

}  // namespace cox
