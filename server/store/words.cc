#include "store/words.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/words/counted.h"

namespace cox::store {

absl::Status UnknownMachine(absl::string_view name) {
  return absl::NotFoundError(
      absl::StrCat("machine ", name, " does not exist; `cox machine list` lists all machines"));
}

absl::Status UnknownRevision(absl::string_view machine, int64_t revision) {
  if (revision == 0)
    return absl::NotFoundError(absl::StrCat("machine ", machine, " has no profile"));
  return absl::NotFoundError(absl::StrCat("machine ", machine, " has no profile ", revision));
}

absl::Status UnknownDeletedMachine(absl::string_view name) {
  return absl::NotFoundError(
      absl::StrCat("no machine ", name,
                   " was deleted in the last 30 days; `cox audit` shows who deleted which"));
}

absl::Status RefinedAnother(absl::string_view machine, int64_t refined, int64_t active) {
  return absl::AbortedError(absl::StrCat("revision ", refined, " of machine ", machine,
                                         " was refined, but revision ", active, " is active now"));
}

absl::Status AnotherLearns(absl::string_view machine) {
  return absl::AbortedError(absl::StrCat("another daemon learns for machine ", machine));
}

absl::Status KnownMachine(absl::string_view name) {
  return absl::AlreadyExistsError(absl::StrCat("machine ", name, " exists already"));
}

absl::Status NameIsTaken(absl::string_view name) {
  return absl::AlreadyExistsError(
      absl::StrCat("machine ", name,
                   " exists, so no other of this name comes back. Deleting it does not help: "
                   "`undelete` brings back the machine that was deleted last"));
}

absl::Status RequestIdIsUsed(const Request& request, absl::string_view method,
                             absl::string_view subject) {
  return absl::AlreadyExistsError(absl::StrCat("request id ", request.id, " was used for ", method,
                                               " of ", subject,
                                               ": use a new one for every request"));
}

std::string MachineWords(const MachineRecord& machine) {
  return absl::StrCat(domain::Counted(machine.nodes, "node"), " of ",
                      domain::Counted(machine.cores_per_node, "core"));
}

std::string ContentWords(const ObservationCount& count) {
  return absl::StrCat("with all profiles and ",
                      domain::Counted(count.observation_count, "observation"));
}

std::vector<AuditRecord> ForgottenAudit(const Actor& actor, const Reporter& reporter,
                                        const Forgotten& forgotten, int64_t time_us) {
  std::vector<std::string> machines;
  for (const Forgotten::Of& of : forgotten.machines) machines.push_back(of.machine);
  for (const std::string& machine : forgotten.deleted_machines) machines.push_back(machine);
  const bool is_job = reporter.kind == Reporter::Kind::kJob;
  const std::string change =
      absl::StrCat(is_job ? "job " : "source ", reporter.name, ": ",
                   domain::Counted(forgotten.removed_count, "observation"), " of ",
                   domain::Counted(static_cast<int64_t>(machines.size()), "machine"));
  if (machines.empty()) machines.emplace_back();
  std::vector<AuditRecord> records;
  records.reserve(machines.size());
  for (std::string& machine : machines) {
    records.push_back(
        {.time_us = time_us, .actor = actor, .machine = std::move(machine), .change = change});
  }
  return records;
}

std::vector<AuditRecord> ImportAudit(const ObservationBatch& batch, int64_t time_us) {
  std::vector<AuditRecord> records;
  if (batch.actor.principal.empty()) return records;
  std::map<absl::string_view, int64_t> row_counts;
  for (const ObservationRecord& observation : batch.observations) {
    ++row_counts[observation.scenario.machine];
  }
  for (const auto& [machine, row_count] : row_counts) {
    std::string change = domain::Counted(row_count, "observation");
    if (!batch.source.empty()) absl::StrAppend(&change, " of source ", batch.source);
    if (!batch.job.empty()) absl::StrAppend(&change, " of job ", batch.job);
    records.push_back({.time_us = time_us,
                       .actor = batch.actor,
                       .machine = std::string(machine),
                       .change = std::move(change)});
  }
  return records;
}

}  // namespace cox::store
