// cox token create | list | revoke | whoami
#include <cox/v1/access.pb.h>
#include <google/protobuf/empty.pb.h>

#include <cmath>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/credentials.h"
#include "cli/methods.h"
#include "cli/output/profile_view.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"

namespace cox::cli {
namespace {

constexpr absl::string_view kTokens = "tokens/";
constexpr absl::string_view kJobs = "jobs/";
constexpr absl::Duration kMaxLifetime = absl::Hours(100 * 365 * 24);

struct TokenOptions {
  std::string name;
  std::string role;
  std::string job;
  std::string output;
  absl::Duration lifetime = absl::Hours(90 * 24);  // infinite: never ends
};

std::string RoleText(v1::Role role) {
  absl::string_view name = v1::Role_Name(role);
  absl::ConsumePrefix(&name, "ROLE_");
  return role == v1::ROLE_UNSPECIFIED ? "none" : absl::AsciiStrToLower(name);
}

// "90d", "12h", "never".
absl::Status ParseLifetime(absl::string_view text, absl::Duration* lifetime) {
  if (text == "never") {
    *lifetime = absl::InfiniteDuration();
    return absl::OkStatus();
  }
  absl::string_view days_text = text;
  double days = 0;
  absl::Duration parsed;
  if (absl::ConsumeSuffix(&days_text, "d") && absl::SimpleAtod(days_text, &days) &&
      std::isfinite(days)) {
    parsed = days * absl::Hours(24);
  } else if (!absl::ParseDuration(text, &parsed)) {
    parsed = absl::ZeroDuration();
  }
  if (parsed <= absl::ZeroDuration() || parsed > kMaxLifetime) {
    return UsageError(
        absl::StrCat("is '", text, "', must be a time such as 90d, 12h or 30m, or never"));
  }
  *lifetime = parsed;
  return absl::OkStatus();
}

absl::Status Create(Session& session, const TokenOptions& options) {
  v1::CreateTokenRequest request;
  v1::Token& token = *request.mutable_token();
  v1::Role role = v1::ROLE_UNSPECIFIED;
  v1::Role_Parse(absl::StrCat("ROLE_", absl::AsciiStrToUpper(options.role)), &role);
  token.set_name(absl::StrCat(kTokens, options.name));
  token.set_role(role);
  token.set_job(options.job);
  if (options.lifetime != absl::InfiniteDuration()) {
    token.mutable_expire_time()->set_seconds(absl::ToUnixSeconds(absl::Now() + options.lifetime));
  }
  v1::CreateTokenResponse response;
  absl::Status status = session.connection().Call(kCreateToken, request, response);
  if (!status.ok()) return status;
  if (!options.output.empty()) {
    status = WriteToken(options.output, response.text());
    if (!status.ok()) {
      // A token that nobody has should not exist.
      v1::RevokeTokenRequest revoke;
      revoke.set_name(response.token().name());
      google::protobuf::Empty empty;
      session.connection().Call(kRevokeToken, revoke, empty).IgnoreError();
      return status;
    }
    response.clear_text();
  }
  if (session.json()) {
    session.PrintJson(response);
  } else if (options.output.empty()) {
    session.out() << console::Printable(response.text()) << '\n';
    session.Note("coxd does not show this token again; who has it is its owner");
  }
  return absl::OkStatus();
}

absl::Status ListTokens(Session& session) {
  v1::ListTokensResponse response;
  absl::Status status = session.connection().Call(kListTokens, v1::ListTokensRequest(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  console::Table table({{"NAME"}, {"ROLE"}, {"JOB"}, {"ADDED"}, {"ENDS"}});
  for (const v1::Token& token : response.tokens()) {
    table.Add({std::string(absl::StripPrefix(token.name(), kTokens)), RoleText(token.role()),
               token.job().empty() ? "-" : token.job(), TimeText(token.create_time()),
               token.has_expire_time() ? TimeText(token.expire_time()) : "never"});
  }
  table.Print(session.out());
  return absl::OkStatus();
}

absl::Status Revoke(Session& session, const std::string& name) {
  v1::RevokeTokenRequest request;
  request.set_name(absl::StartsWith(name, kJobs) ? name : absl::StrCat(kTokens, name));
  google::protobuf::Empty response;
  absl::Status status = session.connection().Call(kRevokeToken, request, response);
  if (status.ok() && session.json()) session.PrintJson(response);
  return status;
}

absl::Status WhoAmI(Session& session) {
  v1::WhoAmIResponse response;
  absl::Status status = session.connection().Call(kWhoAmI, v1::WhoAmIRequest(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  session.out() << console::Printable(response.principal()) << ' ' << RoleText(response.role());
  if (!response.job().empty()) {
    session.out() << ", for job " << console::Printable(response.job()) << " only";
  }
  session.out() << '\n';
  return absl::OkStatus();
}

}  // namespace

void AddTokenVerb(Verb app) {
  Verb verb = app.Sub("token", "Make, list and revoke tokens, and say who you are");
  verb.NeedsVerb();
  auto options = std::make_shared<TokenOptions>();

  Verb create = verb.Sub("create", "Make a token and print it, once");
  create.Text("name", options->name, "Its name: a-z, 0-9, '_' and '-'").Type("NAME").Required();
  create.Text("--role", options->role, "What its owner may do")
      .OneOf({"viewer", "reporter", "operator", "admin"})
      .Required();
  create.Text("--job", options->job, "Its owner may report for this job only").Type("JOB");
  create
      .Parsed(
          "--lifetime",
          [options](const std::string& text) { return ParseLifetime(text, &options->lifetime); },
          "How long it is good: 90d (default), 12h, 30m, never")
      .Type("TIME");
  create.Text("-o,--output", options->output, "Write it to this new file, with mode 0600")
      .Type("FILE");
  create.Do([options](Session& session) { return Create(session, *options); });

  verb.Sub("list", "List all tokens, without their secrets").Do(ListTokens);

  Verb revoke = verb.Sub("revoke", "End a token at once; its streams end within seconds");
  revoke
      .Text("name", options->name,
            "Its name; or jobs/NUMBER: ends the credentials of a job of Slurm")
      .Type("NAME")
      .Required();
  revoke.Do([options](Session& session) { return Revoke(session, options->name); });

  verb.Sub("whoami", "Say who coxd takes you for, and what you may do").Do(WhoAmI);

  verb.Footer(
      "Only administrators make tokens. These are root and the user of coxd, over its Unix "
      "socket,\n"
      "and callers to whom coxd's settings give the role admin. Examples:\n"
      "  cox --server unix:/run/coxswain/coxd.sock token create ci --role operator -o ci.token\n"
      "  cox --token-file ci.token --server head:7077 --tls-ca ca.pem token whoami\n"
      "  cox token revoke ci");
}

}  // namespace cox::cli
