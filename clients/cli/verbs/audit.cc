// cox audit: who has changed what.
#include <cox/v1/access.pb.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/since.h"
#include "cli/output/profile_view.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"

namespace cox::cli {
namespace {

constexpr int64_t kAuditPageRows = 1'000;

struct AuditOptions {
  std::string principal;
  std::string machine;
  absl::Time since = absl::UnixEpoch();
  int64_t limit = 100;  // 0: all
};

// Of "cox.v1.MachineService/DeleteMachine" the last word.
std::string BareMethod(const std::string& method) { return method.substr(method.rfind('/') + 1); }

// At most `limit` records, newest first. True in `more` when there are others.
absl::Status Read(Session& session, const AuditOptions& options, v1::ListAuditRecordsResponse& all,
                  bool& more) {
  v1::ListAuditRecordsRequest request;
  request.set_principal(options.principal);
  request.set_machine(options.machine);
  if (options.since > absl::UnixEpoch()) {
    request.mutable_since_time()->set_seconds(absl::ToUnixSeconds(options.since));
  }
  int64_t left = options.limit == 0 ? std::numeric_limits<int64_t>::max() : options.limit;
  do {
    request.set_page_size(static_cast<int32_t>(std::min(left, kAuditPageRows)));
    v1::ListAuditRecordsResponse page;
    absl::Status status = session.connection().Call(kListAuditRecords, request, page);
    if (!status.ok()) return status;
    all.mutable_records()->MergeFrom(page.records());
    left -= page.records_size();
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && left > 0);
  more = !request.page_token().empty();
  return absl::OkStatus();
}

absl::Status Audit(Session& session, const AuditOptions& options) {
  v1::ListAuditRecordsResponse all;
  bool more = false;
  absl::Status status = Read(session, options, all, more);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(all);
  } else {
    console::Table table({{"TIME"},
                          {"PRINCIPAL"},
                          {"DID"},
                          {"MACHINE"},
                          {"CHANGE", console::Align::kLeft, console::Fit::kDrop}});
    for (const v1::AuditRecord& record : all.records()) {
      table.Add({TimeText(record.change_time()), record.principal(), BareMethod(record.method()),
                 record.machine().empty() ? "-" : record.machine(), record.change()});
    }
    table.Print(session.out());
  }
  const bool is_part =
      !options.principal.empty() || !options.machine.empty() || options.since > absl::UnixEpoch();
  if (all.records().empty() && is_part) {
    session.Note("no changes match these options; `cox audit` shows all");
  }
  if (more) {
    session.Note(absl::StrCat("the newest ", options.limit, " are shown; --limit 0 shows all"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddAuditVerb(Verb app) {
  Verb verb = app.Sub("audit", "Show who has changed what, newest first");
  auto options = std::make_shared<AuditOptions>();
  verb.Parsed(
          "--since",
          [options](const std::string& text) {
            const absl::StatusOr<absl::Time> since = ParseSince(text, absl::Now());
            if (since.ok()) options->since = *since;
            return since.status();
          },
          "Only changes since then: 2026-11-20, 2026-11-20T08:00:00Z, 36h or 7d")
      .Type("TIME");
  verb.Text("--principal", options->principal,
            "Only changes by this caller, such as uid:1000 or token:ci")
      .Type("NAME");
  verb.Text("-m,--machine", options->machine, "Only changes of this machine, also a deleted one")
      .Type("MACHINE");
  AddCount(verb, "--limit", options->limit, 0, std::numeric_limits<int64_t>::max() - 1,
           "Show at most this many (default 100; 0: all)");
  verb.Footer(
      "coxd records machines, profiles, imports, forgotten reports and tokens. Nobody can change\n"
      "or remove a record through coxd. Needs the role operator. Examples:\n"
      "  cox audit --since 7d\n"
      "  cox audit --machine cluster --json");
  verb.Do([options](Session& session) { return Audit(session, *options); });
}

}  // namespace cox::cli
