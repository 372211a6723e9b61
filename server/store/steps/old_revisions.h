// Removes refined profile revisions that nobody needs any more: the step that is the same for every
// engine, in SQL that each understands. In a write.
//
// Thread rule: the connection's. Failure rule: the connection's.
#ifndef COX_STORE_STEPS_OLD_REVISIONS_H_
#define COX_STORE_STEPS_OLD_REVISIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/records.h"

namespace cox::store {

// How the note of a revision begins that learning made by itself, for no other reason.
inline constexpr absl::string_view kLearnedNote = "learned from ";

// The first ones, at most `limit`; how many.
template <typename Query, typename Connection>
absl::StatusOr<int64_t> RemoveSomeOldRevisions(Connection& connection, int64_t machine_id,
                                               const OldRevisions& old, int64_t limit) {
  std::vector<int64_t> ids;
  {
    // The newest revision stays, because its number must not be used twice. A revision that
    // learning made by itself goes if the next one is a refinement of the same hour. If each
    // revision were joined with the next one, PostgreSQL would read all of them.
    Query query(
        connection,
        absl::StrCat(
            "SELECT p.profile_id FROM profile p JOIN machine m ON m.machine_id = p.machine_id"
            " WHERE p.machine_id = $1 AND p.provenance = 'refined'"
            " AND p.revision <> m.pinned_revision AND p.create_time_us < $2"
            " AND p.revision < (SELECT max(l.revision) FROM profile l WHERE l.machine_id = $1)"
            " AND (p.create_time_us < $3 OR (p.note LIKE '",
            kLearnedNote,
            "%' AND"
            "  (SELECT CASE n.provenance WHEN 'refined' THEN n.create_time_us / $4 END"
            "   FROM profile n WHERE n.machine_id = p.machine_id AND n.revision > p.revision"
            "   ORDER BY n.revision LIMIT 1) = p.create_time_us / $4))"
            " ORDER BY p.revision LIMIT $5"));
    query.Bind(machine_id).Bind(old.thin_before_us).Bind(old.remove_before_us);
    query.Bind(OldRevisions::kKeptEvery_us).Bind(limit);
    while (query.Next()) ids.push_back(query.Int(0));
    if (!query.status().ok()) return query.status();
  }
  for (const int64_t id : ids) {
    Query remove(connection, "DELETE FROM profile WHERE profile_id = $1");  // parameters, too
    remove.Bind(id);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
  }
  return static_cast<int64_t>(ids.size());
}

}  // namespace cox::store

#endif  // COX_STORE_STEPS_OLD_REVISIONS_H_
