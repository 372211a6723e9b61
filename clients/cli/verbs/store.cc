// cox store: the daemon's database file: state, backup, restore, check, compact.
#include <cox/v1/store.pb.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/methods.h"
#include "cli/output/profile_view.h"
#include "cli/verbs/verbs.h"
#include "console/child_process.h"
#include "console/printable.h"
#include "console/programs.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

// Gigabytes are copied or read.
constexpr double kLongTimeout_s = 3'600;
constexpr double kRestoreLimit_s = 86'400;

void PrintStatus(const v1::GetStoreStatusResponse& status, std::ostream& out) {
  console::Table facts({{"FACT"}, {"VALUE"}});
  facts.Add({"writes", status.problem().empty() ? "work" : console::Printable(status.problem())});
  facts.Add({"database", console::Printable(status.path())});
  if (status.schema_version() > 0) {  // 0: too damaged to say
    facts.Add({"schema version", absl::StrCat(status.schema_version())});
    facts.Add({"size", console::FormatBytes(status.file_bytes())});
    facts.Add({"free in it", console::FormatBytes(status.free_bytes())});
    facts.Add({"log", console::FormatBytes(status.log_bytes())});
    facts.Add({"observations", absl::StrCat(status.observation_count())});
    facts.Add({"of these summed up", absl::StrCat(status.summed_observation_count())});
  }
  facts.Print(out);
  if (!status.backup_problem().empty()) {
    out << "the last backup failed: " << console::Printable(status.backup_problem()) << "\n";
  }
  if (status.backups().empty()) {
    out << "no backup\n";
    return;
  }
  console::Table backups({{"BACKUP"}, {"MADE"}, {"SIZE", console::Align::kRight}});
  for (const v1::Backup& backup : status.backups()) {
    backups.Add({console::Printable(backup.path()), TimeText(backup.create_time()),
                 console::FormatBytes(backup.file_bytes())});
  }
  backups.Print(out);
}

absl::Status Status(Session& session) {
  v1::GetStoreStatusResponse response;
  absl::Status status =
      session.connection().Call(kGetStoreStatus, v1::GetStoreStatusRequest(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
  } else {
    PrintStatus(response, session.out());
  }
  return absl::OkStatus();
}

// Calls what may take long, then prints JSON, or `text` of the response.
template <class Request, class Response>
absl::Status CallLong(Session& session, const Method<Request, Response>& method,
                      std::string (*text)(const Response&)) {
  session.connection().AllowAtLeast(kLongTimeout_s);
  Response response;
  absl::Status status = session.connection().Call(method, Request(), response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
  } else {
    session.out() << text(response) << '\n';
  }
  return absl::OkStatus();
}

std::string BackupText(const v1::CreateBackupResponse& response) {
  return absl::StrCat(console::Printable(response.backup().path()), ", ",
                      console::FormatBytes(response.backup().file_bytes()));
}

std::string CheckText(const v1::CheckStoreResponse& response) {
  return absl::StrCat("in order: ", console::FormatBytes(response.checked_bytes()));
}

std::string CompactText(const v1::CompactStoreResponse& response) {
  return absl::StrCat("gave back ", console::FormatBytes(response.freed_bytes()));
}

struct RestoreOptions {
  std::string backup;
  std::string data;
  std::string config;
};

// coxd knows the format of its database: it restores, and this finds it.
std::string FindDaemon() {
  std::string installed = console::FindInPath(absl::StrCat(console::OwnFolder(), "/../sbin/coxd"));
  return installed.empty() ? console::FindProgram("coxd") : installed;
}

absl::Status Restore(Session& session, const RestoreOptions& options) {
  console::ChildCommand command;
  command.limit_s = kRestoreLimit_s;
  command.words = {FindDaemon(), "--restore", options.backup};
  if (command.words[0].empty()) {
    return absl::NotFoundError(
        "there is no coxd beside cox or in PATH: restore on the daemon's computer");
  }
  if (!options.config.empty())
    command.words.insert(command.words.end(), {"--config", options.config});
  if (!options.data.empty()) command.words.insert(command.words.end(), {"--data", options.data});
  std::string said;
  command.on_error_line = [&said](absl::string_view line) {
    absl::StrAppend(&said, said.empty() ? "" : "; ", line);
  };
  const absl::StatusOr<console::ChildResult> done = console::RunChild(command);
  if (!done.ok()) return done.status();
  if (done->exit_code != 0) {
    return absl::FailedPreconditionError(console::Printable(absl::StripPrefix(said, "coxd: ")));
  }
  for (const absl::string_view line : absl::StrSplit(done->out, '\n', absl::SkipEmpty())) {
    session.Note(console::Printable(line));
  }
  return absl::OkStatus();
}

}  // namespace

void AddStoreVerb(Verb app) {
  const Verb store = app.Sub("store", "Look after the daemon's database file");
  store.NeedsVerb();
  store.Footer(
      "Examples:\n"
      "  cox store status\n"
      "  cox store backup\n"
      "  systemctl stop coxd && cox store restore FILE --data /var/lib/coxswain");

  store.Sub("status", "Show size, free space, backups, and whether writes work").Do(Status);

  Verb backup = store.Sub("backup", "Make a backup while coxd runs");
  backup.Footer(
      "coxd writes the backup into the folder `backups` of its data directory, checks every page\n"
      "of it, and removes the oldest beyond backup-keep.");
  backup.Do([](Session& session) { return CallLong(session, kCreateBackup, BackupText); });

  Verb check = store.Sub("check", "Read the whole database and say whether it is in order");
  check.Footer(
      "Reads every page, row and reference while coxd runs; about a gigabyte in a few seconds.\n"
      "After it has found damage, coxd stores nothing more.");
  check.Do([](Session& session) { return CallLong(session, kCheckStore, CheckText); });

  Verb compact = store.Sub("compact", "Give free space back to the file system");
  compact.Footer("Works in short steps between other writes, while coxd runs.");
  compact.Do([](Session& session) { return CallLong(session, kCompactStore, CompactText); });

  auto options = std::make_shared<RestoreOptions>();
  Verb restore = store.Sub("restore", "Replace the database by a backup; coxd must be stopped");
  restore.Footer(
      "Runs `coxd --restore` on this computer, as a user who may write the data directory. It\n"
      "checks every page of the backup first. The replaced database stays as\n"
      "coxswain.db.replaced, or coxswain.db.replaced-2 and so on, until you remove it. --data or\n"
      "--config is required. A backup has the database only: copy the file of tokens, the\n"
      "configuration, certificates and keys yourself.");
  restore.Text("backup", options->backup, "The backup").Type("FILE").Required();
  restore.Text("--data", options->data, "The daemon's data directory; it must exist").Type("DIR");
  restore.Text("--config", options->config, "The daemon's configuration file").Type("FILE");
  restore.Do([options](Session& session) { return Restore(session, *options); },
             [options](const GlobalOptions&) {
               if (!options->data.empty() || !options->config.empty()) return absl::OkStatus();
               return UsageError(
                   "pass --data DIR, the data directory of coxd, or --config FILE, its "
                   "configuration file");
             });
}

}  // namespace cox::cli
