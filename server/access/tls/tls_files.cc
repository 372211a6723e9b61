#include "access/tls/tls_files.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "access/private_file.h"
#include "access/tls/pem.h"

namespace cox::access {
namespace {

constexpr std::streamsize kMaxFileBytes = 1 << 20;

absl::Status Wrong(absl::string_view setting, absl::string_view path, absl::string_view why) {
  ERR_clear_error();
  return absl::FailedPreconditionError(absl::StrCat(setting, ": ", path, ": ", why));
}

absl::StatusOr<std::string> Read(absl::string_view setting, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Wrong(setting, path, std::strerror(errno));
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() > kMaxFileBytes) return Wrong(setting, path, "it is larger than 1 MiB");
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// A text of PEM certificates; the first one.
absl::StatusOr<Certificate> FirstCertificate(absl::string_view setting, const std::string& path,
                                             const std::string& text) {
  const Bio bio = BioOf(text);
  Certificate first = NextCertificate(bio.get());
  if (first == nullptr) return Wrong(setting, path, "it has no certificate in PEM");
  while (NextCertificate(bio.get()) != nullptr) {
  }
  // Reading ends well only where there is nothing more.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return Wrong(setting, path, "one of its certificates is damaged");
  }
  ERR_clear_error();
  return first;
}

absl::Status CheckKey(const TlsFiles::Paths& paths, const std::string& text, X509* certificate) {
  if (IsOpenToAll(paths.key)) {
    return Wrong("tls-key", paths.key, "every user may read or write it; run chmod o-rwx");
  }
  const Bio bio = BioOf(text);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key == nullptr)
    return Wrong("tls-key", paths.key, "it has no private key in PEM without a password");
  if (X509_check_private_key(certificate, key.get()) != 1) {
    return Wrong("tls-key", paths.key, absl::StrCat("it is not the key of ", paths.certificate));
  }
  return absl::OkStatus();
}

}  // namespace

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status MemoryFile::Replace(absl::string_view text) {
  const int fd = memfd_create("cox-tls", MFD_CLOEXEC);
  bool done = fd >= 0 && WriteAll(fd, text);
  if (done && fd_ < 0) {
    fd_ = fd;
    return absl::OkStatus();
  }
  // Readers open the new file under the old number.
  done = done && dup3(fd, fd_, O_CLOEXEC) >= 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (done) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("tls: no memory for the certificate: ", std::strerror(error)));
}

std::string MemoryFile::path() const { return fd_ < 0 ? "" : absl::StrCat("/proc/self/fd/", fd_); }

absl::StatusOr<std::unique_ptr<TlsFiles>> TlsFiles::Open(Paths paths) {
  std::unique_ptr<TlsFiles> files(new TlsFiles(std::move(paths)));
  if (absl::Status read = files->Refresh(); !read.ok()) return read;
  return files;
}

absl::Status TlsFiles::Refresh() {
  ERR_clear_error();
  const absl::StatusOr<std::string> chain = Read("tls-certificate", paths_.certificate);
  if (!chain.ok()) return chain.status();
  const absl::StatusOr<std::string> key = Read("tls-key", paths_.key);
  if (!key.ok()) return key.status();
  absl::StatusOr<std::string> client_ca = std::string();
  if (!paths_.client_ca.empty()) {
    client_ca = Read("tls-client-ca", paths_.client_ca);
    if (!client_ca.ok()) return client_ca.status();
  }
  const std::string identity = absl::StrCat(*key, "\n", *chain);
  if (identity == identity_ && *client_ca == client_ca_text_) return absl::OkStatus();

  const absl::StatusOr<Certificate> own =
      FirstCertificate("tls-certificate", paths_.certificate, *chain);
  if (!own.ok()) return own.status();
  if (X509_cmp_current_time(X509_get0_notAfter(own->get())) < 0) {
    return Wrong("tls-certificate", paths_.certificate, "it has expired");
  }
  if (absl::Status checked = CheckKey(paths_, *key, own->get()); !checked.ok()) return checked;
  if (!paths_.client_ca.empty()) {
    const auto ca = FirstCertificate("tls-client-ca", paths_.client_ca, *client_ca);
    if (!ca.ok()) return ca.status();
    if (*client_ca != client_ca_text_) {
      std::shared_ptr<const ClientCa> next = ClientCa::Make(*client_ca);
      if (next == nullptr) return Wrong("tls-client-ca", paths_.client_ca, "OpenSSL refuses it");
      if (absl::Status put = client_ca_file_.Replace(*client_ca); !put.ok()) return put;
      client_ca_text_ = *std::move(client_ca);
      client_ca_ = std::move(next);
    }
  }
  if (identity != identity_) {
    if (absl::Status put = identity_file_.Replace(identity); !put.ok()) return put;
    identity_ = identity;
    identity_number_.fetch_add(1, std::memory_order_release);
  }
  return absl::OkStatus();
}

}  // namespace cox::access
