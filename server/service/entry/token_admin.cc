#include "service/entry/token_admin.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "access/ended_jobs.h"
#include "domain/errors.h"
#include "service/convert/checks.h"
#include "service/convert/page_token.h"
#include "service/convert/timestamp.h"
#include "service/entry/door.h"
#include "service/limits.h"
#include "service/names.h"
#include "service/unary.h"

namespace cox::service {
namespace {

constexpr absl::string_view kTokens = "tokens/";
constexpr absl::string_view kJobs = "jobs/";
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

// "token ci, operator, for job 4711".
std::string Described(const access::Token& token) {
  return absl::StrCat("token ", token.name, ", ", access::RoleName(token.role),
                      token.job.empty() ? "" : ", for job ", token.job);
}

absl::Status AuditToken(const Core& core, const store::Actor& actor, const std::string& change) {
  return core.store->AddAudit({.actor = actor, .change = change});
}

absl::Status CheckSince(const google::protobuf::Timestamp& time) {
  return FirstOf({InRange("since_time.seconds", time.seconds(), 0, kMaxSeconds),
                  InRange("since_time.nanos", time.nanos(), 0, 999'999'999)});
}

absl::StatusOr<store::AuditFilter> ToFilter(const v1::ListAuditRecordsRequest& request) {
  store::AuditFilter filter;
  filter.principal = request.principal();
  if (!request.machine().empty()) {
    const absl::StatusOr<absl::string_view> name = ParseMachine(request.machine(), "machine");
    if (!name.ok()) return name.status();
    filter.machine = std::string(*name);
  }
  if (!request.has_since_time()) return filter;
  if (absl::Status valid = CheckSince(request.since_time()); !valid.ok()) return valid;
  filter.since_us = ToMicroseconds(request.since_time());
  return filter;
}

void FromAuditRecord(const store::AuditRecord& record, v1::AuditRecord* out) {
  out->set_id(record.id);
  *out->mutable_change_time() = ToTimestamp(record.time_us);
  out->set_principal(record.actor.principal);
  out->set_method(record.actor.method);
  out->set_machine(record.machine);
  out->set_change(record.change);
}

// Leaves no record in the audit: every job ends, and this changes nobody's data.
absl::Status EndJob(const Core& core, absl::string_view name) {
  int64_t job = 0;
  if (!absl::SimpleAtoi(absl::StripPrefix(name, kJobs), &job) || job <= 0) {
    return domain::InvalidField("name", "must be jobs/ and the number of a job of Slurm");
  }
  access::EndedJobs* const ended = core.access->ended_jobs();
  if (ended == nullptr) {
    return absl::FailedPreconditionError("this coxd takes no credential of a job (munge-names)");
  }
  absl::Status added = ended->Add(job);
  CloseForbiddenStreams(core);
  return added;
}

}  // namespace

TokenAdmin::TokenAdmin(const Core& core) : core_(core) {}
TokenAdmin::~TokenAdmin() = default;

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
  const auto answer = [this, request, response, actor = CallingActor()]() -> absl::Status {
    absl::StatusOr<access::Token> token = ToToken(request->token());
    if (!token.ok()) return OfRequest(token.status());
    absl::StatusOr<access::Tokens::Created> created =
        core_.access->tokens().Create(*std::move(token));
    if (!created.ok()) return OfRequest(created.status());
    // No token without an audit: they are in two files.
    if (absl::Status audited = AuditToken(core_, actor, Described(created->token)); !audited.ok()) {
      core_.access->tokens().Revoke(created->token.name).IgnoreError();
      return audited;
    }
    FromToken(created->token, response->mutable_token());
    response->set_text(std::move(created->text));
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.pool, context, answer);
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
  const auto answer = [this, request, actor = CallingActor()]() -> absl::Status {
    if (absl::StartsWith(request->name(), kJobs)) return EndJob(core_, request->name());
    const std::string name = TokenOf(request->name());
    if (absl::Status revoked = core_.access->tokens().Revoke(name); !revoked.ok()) return revoked;
    CloseForbiddenStreams(core_);
    return AuditToken(core_, actor, absl::StrCat("token ", name));
  };
  return FinishFromPool(*core_.pool, context, answer);
}

grpc::ServerUnaryReactor* TokenAdmin::ListEndedJobs(grpc::CallbackServerContext* context,
                                                    const v1::ListEndedJobsRequest* request,
                                                    v1::ListEndedJobsResponse* response) {
  int64_t since_us = 0;
  if (request->has_since_time()) {
    const absl::Status valid = CheckSince(request->since_time());
    if (!valid.ok()) return Finish(context, valid);
    since_us = ToMicroseconds(request->since_time());
  }
  const access::EndedJobs* const ended = core_.access->ended_jobs();
  if (ended == nullptr) return Finish(context, absl::OkStatus());
  for (const access::EndedJob& job : ended->Since(since_us, kMaxEndedJobs)) {
    v1::EndedJob* const out = response->add_jobs();
    out->set_number(job.job);
    *out->mutable_end_time() = ToTimestamp(job.end_time_us);
  }
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* TokenAdmin::ListAuditRecords(grpc::CallbackServerContext* context,
                                                       const v1::ListAuditRecordsRequest* request,
                                                       v1::ListAuditRecordsResponse* response) {
  const auto answer = [this, request, response,
                       is_cancelled = CancelledBy(context)]() -> absl::Status {
    const absl::StatusOr<store::AuditFilter> filter = ToFilter(*request);
    if (!filter.ok()) return filter.status();
    const std::string list =
        absl::StrCat("audit/", filter->machine, "/", filter->since_us, "/", filter->principal);
    const absl::StatusOr<Page> page =
        OpenPage(list, request->page_size(), request->page_token(), 100, 1'000);
    if (!page.ok()) return page.status();
    const absl::StatusOr<std::vector<store::AuditRecord>> records =
        core_.store->ListAudit(*filter, page->cursor, page->size + 1, is_cancelled);
    if (!records.ok()) return records.status();
    for (const store::AuditRecord& record : *records) {
      if (response->records_size() == page->size) {
        response->set_next_page_token(
            MakePageToken(list, absl::StrCat((*records)[page->size - 1].id)));
        break;
      }
      FromAuditRecord(record, response->add_records());
    }
    return absl::OkStatus();
  };
  return FinishFromPool(*core_.heavy_pool, context, answer);
}

}  // namespace cox::service
