#include "store/postgres/rows/sketch_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/sketch_columns.h"

namespace cox::store::postgres {
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

absl::StatusOr<StoredSketch> FindSketch(Session& session, const SketchReporter& reporter,
                                        const domain::PatternKey& key) {
  Query query(session, absl::StrCat("SELECT pattern_sketch_id, ", kSketchColumns,
                                    " FROM pattern_sketch WHERE machine_id = $1"
                                    " AND application = $2 AND kind = $3 AND nodes = $4"
                                    " AND ppn = $5 AND ranks = $6 AND job_id = $7"
                                    " AND source_id = $8"));
  BindKey(query, reporter, key);
  if (!query.Next()) {
    if (!query.status().ok()) return query.status();
    return StoredSketch();
  }
  const absl::StatusOr<domain::PatternSketch> sketch = SketchOf(query, 1);
  if (!sketch.ok()) return sketch.status();
  return StoredSketch{query.Int(0), *sketch};
}

absl::Status InsertEmptySketch(Session& session, const SketchReporter& reporter,
                               const domain::PatternKey& key, int64_t* id) {
  Query insert(session,
               absl::StrCat("INSERT INTO pattern_sketch (machine_id, application, kind, nodes,"
                            " ppn, ranks, job_id, source_id, ",
                            kSketchColumns,
                            ", change_time_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,"
                            " 1, 0, 0, 0, 0, 0, 0, '', '', '', 0) RETURNING pattern_sketch_id"));
  BindKey(insert, reporter, key);
  const absl::StatusOr<int64_t> made = insert.Number();
  if (!made.ok()) return made.status();
  *id = *made;
  Query prune(session,
              "DELETE FROM pattern_sketch WHERE machine_id = $1 AND pattern_sketch_id <="
              " (SELECT pattern_sketch_id FROM pattern_sketch WHERE machine_id = $1"
              " ORDER BY pattern_sketch_id DESC LIMIT 1 OFFSET $2)");
  return prune.Bind(reporter.machine_id).Bind(kMostSketchRows).Run();
}

}  // namespace

absl::Status AddToSketch(Session& session, const SketchReporter& reporter,
                         const domain::PatternSketch& sketch, int64_t now_us) {
  absl::StatusOr<StoredSketch> stored = FindSketch(session, reporter, sketch.key);
  if (!stored.ok()) return stored.status();
  if (stored->id == 0) {
    absl::Status made = InsertEmptySketch(session, reporter, sketch.key, &stored->id);
    if (!made.ok()) return made;
  }
  domain::Add(sketch, stored->sketch);
  const domain::PatternSketch& sum = stored->sketch;
  const std::string destinations = EncodeCounts(sum.destination_counts);
  const std::string sizes = EncodeCounts(sum.size_counts);
  const std::string distances = EncodeCounts(sum.distance_counts);
  Query update(session, absl::StrCat("UPDATE pattern_sketch SET (", kSketchColumns,
                                     ", change_time_us) = ($1, $2, $3, $4, $5, $6, $7, $8, $9,"
                                     " $10, $11) WHERE pattern_sketch_id = $12"));
  update.Bind(sum.phase_count).Bind(sum.sampled_count).Bind(sum.repeat_count);
  update.Bind(sum.total_bytes).Bind(sum.timed_count).Bind(sum.inside_s).Bind(sum.between_s);
  update.Bind(absl::string_view(destinations)).Bind(absl::string_view(sizes));
  return update.Bind(absl::string_view(distances)).Bind(now_us).Bind(stored->id).Run();
}

absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Session& session, absl::string_view machine,
                                                       absl::string_view application) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session, absl::StrCat("SELECT application, kind, nodes, ppn, ranks, job.name, ",
                                    kSketchColumns,
                                    " FROM pattern_sketch JOIN job USING (job_id)"
                                    " WHERE machine_id = $1 AND ($2 = '' OR application = $2)"
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

}  // namespace cox::store::postgres
