#include "service/entry/token_admin.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"
#include "service/convert/timestamp.h"
#include "service/entry/door.h"
#include "service/unary.h"

namespace cox::service {
namespace {

constexpr absl::string_view kTokens = "tokens/";
constexpr int64_t kMicrosPerSecond = 1'000'000;
// The year 9999: the last one that a timestamp can have.
constexpr int64_t kMaxSeconds = 253'402'300'799;

v1::Role ToProto(access::Role role) {
  switch (role) {
    case access::Role::kViewer:
      return v1::ROLE_VIEWER;
    case access::Role::kReporter:
      return v1::ROLE_REPORTER;
    case access::Role::kOperator:
      return v1::ROLE_OPERATOR;
    case access::Role::kAdmin:
      return v1::ROLE_ADMIN;
    case access::Role::kNone:
      break;
  }
  return v1::ROLE_UNSPECIFIED;
}

access::Role FromProto(v1::Role role) {
  switch (role) {
    case v1::ROLE_VIEWER:
      return access::Role::kViewer;
    case v1::ROLE_REPORTER:
      return access::Role::kReporter;
    case v1::ROLE_OPERATOR:
      return access::Role::kOperator;
    case v1::ROLE_ADMIN:
      return access::Role::kAdmin;
    default:
      return access::Role::kNone;
  }
}

std::string TokenOf(const std::string& name) {
  return std::string(absl::StripPrefix(name, kTokens));
}

void FromToken(const access::Token& token, v1::Token* out) {
  out->set_name(absl::StrCat(kTokens, token.name));
  out->set_role(ToProto(token.role));
  out->set_job(token.job);
  *out->mutable_create_time() = ToTimestamp(token.create_time_us);
  if (token.expire_time_us != 0) *out->mutable_expire_time() = ToTimestamp(token.expire_time_us);
}

// Errors of a token's field name the field of the request.
absl::Status OfRequest(const absl::Status& status) {
  return domain::FieldOf(status).empty() ? status : domain::WithFieldPrefix(status, "token.");
}

absl::StatusOr<access::Token> ToToken(const v1::Token& token) {
  access::Token out;
  out.name = TokenOf(token.name());
  out.role = FromProto(token.role());
  out.job = token.job();
  if (token.has_expire_time()) {
    const int64_t seconds = token.expire_time().seconds();
    if (seconds <= 0 || seconds > kMaxSeconds) {
      return domain::InvalidField("expire_time", "must be in the future, before the year 10000");
    }
    out.expire_time_us = seconds * kMicrosPerSecond + token.expire_time().nanos() / 1'000;
  }
  return out;
}

}  // namespace

grpc::ServerUnaryReactor* TokenAdmin::WhoAmI(grpc::CallbackServerContext* context,
                                             const v1::WhoAmIRequest* /*request*/,
                                             v1::WhoAmIResponse* response) {
  const access::Principal& principal = CallingPrincipal();
  response->set_principal(principal.name);
  response->set_role(ToProto(principal.role));
  response->set_job(principal.job);
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* TokenAdmin::CreateToken(grpc::CallbackServerContext* context,
                                                  const v1::CreateTokenRequest* request,
                                                  v1::CreateTokenResponse* response) {
  return FinishFromPool(*core_.pool, context, [this, request, response]() -> absl::Status {
    absl::StatusOr<access::Token> token = ToToken(request->token());
    if (!token.ok()) return OfRequest(token.status());
    absl::StatusOr<access::Tokens::Created> created =
        core_.access->tokens().Create(*std::move(token));
    if (!created.ok()) return OfRequest(created.status());
    FromToken(created->token, response->mutable_token());
    response->set_text(std::move(created->text));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* TokenAdmin::ListTokens(grpc::CallbackServerContext* context,
                                                 const v1::ListTokensRequest* /*request*/,
                                                 v1::ListTokensResponse* response) {
  for (const access::Token& token : core_.access->tokens().List()) {
    FromToken(token, response->add_tokens());
  }
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* TokenAdmin::RevokeToken(grpc::CallbackServerContext* context,
                                                  const v1::RevokeTokenRequest* request,
                                                  google::protobuf::Empty* /*response*/) {
  return FinishFromPool(*core_.pool, context, [this, request]() -> absl::Status {
    absl::Status revoked = core_.access->tokens().Revoke(TokenOf(request->name()));
    if (revoked.ok()) CloseForbiddenStreams(core_);
    return revoked;
  });
}

}  // namespace cox::service
