#include "store/postgres/rows/sketch_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/sketch_columns.h"

namespace cox::store::postgres {
namespace {

constexpr const char* kSketchKeyColumns =
    "machine_id, application, kind, nodes, ppn, ranks, job_id, source_id";
constexpr const char* kSketchKeyArrays =
    "$1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],"
    " $7::bigint[], $8::bigint[]";

// The columns of rows, as arrays.
struct SketchArrays {
  explicit SketchArrays(const std::vector<SketchParts::Row>& rows) {
    for (const auto& [reporter, sketch] : rows) {
      const domain::PatternKey& key = sketch.key;
      machines.push_back(reporter.machine_id);
      applications.push_back(key.application);
      kinds.push_back(static_cast<int64_t>(key.kind));
      nodes.push_back(key.nodes);
      ppns.push_back(key.ppn);
      ranks.push_back(key.ranks);
      jobs.push_back(reporter.job_id);
      sources.push_back(reporter.source_id);
      phases.push_back(sketch.phase_count);
      samples.push_back(sketch.sampled_count);
      repeats.push_back(sketch.repeat_count);
      bytes.push_back(sketch.total_bytes);
      timed.push_back(sketch.timed_count);
      inside.push_back(sketch.inside_s);
      between.push_back(sketch.between_s);
      destinations.push_back(EncodeCounts(sketch.destination_counts));
      sizes.push_back(EncodeCounts(sketch.size_counts));
      distances.push_back(EncodeCounts(sketch.distance_counts));
    }
  }
  Query& BindKeysTo(Query& query) const {
    query.BindAll(machines).BindAll(applications).BindAll(kinds).BindAll(nodes);
    return query.BindAll(ppns).BindAll(ranks).BindAll(jobs).BindAll(sources);
  }
  Query& BindTo(Query& query) const {
    BindKeysTo(query).BindAll(phases).BindAll(samples).BindAll(repeats).BindAll(bytes);
    query.BindAll(timed).BindAll(inside).BindAll(between);
    return query.BindAll(destinations).BindAll(sizes).BindAll(distances);
  }

  std::vector<int64_t> machines, kinds, nodes, ppns, ranks, jobs, sources;
  std::vector<std::string> applications;
  std::vector<int64_t> phases, samples, repeats, timed;
  std::vector<double> bytes, inside, between;
  std::vector<std::string> destinations, sizes, distances;
};

// Adds what the rows have already. Returns how many of them exist.
absl::StatusOr<size_t> AddStoredSketches(Session& session, std::vector<SketchParts::Row>& rows) {
  Query query(session, absl::StrCat("SELECT k.n, ", kSketchColumns, " FROM unnest(",
                                    kSketchKeyArrays, ") WITH ORDINALITY AS k (", kSketchKeyColumns,
                                    ", n) JOIN pattern_sketch USING (", kSketchKeyColumns, ")"));
  SketchArrays(rows).BindKeysTo(query);
  size_t count = 0;
  for (; query.Next(); ++count) {
    const absl::StatusOr<domain::PatternSketch> stored = SketchOf(query, 1);
    if (!stored.ok()) return stored.status();
    domain::Add(*stored, rows[static_cast<size_t>(query.Int(0) - 1)].sketch);
  }
  if (!query.status().ok()) return query.status();
  return count;
}

absl::Status WriteSketches(Session& session, const SketchArrays& columns, int64_t now_us) {
  Query write(session,
              absl::StrCat("INSERT INTO pattern_sketch (", kSketchKeyColumns, ", ", kSketchColumns,
                           ", change_time_us) SELECT ", kSketchKeyColumns, ", ", kSketchColumns,
                           ", $19::bigint FROM unnest(", kSketchKeyArrays,
                           ", $9::bigint[], $10::bigint[], $11::bigint[], $12::float8[],"
                           " $13::bigint[], $14::float8[], $15::float8[], $16::text[],"
                           " $17::text[], $18::text[]) WITH ORDINALITY AS u (",
                           kSketchKeyColumns, ", ", kSketchColumns, ", n) ORDER BY n ON CONFLICT (",
                           kSketchKeyColumns, ") DO UPDATE SET (", kSketchColumns,
                           ", change_time_us) = (excluded.phase_count, excluded.sampled_count,"
                           " excluded.repeat_count, excluded.total_bytes, excluded.timed_count,"
                           " excluded.inside_s, excluded.between_s, excluded.destination_counts,"
                           " excluded.size_counts, excluded.distance_counts,"
                           " excluded.change_time_us)"));
  return columns.BindTo(write).Bind(now_us).Run();
}

// First of each application, then of each machine: the oldest of the source that has most.
absl::Status PruneSketches(Session& session, const SketchArrays& columns) {
  Query prune(session,
              "DELETE FROM pattern_sketch WHERE machine_id = ANY($1) AND pattern_sketch_id NOT IN"
              " (SELECT pattern_sketch_id FROM"
              " (SELECT pattern_sketch_id, row_number() OVER"
              " (PARTITION BY machine_id ORDER BY of_source, pattern_sketch_id DESC)"
              " AS in_machine FROM"
              " (SELECT pattern_sketch_id, machine_id, row_number() OVER"
              " (PARTITION BY machine_id, source_id ORDER BY pattern_sketch_id DESC) AS of_source"
              " FROM (SELECT pattern_sketch_id, machine_id, source_id, row_number() OVER"
              " (PARTITION BY machine_id, application ORDER BY of_source, pattern_sketch_id DESC)"
              " AS in_application FROM"
              " (SELECT pattern_sketch_id, machine_id, application, source_id, row_number() OVER"
              " (PARTITION BY machine_id, application, source_id ORDER BY pattern_sketch_id DESC)"
              " AS of_source FROM pattern_sketch WHERE machine_id = ANY($1)) a) b"
              " WHERE in_application <= $2) c) d WHERE in_machine <= $3)");
  prune.BindAll(columns.machines);
  return prune.Bind(kMostApplicationSketchRows).Bind(kMostSketchRows).Run();
}

}  // namespace

void SketchParts::Add(const SketchReporter& reporter, const domain::PatternSketch& sketch) {
  const auto [place, is_new] = index_.try_emplace({reporter, sketch.key}, rows_.size());
  if (is_new) {
    rows_.push_back({reporter, sketch});
  } else {
    domain::Add(sketch, rows_[place->second].sketch);
  }
}

absl::Status AddToSketches(Session& session, SketchParts parts, int64_t now_us) {
  std::vector<SketchParts::Row>& rows = parts.rows();
  if (rows.empty()) return absl::OkStatus();
  const absl::StatusOr<size_t> stored_count = AddStoredSketches(session, rows);
  if (!stored_count.ok()) return stored_count.status();
  const SketchArrays columns(rows);
  absl::Status written = WriteSketches(session, columns, now_us);
  if (!written.ok() || *stored_count == rows.size()) return written;
  return PruneSketches(session, columns);
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
