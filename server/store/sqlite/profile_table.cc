#include "store/sqlite/profile_table.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/parameter.h"
#include "store/row_readers.h"
#include "store/sqlite/machine_table.h"
#include "store/words.h"

namespace cox::store {
namespace {

// Several rows, newest first: all columns of a profile but its parameters.
constexpr const char* kProfileColumns =
    "SELECT profile_id, revision, provenance, note, observations_through_id, create_time_us"
    " FROM profile WHERE machine_id = ? ";

struct ProfileRow {
  int64_t profile_id = 0;
  ProfileRecord profile;
};

absl::Status ReadParameters(Database& db, ProfileRow& row) {
  Query query(db,
              "SELECT model, level, name, value, stderr, above, relation, source FROM parameter"
              " WHERE profile_id = ? ORDER BY position");
  query.Bind(row.profile_id);
  while (query.Next()) {
    absl::StatusOr<domain::Parameter> parameter = ParameterOf(query);
    if (!parameter.ok()) return parameter.status();
    row.profile.parameters.push_back(*std::move(parameter));
  }
  return query.status();
}

// A refinement of a revision that is not active any more would undo what replaced it.
absl::Status CheckRefined(Database& db, int64_t machine_id, const ProfileRecord& profile) {
  if (!profile.refined_revision) return absl::OkStatus();
  Query query(db,
              "SELECT CASE pinned_revision WHEN 0 THEN coalesce((SELECT max(revision) FROM profile"
              " WHERE machine_id = m.machine_id), 0) ELSE pinned_revision END FROM machine m"
              " WHERE machine_id = ?");
  query.Bind(machine_id);
  const int64_t active = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  if (active == *profile.refined_revision) return absl::OkStatus();
  return RefinedAnother(profile.machine, *profile.refined_revision, active);
}

absl::Status FollowDrifts(Database& db, int64_t machine_id, const ProfileRecord& profile) {
  if (!profile.follows_drifts) return absl::OkStatus();
  Query update(db, "UPDATE drift SET is_followed = 1 WHERE machine_id = ? AND is_followed = 0");
  update.Bind(machine_id);
  return update.Run();
}

absl::Status EndRelearning(Database& db, int64_t machine_id, const ProfileRecord& profile) {
  if (profile.relearned_from_id == 0) return absl::OkStatus();
  Query update(db,
               "UPDATE machine SET relearn_from_id = 0"
               " WHERE machine_id = ? AND relearn_from_id = ?");
  update.Bind(machine_id).Bind(profile.relearned_from_id);
  return update.Run();
}

}  // namespace

absl::StatusOr<int64_t> InsertProfile(Database& db, const ProfileRecord& profile,
                                      int64_t create_time_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, profile.machine);
  if (!machine_id.ok()) return machine_id.status();
  if (absl::Status checked = CheckRefined(db, *machine_id, profile); !checked.ok()) return checked;
  int64_t revision = 1;
  {
    Query newest(db, "SELECT max(revision) FROM profile WHERE machine_id = ?");
    newest.Bind(*machine_id);
    if (newest.Next()) revision = newest.Int(0) + 1;
    if (!newest.status().ok()) return newest.status();
  }
  Query insert(
      db,
      "INSERT INTO profile (machine_id, revision, provenance, note, observations_through_id,"
      " create_time_us) VALUES (?, ?, ?, ?, ?, ?)");
  insert.Bind(*machine_id).Bind(revision).Bind(absl::string_view(profile.provenance));
  insert.Bind(absl::string_view(profile.note)).Bind(profile.observations_through_id);
  insert.Bind(create_time_us);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  const int64_t profile_id = db.LastInsertId();
  int64_t position = 0;
  for (const domain::Parameter& parameter : profile.parameters) {
    Query add(
        db,
        "INSERT INTO parameter (profile_id, position, model, level, name, value, stderr, above,"
        " relation, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    add.Bind(profile_id).Bind(position++).Bind(absl::string_view(parameter.model));
    add.Bind(domain::LevelName(parameter.level)).Bind(absl::string_view(parameter.name));
    add.Bind(parameter.value).Bind(parameter.stderr_).Bind(parameter.above);
    add.Bind(absl::string_view(parameter.relation)).Bind(absl::string_view(parameter.source));
    if (absl::Status status = add.Run(); !status.ok()) return status;
  }
  absl::Status noted = EndRelearning(db, *machine_id, profile);
  if (noted.ok()) noted = FollowDrifts(db, *machine_id, profile);
  if (!noted.ok()) return noted;
  return revision;
}

absl::StatusOr<ProfileRecord> ReadProfile(Database& db, absl::string_view machine,
                                          int64_t revision) {
  const absl::StatusOr<MachineRecord> record = ReadMachine(db, machine);
  if (!record.ok()) return record.status();
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  const int64_t wanted = revision != 0 ? revision : record->pinned_revision;
  Query query(db, absl::StrCat(kProfileColumns, wanted != 0 ? "AND revision = ?"
                                                            : "ORDER BY revision DESC LIMIT 1"));
  query.Bind(*machine_id);
  if (wanted != 0) query.Bind(wanted);
  if (!query.Next()) {
    return query.status().ok() ? UnknownRevision(machine, revision) : query.status();
  }
  ProfileRow row{.profile_id = query.Int(0), .profile = ProfileOf(query, machine)};
  if (absl::Status status = ReadParameters(db, row); !status.ok()) return status;
  return row.profile;
}

absl::StatusOr<std::optional<ProfileRecord>> ReadStatedProfile(Database& db,
                                                               absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db, absl::StrCat(kProfileColumns,
                               "AND provenance <> 'refined' ORDER BY revision DESC LIMIT 1"));
  query.Bind(*machine_id);
  if (!query.Next()) {
    if (!query.status().ok()) return query.status();
    return std::nullopt;
  }
  ProfileRow row{.profile_id = query.Int(0), .profile = ProfileOf(query, machine)};
  if (absl::Status status = ReadParameters(db, row); !status.ok()) return status;
  return row.profile;
}

absl::StatusOr<std::vector<ProfileRecord>> ReadProfiles(Database& db, absl::string_view machine,
                                                        int64_t before, int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db, absl::StrCat(kProfileColumns, "AND revision < ? ORDER BY revision DESC LIMIT ?"));
  query.Bind(*machine_id);
  query.Bind(before != 0 ? before : std::numeric_limits<int64_t>::max()).Bind(limit);
  std::vector<ProfileRecord> profiles;
  while (query.Next()) {
    ProfileRow row{.profile_id = query.Int(0), .profile = ProfileOf(query, machine)};
    if (absl::Status status = ReadParameters(db, row); !status.ok()) return status;
    profiles.push_back(std::move(row.profile));
  }
  if (!query.status().ok()) return query.status();
  return profiles;
}

absl::Status SetPinnedRevision(Database& db, absl::string_view machine, int64_t revision) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  if (revision != 0) {
    Query query(db, "SELECT 1 FROM profile WHERE machine_id = ? AND revision = ?");
    query.Bind(*machine_id).Bind(revision);
    if (!query.Next()) {
      return query.status().ok() ? UnknownRevision(machine, revision) : query.status();
    }
  }
  Query update(db, "UPDATE machine SET pinned_revision = ? WHERE machine_id = ?");
  update.Bind(revision).Bind(*machine_id);
  return update.Run();
}

}  // namespace cox::store
