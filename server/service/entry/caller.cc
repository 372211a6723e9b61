#include "service/entry/caller.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace cox::service {
namespace {

absl::string_view View(grpc::string_ref text) { return {text.data(), text.size()}; }

absl::string_view FirstValue(const grpc::AuthContext& facts, const char* property) {
  const std::vector<grpc::string_ref> values = facts.FindPropertyValues(property);
  return values.empty() ? absl::string_view() : View(values.front());
}

}  // namespace

absl::StatusOr<access::Principal> IdentifyCaller(const access::Access& access, KnownCallers* known,
                                                 const grpc::ServerContextBase& context,
                                                 absl::string_view method) {
  access::Caller caller;
  caller.method = method;
  const auto& metadata = context.client_metadata();
  if (const auto ticket = metadata.find(kTicketHeader);
      known != nullptr && ticket != metadata.end()) {
    std::optional<KnownCallers::Who> who = known->Redeem(View(ticket->second));
    return who ? *std::move(who)
               : absl::UnauthenticatedError(absl::StrCat(kTicketHeader, ": is not for clients"));
  }
  const auto authorization = metadata.find("authorization");
  if (authorization != metadata.end()) caller.authorization = View(authorization->second);
  const std::string peer = context.peer();
  caller.peer = peer;
  const std::shared_ptr<const grpc::AuthContext> facts = context.auth_context();
  if (facts != nullptr) {
    const absl::string_view transport =
        FirstValue(*facts, GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
    caller.is_encrypted = transport == GRPC_SSL_TRANSPORT_SECURITY_TYPE ||
                          transport == GRPC_TLS_TRANSPORT_SECURITY_TYPE;
    if (caller.is_encrypted && facts->IsPeerAuthenticated()) {
      caller.certificate_name = FirstValue(*facts, GRPC_X509_SAN_PROPERTY_NAME);
      // On the server's side the chain is without the client's own certificate.
      caller.certificate_chain_pem =
          absl::StrCat(FirstValue(*facts, GRPC_X509_PEM_CERT_PROPERTY_NAME),
                       FirstValue(*facts, GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME));
    }
  }
  return access.Identify(caller);
}

}  // namespace cox::service
