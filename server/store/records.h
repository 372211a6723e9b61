// The rows of the store. Plain data.
#ifndef COX_STORE_RECORDS_H_
#define COX_STORE_RECORDS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/cell_key.h"
#include "domain/drift.h"
#include "domain/parameter.h"
#include "domain/pattern/sketch.h"
#include "store/cell.h"

namespace cox::store {

// On whose behalf a change is made. Without a principal: the daemon's own, which is not audited.
struct Actor {
  std::string principal{};  // "uid:1000"
  std::string method{};     // "cox.v1.MachineService/DeleteMachine"
};

// Instants are microseconds since the Unix epoch, UTC.
struct MachineRecord {
  std::string name;  // [a-z0-9][a-z0-9._-]{0,62}
  int64_t nodes = 0;
  int64_t cores_per_node = 0;
  std::string topology_kind;  // "crossbar", "fat-tree", ...; "" when not known
  std::string topology_dims;  // as in the machine description, "" when the kind needs none
  int64_t create_time_us = 0;
  int64_t pinned_revision = 0;  // 0: the newest profile is active
  std::string provenance;       // of the active profile, "" without one; assigned by the store
  // Forget() has removed observations, and nobody has learned without them since: see
  // ProfileRecord::relearned_from_id. It has removed drifts and withdrawals with evidence from this
  // id on. 0: nothing to learn again. Assigned by the store.
  int64_t relearn_from_id = 0;
};

// One immutable revision of a machine's parameters. Revisions of a machine count up from 1.
struct ProfileRecord {
  std::string machine;
  int64_t revision = 0;    // given by the store
  std::string provenance;  // "published", "calibrated", "refined", "imported", "edited"
  std::string note;        // what it was made from, as text
  // It includes observations with ids up to this one. 0: none.
  int64_t observations_through_id = 0;
  int64_t create_time_us = 0;
  std::vector<domain::Parameter> parameters;
  // Of what the learner adds: the revision that it refined (0: none). The store refuses the profile
  // if another one is active by now, or if another daemon learns for the machine.
  std::optional<int64_t> refined_revision{};
  // Of what the learner has learned again: the MachineRecord::relearn_from_id that it began with,
  // which this profile makes 0. If it is another one by now, it stays. 0: not learned again.
  int64_t relearned_from_id = 0;
  // Drifts so far are followed (domain::Drift::is_followed): by what was learned, or by what
  // somebody has set. False: the parameters of refined_revision once more.
  bool follows_drifts = true;
};

// A machine that is compiled into the daemon.
struct PublishedMachine {
  MachineRecord machine;
  ProfileRecord profile;
};

struct ObservationRecord {
  int64_t id = 0;  // given by the store, ascending in the order of commit
  domain::ScenarioKey scenario;
  double time_s = 0;
  int64_t count = 1;      // timings behind time_s
  double stddev_s = 0;    // of those timings; 0: not known
  std::string statistic;  // "mean", "median", "min"; "" = mean (and is read back as "mean")
  std::string run;        // label of the run it belongs to, may be empty
  std::string job;        // the reporting job; empty for imports
  std::string source;     // a file, a user on a host; may be empty
  domain::CellKind kind = domain::CellKind::kBenchmark;  // given by the batch
  int64_t at_us = 0;                                     // when it was measured
};

// What the ranks of one job have sent in phases of one kind.
struct SketchRecord {
  domain::PatternSketch sketch;
  std::string job;
};

// Of a batch. Until a sum overflows 64 bits, a reporter must send a batch for every row that it may
// send for days, and fill the disk with them.
inline constexpr int64_t kMaxDroppedCount = 1'000'000'000;

// A batch from one reporter. A repeated (job, sequence) counts once; job "" is never a
// resend.
struct ObservationBatch {
  std::string job;
  int64_t sequence = 0;
  std::string source;
  domain::CellKind kind = domain::CellKind::kBenchmark;
  std::vector<ObservationRecord> observations;
  std::vector<domain::PatternSketch> sketches{};
  // Timings of the reporter that are in no batch since its last one, at most kMaxDroppedCount.
  int64_t dropped_count = 0;
  std::string dropped_machine{};  // whose they are; "": that of the first observation
  Actor actor{};                  // of an import that is audited

  // What writing it costs, in rows: at least 1. A sketch takes several statements.
  int64_t RowsToWrite() const {
    constexpr int64_t kRowsPerSketch = 16;
    const auto rows = static_cast<int64_t>(observations.size());
    const int64_t of_sketches = kRowsPerSketch * static_cast<int64_t>(sketches.size());
    return std::max<int64_t>(1, rows + of_sketches);
  }

  // The machine that dropped_count counts for, too; "": none.
  const std::string& DroppedMachine() const {
    return dropped_machine.empty() && !observations.empty() ? observations[0].scenario.machine
                                                            : dropped_machine;
  }
};

struct AppendResult {
  bool duplicate = false;  // (job, sequence) was stored before: nothing was added
  int64_t first_id = 0;    // ids of the rows added: first_id..last_id; 0 when none
  int64_t last_id = 0;
};

// The observations of one scenario, of one kind, between two drifts.
struct CellRecord {
  domain::ScenarioKey scenario;
  domain::CellKind kind = domain::CellKind::kBenchmark;
  int64_t epoch = 0;  // number of earlier drifts of the scenario
  Cell cell;
};

struct ObservationFilter {
  std::string machine;   // "" = all
  std::string job;       // "" = all
  std::string source{};  // "" = all
  // Reading rows obeys these; counting does not.
  std::string library{};     // "" = all
  std::string collective{};  // "" = all
  std::string algorithm{};   // "" = all
  int64_t since_us = 0;      // measured then or later
  bool newest_first = false;
  int64_t until_id = 0;  // and none beyond this id, in the order of the list; 0: to its end

  // Whether reading may pass over any number of rows to find one.
  bool MayPassOver() const {
    return machine.empty() || !job.empty() || !source.empty() || !library.empty() ||
           !collective.empty() || !algorithm.empty() || since_us > 0;
  }
};

// A job or a source.
struct Reporter {
  enum class Kind { kJob, kSource };
  Kind kind = Kind::kJob;
  std::string name;  // "": none
};

// One change: who did what when.
struct AuditRecord {
  int64_t id = 0;  // given by the store, ascending
  int64_t time_us = 0;
  Actor actor{};
  std::string machine{};  // "": none
  std::string change{};   // in words: "revision 3: imported from delta.toml"
};

struct AuditFilter {
  std::string principal{};  // "" = all
  std::string machine{};    // "" = all
  int64_t since_us = 0;     // made then or later
};

// What Forget() removed.
struct Forgotten {
  struct Of {
    std::string machine;
    int64_t first_id = 0;  // its first removed observation
  };
  int64_t removed_count = 0;  // observations
  int64_t removed_sketch_count = 0;
  std::vector<Of> machines;                   // machines with removed observations
  std::vector<std::string> deleted_machines;  // the same of machines that rest; names may repeat
};

// Which rows of a machine are old.
struct OldRows {
  int64_t before_us = 0;   // measured before
  int64_t most_rows = 0;   // beyond the newest rows, whatever their age; 0: no limit
  int64_t through_id = 0;  // and none with a greater id
  // Where the next step goes on: SummedUp::through_id. After the first rows, most_rows counts for
  // nothing.
  int64_t after_id = 0;
};

struct SummedUp {
  int64_t observation_count = 0;  // rows that were summed up
  int64_t through_id = 0;         // the last row that was looked at; 0: no row before it is left
  bool has_more = false;          // there may be old rows after it
};

// Which jobs are old.
struct OldJobs {
  int64_t age_days = 0;        // whose last batch came more whole days ago
  int64_t after_batch_id = 0;  // where the next step goes on: MergedJobs::through_batch_id
};

struct MergedJobs {
  int64_t job_count = 0;
  int64_t batch_count = 0;       // batches that were removed
  int64_t through_batch_id = 0;  // the last batch that was looked at
  bool has_more = false;         // there may be more
};

// Which refined profile revisions nobody needs any more.
struct OldRevisions {
  static constexpr int64_t kKeptEvery_us = int64_t{3'600'000'000};  // an hour
  int64_t thin_before_us = 0;    // of those made before, the last one of each hour stays
  int64_t remove_before_us = 0;  // of those made before, none stays; at most thin_before_us
};

// The database file, as of one commit.
struct FileFacts {
  int64_t schema_version = 0;
  int64_t page_bytes = 0;
  int64_t page_count = 0;
  int64_t free_page_count = 0;  // compacting gives them back to the file system
  int64_t log_bytes = 0;        // of the write-ahead log
  int64_t summed_count = 0;     // observations that were summed up, of machines that exist
};

struct ObservationCount {
  int64_t observation_count = 0;
  int64_t dropped_count = 0;  // dropped timings, as the batches stated them
};

}  // namespace cox::store

#endif  // COX_STORE_RECORDS_H_
