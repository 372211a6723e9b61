#include "store/postgres/rows/profile_rows.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/parameter.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/row_readers.h"
#include "store/words.h"

namespace cox::store::postgres {
namespace {

// All columns of a profile but its parameters.
constexpr const char* kProfileColumns =
    "SELECT profile_id, revision, provenance, note, observations_through_id, create_time_us"
    " FROM profile WHERE machine_id = $1 ";

struct ProfileRow {
  int64_t profile_id = 0;
  ProfileRecord profile;
};

absl::StatusOr<std::vector<ProfileRow>> ReadRows(Query& query, absl::string_view machine) {
  std::vector<ProfileRow> rows;
  while (query.Next()) {
    rows.push_back({.profile_id = query.Int(0), .profile = ProfileOf(query, machine)});
  }
  if (!query.status().ok()) return query.status();
  return rows;
}

absl::Status ReadParameters(Session& session, ProfileRow& row) {
  Query query(session,
              "SELECT model, level, name, value, stderr, above, relation, source FROM parameter"
              " WHERE profile_id = $1 ORDER BY position");
  query.Bind(row.profile_id);
  while (query.Next()) {
    absl::StatusOr<domain::Parameter> parameter = ParameterOf(query);
    if (!parameter.ok()) return parameter.status();
    row.profile.parameters.push_back(*std::move(parameter));
  }
  return query.status();
}

absl::Status InsertParameters(Session& session, int64_t profile_id, const ProfileRecord& profile) {
  if (profile.parameters.empty()) return absl::OkStatus();
  enum Column { kModel, kLevel, kName, kRelation, kSource };
  std::vector<std::string> texts[5];
  std::vector<double> reals[3];
  for (const domain::Parameter& parameter : profile.parameters) {
    texts[kModel].push_back(parameter.model);
    texts[kLevel].emplace_back(domain::LevelName(parameter.level));
    texts[kName].push_back(parameter.name);
    texts[kRelation].push_back(parameter.relation);
    texts[kSource].push_back(parameter.source);
    reals[0].push_back(parameter.value);
    reals[1].push_back(parameter.stderr_);
    reals[2].push_back(parameter.above);
  }
  Query add(session,
            "INSERT INTO parameter (profile_id, position, model, level, name, relation, source,"
            " value, stderr, above) SELECT $1, n - 1, model, level, name, relation, source, value,"
            " stderr, above FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[],"
            " $7::float8[], $8::float8[], $9::float8[]) WITH ORDINALITY"
            " AS p (model, level, name, relation, source, value, stderr, above, n)");
  add.Bind(profile_id);
  for (const auto& column : texts) add.BindAll(column);
  for (const auto& column : reals) add.BindAll(column);
  return add.Run();
}

// A refinement of a revision that is not active any more would undo what replaced it.
absl::Status CheckRefined(Session& session, int64_t machine_id, const ProfileRecord& profile) {
  if (!profile.refined_revision) return absl::OkStatus();
  Query query(session,
              "SELECT CASE pinned_revision WHEN 0 THEN coalesce((SELECT max(revision) FROM profile"
              " WHERE machine_id = m.machine_id), 0) ELSE pinned_revision END FROM machine m"
              " WHERE machine_id = $1");
  const absl::StatusOr<int64_t> active = query.Bind(machine_id).Number();
  if (!active.ok()) return active.status();
  if (*active == *profile.refined_revision) return absl::OkStatus();
  return RefinedAnother(profile.machine, *profile.refined_revision, *active);
}

absl::Status FollowDrifts(Session& session, int64_t machine_id, const ProfileRecord& profile) {
  if (!profile.follows_drifts) return absl::OkStatus();
  Query update(session,
               "UPDATE drift SET is_followed = 1 WHERE machine_id = $1 AND is_followed = 0");
  return update.Bind(machine_id).Run();
}

absl::Status EndRelearning(Session& session, int64_t machine_id, const ProfileRecord& profile) {
  if (profile.relearned_from_id == 0) return absl::OkStatus();
  Query update(session,
               "UPDATE machine SET relearn_from_id = 0"
               " WHERE machine_id = $1 AND relearn_from_id = $2");
  return update.Bind(machine_id).Bind(profile.relearned_from_id).Run();
}

}  // namespace

absl::StatusOr<int64_t> InsertProfile(Session& session, const ProfileRecord& profile,
                                      int64_t create_time_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, profile.machine);
  if (!machine_id.ok()) return machine_id.status();
  if (absl::Status checked = CheckRefined(session, *machine_id, profile); !checked.ok()) {
    return checked;
  }
  Query insert(
      session,
      "INSERT INTO profile (machine_id, revision, provenance, note,"
      " observations_through_id, create_time_us) SELECT $1, coalesce(max(revision), 0) + 1,"
      " $2, $3, $4, $5 FROM profile WHERE machine_id = $1"
      " RETURNING profile_id, revision");
  insert.Bind(*machine_id).Bind(absl::string_view(profile.provenance));
  insert.Bind(absl::string_view(profile.note)).Bind(profile.observations_through_id);
  insert.Bind(create_time_us);
  if (!insert.Next()) return insert.status();
  const int64_t profile_id = insert.Int(0);
  const int64_t revision = insert.Int(1);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  absl::Status added = InsertParameters(session, profile_id, profile);
  if (added.ok()) added = EndRelearning(session, *machine_id, profile);
  if (added.ok()) added = FollowDrifts(session, *machine_id, profile);
  if (!added.ok()) return added;
  return revision;
}

absl::StatusOr<ProfileRecord> ReadProfile(Session& session, absl::string_view machine,
                                          int64_t revision) {
  const absl::StatusOr<MachineRecord> record = ReadMachine(session, machine);
  if (!record.ok()) return record.status();
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  const int64_t wanted = revision != 0 ? revision : record->pinned_revision;
  Query query(session,
              absl::StrCat(kProfileColumns,
                           wanted != 0 ? "AND revision = $2" : "ORDER BY revision DESC LIMIT 1"));
  query.Bind(*machine_id);
  if (wanted != 0) query.Bind(wanted);
  absl::StatusOr<std::vector<ProfileRow>> rows = ReadRows(query, machine);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return UnknownRevision(machine, revision);
  if (absl::Status status = ReadParameters(session, rows->front()); !status.ok()) return status;
  return std::move(rows->front().profile);
}

absl::StatusOr<std::optional<ProfileRecord>> ReadStatedProfile(Session& session,
                                                               absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session, absl::StrCat(kProfileColumns,
                                    "AND provenance <> 'refined' ORDER BY revision DESC LIMIT 1"));
  query.Bind(*machine_id);
  absl::StatusOr<std::vector<ProfileRow>> rows = ReadRows(query, machine);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  if (absl::Status status = ReadParameters(session, rows->front()); !status.ok()) return status;
  return std::move(rows->front().profile);
}

absl::StatusOr<std::vector<ProfileRecord>> ReadProfiles(Session& session, absl::string_view machine,
                                                        int64_t before, int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session,
              absl::StrCat(kProfileColumns, "AND revision < $2 ORDER BY revision DESC LIMIT $3"));
  query.Bind(*machine_id);
  query.Bind(before != 0 ? before : std::numeric_limits<int64_t>::max()).Bind(limit);
  absl::StatusOr<std::vector<ProfileRow>> rows = ReadRows(query, machine);
  if (!rows.ok()) return rows.status();
  std::vector<ProfileRecord> profiles;
  for (ProfileRow& row : *rows) {
    if (absl::Status status = ReadParameters(session, row); !status.ok()) return status;
    profiles.push_back(std::move(row.profile));
  }
  return profiles;
}

absl::Status SetPinnedRevision(Session& session, absl::string_view machine, int64_t revision) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  if (revision != 0) {
    const absl::StatusOr<int64_t> known =
        Query(session, "SELECT revision FROM profile WHERE machine_id = $1 AND revision = $2")
            .Bind(*machine_id)
            .Bind(revision)
            .Number();
    if (!known.ok()) return known.status();
    if (*known == 0) return UnknownRevision(machine, revision);
  }
  Query update(session, "UPDATE machine SET pinned_revision = $1 WHERE machine_id = $2");
  return update.Bind(revision).Bind(*machine_id).Run();
}

}  // namespace cox::store::postgres
