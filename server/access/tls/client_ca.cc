#include "access/tls/client_ca.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <atomic>
#include <ctime>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "access/tls/pem.h"

namespace cox::access {
namespace {

using Context = std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>>;

void FreeAll(STACK_OF(X509) * certificates) { sk_X509_pop_free(certificates, X509_free); }
using Certificates = std::unique_ptr<STACK_OF(X509), OpensslFree<FreeAll>>;

// Chains that a thread found good.
struct Good {
  int64_t ca_number;
  time_t end_s;
};
using GoodChains = absl::flat_hash_map<std::string, Good>;
constexpr size_t kMaxGoodChains = 256;

std::atomic<int64_t> made_count = 0;

// The first end of the certificates; 0: not known, so nothing is remembered.
time_t EndOf(const STACK_OF(X509) * chain) {
  time_t end_s = 0;
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    tm end = {};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(sk_X509_value(chain, i)), &end) != 1) return 0;
    const time_t one_s = timegm(&end);
    if (i == 0 || one_s < end_s) end_s = one_s;
  }
  return end_s;
}

absl::Status NotGood(absl::string_view why) {
  ERR_clear_error();
  return absl::UnauthenticatedError(
      absl::StrCat("the client's certificate does not count any more: ", why));
}

}  // namespace

std::shared_ptr<const ClientCa> ClientCa::Make(const std::string& pem) {
  const Store store(X509_STORE_new(), X509_STORE_free);
  const Bio bio = BioOf(pem);
  if (store == nullptr || bio == nullptr) return nullptr;
  while (const Certificate one = NextCertificate(bio.get())) {
    if (X509_STORE_add_cert(store.get(), one.get()) != 1) return nullptr;
  }
  ERR_clear_error();  // reading ends by one
  // A CA below the root may be named alone.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return std::shared_ptr<const ClientCa>(new ClientCa(store));
}

ClientCa::ClientCa(Store store) : store_(std::move(store)), number_(++made_count) {}

absl::Status ClientCa::Check(absl::string_view chain_pem) const {
  thread_local GoodChains good_chains;
  const auto known = good_chains.find(chain_pem);
  if (known != good_chains.end() && known->second.ca_number == number_ &&
      std::time(nullptr) < known->second.end_s) {
    return absl::OkStatus();
  }
  const std::string text(chain_pem);
  const Bio bio = BioOf(text);
  const Certificate leaf = NextCertificate(bio.get());
  if (leaf == nullptr) return NotGood("it cannot be read");
  const Certificates between(sk_X509_new_null());
  while (Certificate one = NextCertificate(bio.get())) {
    if (sk_X509_push(between.get(), one.get()) > 0) static_cast<void>(one.release());
  }
  const Context context(X509_STORE_CTX_new());
  if (context == nullptr ||
      X509_STORE_CTX_init(context.get(), store_.get(), leaf.get(), between.get()) != 1) {
    return NotGood("there is no memory to check it");
  }
  if (X509_verify_cert(context.get()) != 1) {
    return NotGood(X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get())));
  }
  ERR_clear_error();
  if (good_chains.size() >= kMaxGoodChains) good_chains.clear();
  good_chains.insert_or_assign(text,
                               Good{number_, EndOf(X509_STORE_CTX_get0_chain(context.get()))});
  return absl::OkStatus();
}

}  // namespace cox::access
