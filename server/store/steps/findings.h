// Removes what learning has found by means of reports that go: drifts and withdrawals. The steps
// that are the same for every engine, in SQL that each understands. In a write.
//
// A finding goes if its evidence contains a report that goes. It stays if the rest of its evidence
// is in sums, because then nobody can find it again.
//
// Thread rule: the connection's. Failure rule: the connection's.
#ifndef COX_STORE_STEPS_FINDINGS_H_
#define COX_STORE_STEPS_FINDINGS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"

namespace cox::store {

// The conditions that a finding is about scenario `s`, and batch or sum `b`: row `d` of drift, and
// row `w` of withdrawal.
struct FindingConditions {
  const char* drift;
  const char* withdrawal;
};

template <typename Query, typename Connection>
class FindingRemoval {
 public:
  FindingRemoval(Connection& connection, const FindingConditions& conditions, int64_t machine_id)
      : connection_(connection),
        drifts_{"drift", "d", conditions.drift},
        withdrawals_{"withdrawal", "w", conditions.withdrawal},
        machine_id_(machine_id) {}

  // Before the reports of the reporter go: `column` ("job_id" or "source_id") is `reporter_id`.
  // Cost: at most all of them, for each finding of the machine.
  absl::Status Find(absl::string_view column, int64_t reporter_id) {
    for (Kind* const kind : {&drifts_, &withdrawals_}) {
      absl::Status found = Find(column, reporter_id, *kind);
      if (!found.ok()) return found;
    }
    return absl::OkStatus();
  }

  // After they went.
  absl::Status Remove() {
    absl::Status removed = Remove(drifts_);
    if (removed.ok() && drifts_.removed_count > 0) {
      // Learning finds drifts in the order of time, so it has to find the later ones again, too.
      drifts_.findings.clear();
      removed = FindSince(drifts_.first_removed_last_id, drifts_);
      if (removed.ok()) removed = Remove(drifts_);
    }
    return removed.ok() ? Remove(withdrawals_) : removed;
  }

  int64_t removed_drift_count() const { return drifts_.removed_count; }
  // The first observation that may have a part in a finding that was removed; 0: none was.
  int64_t first_id() const {
    if (drifts_.first_id == 0 || withdrawals_.first_id == 0) {
      return std::max(drifts_.first_id, withdrawals_.first_id);
    }
    return std::min(drifts_.first_id, withdrawals_.first_id);
  }

 private:
  struct Finding {
    int64_t id;
    int64_t first_id;
    int64_t last_id;
  };
  struct Kind {
    const char* table;
    const char* alias;
    const char* is_about;
    std::vector<Finding> findings{};
    int64_t removed_count = 0;
    int64_t first_id = 0;               // of those that were removed; 0: none was
    int64_t first_removed_last_id = 0;  // likewise
  };

  absl::Status Find(absl::string_view column, int64_t reporter_id, Kind& kind) {
    // SQLite keeps the order of cross joins.
    Query query(
        connection_,
        absl::Substitute(
            "SELECT $1.$0_id, $1.first_id, $1.last_id FROM $0 $1 WHERE $1.machine_id = $$1"
            " AND (EXISTS (SELECT 1 FROM batch b CROSS JOIN observation o CROSS JOIN scenario s"
            "  WHERE b.$2 = $$2 AND b.batch_id <= $1.last_id"
            "  AND b.batch_id + b.id_count > $1.first_id"
            "  AND o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1"
            "  AND o.observation_id BETWEEN $1.first_id AND $1.last_id"
            "  AND s.scenario_id = o.scenario_id AND $3)"
            " OR EXISTS (SELECT 1 FROM old_sum b CROSS JOIN scenario s"
            "  WHERE b.$2 = $$2 AND b.first_id <= $1.last_id AND b.last_id >= $1.first_id"
            "  AND s.scenario_id = b.scenario_id AND $3))",
            kind.table, kind.alias, column, kind.is_about));
    query.Bind(machine_id_).Bind(reporter_id);
    return Take(query, kind);
  }

  absl::Status FindSince(int64_t last_id, Kind& kind) {
    Query query(connection_, absl::Substitute("SELECT $0_id, first_id, last_id FROM $0"
                                              " WHERE machine_id = $$1 AND last_id >= $$2",
                                              kind.table));
    query.Bind(machine_id_).Bind(last_id);
    return Take(query, kind);
  }

  static absl::Status Take(Query& query, Kind& kind) {
    while (query.Next()) kind.findings.push_back({query.Int(0), query.Int(1), query.Int(2)});
    return query.status();
  }

  absl::StatusOr<bool> HasSums(const Finding& finding, const Kind& kind) {
    Query query(connection_,
                absl::Substitute(
                    "SELECT count(*) FROM (SELECT 1 FROM $0 $1 CROSS JOIN scenario s"
                    " CROSS JOIN old_sum b WHERE $1.$0_id = $$1 AND s.machine_id = $1.machine_id"
                    " AND b.scenario_id = s.scenario_id AND b.first_id <= $1.last_id"
                    " AND b.last_id >= $1.first_id AND $2 LIMIT 1) r",
                    kind.table, kind.alias, kind.is_about));
    const absl::StatusOr<int64_t> count = query.Bind(finding.id).Number();
    if (!count.ok()) return count.status();
    return *count > 0;
  }

  absl::Status Remove(Kind& kind) {
    for (const Finding& finding : kind.findings) {
      const absl::StatusOr<bool> has_sums = HasSums(finding, kind);
      if (!has_sums.ok()) return has_sums.status();
      if (*has_sums) continue;
      Query remove(connection_, absl::Substitute("DELETE FROM $0 WHERE $0_id = $$1", kind.table));
      if (absl::Status status = remove.Bind(finding.id).Run(); !status.ok()) return status;
      const bool is_first = kind.removed_count++ == 0;
      kind.first_id = is_first ? finding.first_id : std::min(kind.first_id, finding.first_id);
      kind.first_removed_last_id =
          is_first ? finding.last_id : std::min(kind.first_removed_last_id, finding.last_id);
    }
    return absl::OkStatus();
  }

  Connection& connection_;
  Kind drifts_;
  Kind withdrawals_;
  int64_t machine_id_;
};

// Notes that a machine has to be learned again: `removal` is of the reports that went.
template <typename Query, typename Connection>
absl::Status NoteRelearning(Connection& connection, int64_t machine_id,
                            const FindingRemoval<Query, Connection>& removal) {
  int64_t from_id = removal.first_id();
  if (from_id == 0) {
    const absl::StatusOr<int64_t> next_id =
        Query(connection, "SELECT observation_id FROM next_id").Number();
    if (!next_id.ok()) return next_id.status();
    from_id = *next_id;
  }
  Query note(connection,
             "UPDATE machine SET relearn_from_id = $1"
             " WHERE machine_id = $2 AND (relearn_from_id = 0 OR relearn_from_id > $1)");
  return note.Bind(from_id).Bind(machine_id).Run();
}

}  // namespace cox::store

#endif  // COX_STORE_STEPS_FINDINGS_H_
