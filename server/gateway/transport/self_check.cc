#include "gateway/transport/self_check.h"

#include <httplib.h>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace cox::gateway {
namespace {

template <typename Client>
bool GetsHealth(Client& client, std::chrono::microseconds timeout) {
  client.set_connection_timeout(timeout / 4);
  client.set_write_timeout(timeout / 4);
  client.set_read_timeout(timeout / 2);
  return static_cast<bool>(client.Get("/healthz", httplib::Headers{{"Host", "localhost"}}));
}

}  // namespace

bool AnswersHttp(const std::string& address, bool has_tls, std::chrono::microseconds timeout) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == std::string::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port)) {
    return false;
  }
  absl::string_view host = absl::string_view(address).substr(0, colon);
  absl::ConsumePrefix(&host, "[");
  absl::ConsumeSuffix(&host, "]");
  if (!has_tls) {
    httplib::Client client(std::string(host), port);
    return GetsHealth(client, timeout);
  }
  httplib::SSLClient client(std::string(host), port);
  client.enable_server_certificate_verification(false);  // it asks itself
  return GetsHealth(client, timeout);
}

}  // namespace cox::gateway
