#include "store/sqlite/sketch_table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "store/limits.h"
#include "store/sketch_columns.h"
#include "store/sqlite/machine_table.h"

namespace cox::store {
namespace {

// The row's number and its sums; 0: there is none.
struct StoredSketch {
  int64_t id = 0;
  domain::PatternSketch sketch{};
};

void BindKey(Query& query, const SketchReporter& reporter, const domain::PatternKey& key) {
  query.Bind(reporter.machine_id).Bind(absl::string_view(key.application));
  query.Bind(static_cast<int64_t>(key.kind)).Bind(key.nodes).Bind(key.ppn).Bind(key.ranks);
  query.Bind(reporter.job_id).Bind(reporter.source_id);
}

absl::StatusOr<StoredSketch> FindSketch(Database& db, const SketchReporter& reporter,
                                        const domain::PatternKey& key) {
  Query query(db, absl::StrCat("SELECT pattern_sketch_id, ", kSketchColumns,
                               " FROM pattern_sketch WHERE machine_id = ? AND application = ?"
                               " AND kind = ? AND nodes = ? AND ppn = ? AND ranks = ?"
                               " AND job_id = ? AND source_id = ?"));
  BindKey(query, reporter, key);
  if (!query.Next()) {
    if (!query.status().ok()) return query.status();
    return StoredSketch();
  }
  const absl::StatusOr<domain::PatternSketch> sketch = SketchOf(query, 1);
  if (!sketch.ok()) return sketch.status();
  return StoredSketch{query.Int(0), *sketch};
}

absl::Status InsertEmptySketch(Database& db, const SketchReporter& reporter,
                               const domain::PatternKey& key, int64_t* id) {
  Query insert(db, absl::StrCat("INSERT INTO pattern_sketch (machine_id, application, kind, nodes,"
                                " ppn, ranks, job_id, source_id, ",
                                kSketchColumns,
                                ", change_time_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
                                " 1, 0, 0, 0.0, 0, 0.0, 0.0, '', '', '', 0)"));
  BindKey(insert, reporter, key);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  *id = db.LastInsertId();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> AddToSketch(Database& db, const SketchReporter& reporter,
                                 const domain::PatternSketch& sketch, int64_t now_us) {
  absl::StatusOr<StoredSketch> stored = FindSketch(db, reporter, sketch.key);
  if (!stored.ok()) return stored.status();
  const bool is_new = stored->id == 0;
  if (is_new) {
    absl::Status made = InsertEmptySketch(db, reporter, sketch.key, &stored->id);
    if (!made.ok()) return made;
  }
  domain::Add(sketch, stored->sketch);
  const domain::PatternSketch& sum = stored->sketch;
  const std::string destinations = EncodeCounts(sum.destination_counts);
  const std::string sizes = EncodeCounts(sum.size_counts);
  const std::string distances = EncodeCounts(sum.distance_counts);
  Query update(db, absl::StrCat("UPDATE pattern_sketch SET (", kSketchColumns,
                                ", change_time_us) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                                " WHERE pattern_sketch_id = ?"));
  update.Bind(sum.phase_count).Bind(sum.sampled_count).Bind(sum.repeat_count);
  update.Bind(sum.total_bytes).Bind(sum.timed_count).Bind(sum.inside_s).Bind(sum.between_s);
  update.Bind(absl::string_view(destinations)).Bind(absl::string_view(sizes));
  update.Bind(absl::string_view(distances)).Bind(now_us).Bind(stored->id);
  if (absl::Status updated = update.Run(); !updated.ok()) return updated;
  return is_new;
}

absl::Status PruneApplicationSketches(Database& db, int64_t machine_id,
                                      absl::string_view application) {
  {
    Query count(db, "SELECT count(*) FROM pattern_sketch WHERE machine_id = ? AND application = ?");
    count.Bind(machine_id).Bind(application);
    if (!count.Next() || count.Int(0) <= kMostApplicationSketchRows) return count.status();
  }
  Query prune(db,
              "DELETE FROM pattern_sketch WHERE pattern_sketch_id IN"
              " (SELECT pattern_sketch_id FROM (SELECT pattern_sketch_id, row_number() OVER"
              " (PARTITION BY source_id ORDER BY pattern_sketch_id DESC) AS of_source"
              " FROM pattern_sketch WHERE machine_id = ?1 AND application = ?2)"
              " ORDER BY of_source, pattern_sketch_id DESC LIMIT -1 OFFSET ?3)");
  return prune.Bind(machine_id).Bind(application).Bind(kMostApplicationSketchRows).Run();
}

absl::Status PruneSketches(Database& db, int64_t machine_id) {
  {
    Query count(db, "SELECT count(*) FROM pattern_sketch WHERE machine_id = ?");
    count.Bind(machine_id);
    if (!count.Next() || count.Int(0) <= kMostSketchRows) return count.status();
  }
  Query prune(db,
              "DELETE FROM pattern_sketch WHERE pattern_sketch_id IN"
              " (SELECT pattern_sketch_id FROM (SELECT pattern_sketch_id, row_number() OVER"
              " (PARTITION BY source_id ORDER BY pattern_sketch_id DESC) AS of_source"
              " FROM pattern_sketch WHERE machine_id = ?1)"
              " ORDER BY of_source, pattern_sketch_id DESC LIMIT -1 OFFSET ?2)");
  return prune.Bind(machine_id).Bind(kMostSketchRows).Run();
}

absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Database& db, absl::string_view machine,
                                                       absl::string_view application) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(
      db, absl::StrCat("SELECT application, kind, nodes, ppn, ranks, job.name, ", kSketchColumns,
                       " FROM pattern_sketch JOIN job USING (job_id)"
                       " WHERE machine_id = ?1 AND (?2 = '' OR application = ?2)"
                       " ORDER BY pattern_sketch_id"));
  query.Bind(*machine_id).Bind(application);
  std::vector<SketchRecord> records;
  while (query.Next()) {
    absl::StatusOr<domain::PatternSketch> sketch = SketchOf(query, 6);
    if (!sketch.ok()) return sketch.status();
    sketch->key = {.machine = std::string(machine),
                   .application = query.Text(0),
                   .kind = static_cast<domain::PatternKind>(query.Int(1)),
                   .nodes = query.Int(2),
                   .ppn = query.Int(3),
                   .ranks = query.Int(4)};
    records.push_back({*std::move(sketch), query.Text(5)});
  }
  if (!query.status().ok()) return query.status();
  return records;
}

}  // namespace cox::store
