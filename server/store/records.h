// What must survive: the rows of the domain, as the store gives and takes them. Plain data.
#ifndef COX_STORE_RECORDS_H_
#define COX_STORE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/cell_key.h"
#include "domain/drift.h"
#include "domain/parameter.h"
#include "store/cell.h"

namespace cox::store {

// Instants are microseconds since the Unix epoch, UTC.
struct MachineRecord {
  std::string name;  // [a-z0-9][a-z0-9._-]{0,62}
  int64_t nodes = 0;
  int64_t cores_per_node = 0;
  std::string topology_kind;  // "crossbar", "fat-tree", ...; "" when not known
  std::string topology_dims;  // as in the machine description, "" when the kind needs none
  int64_t create_time_us = 0;
  int64_t pinned_revision = 0;  // 0: the newest profile speaks
  std::string provenance;       // of the profile that speaks, "" without one; given by the store
};

// One immutable revision of a machine's parameters. Revisions of a machine count up from 1.
struct ProfileRecord {
  std::string machine;
  int64_t revision = 0;    // given by the store
  std::string provenance;  // "published", "calibrated", "refined", "imported", "edited"
  std::string note;        // what it was made from, for people
  // The observations it has learned from: ids up to and including this one. 0: none.
  int64_t observations_through_id = 0;
  int64_t create_time_us = 0;
  std::vector<domain::Parameter> parameters;
};

// A machine that comes with the daemon.
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
  std::string job;        // who reported it, may be empty (imports)
  std::string source;     // where it is from: a file, a user on a host; may be empty
  domain::CellKind kind = domain::CellKind::kBenchmark;  // given by the batch
  int64_t at_us = 0;                                     // when it was measured
};

// A batch from one reporter. (job, sequence) counts once, whatever is resent; job "" is never a
// resend.
struct ObservationBatch {
  std::string job;
  int64_t sequence = 0;
  std::string source;
  domain::CellKind kind = domain::CellKind::kBenchmark;
  std::vector<ObservationRecord> observations;
  int64_t dropped_count = 0;  // timings the reporter had to drop since its last batch
};

struct AppendResult {
  bool duplicate = false;  // (job, sequence) was there already: nothing was added
  int64_t first_id = 0;    // ids of the rows added: first_id..last_id; 0 when none
  int64_t last_id = 0;
};

// All observations of one scenario that were measured in one way, since one drift.
struct CellRecord {
  domain::ScenarioKey scenario;
  domain::CellKind kind = domain::CellKind::kBenchmark;
  int64_t epoch = 0;  // drifts of the scenario before it
  Cell cell;
};

struct ObservationFilter {
  std::string machine;   // "" = all
  std::string job;       // "" = all
  std::string source{};  // "" = all
};

// Who has reported.
struct Reporter {
  enum class Kind { kJob, kSource };
  Kind kind = Kind::kJob;
  std::string name;  // "": nobody
};

// What forgetting a job or a source took away.
struct Forgotten {
  struct Of {
    std::string machine;
    int64_t first_id = 0;  // the first of its observations that went
  };
  int64_t removed_count = 0;  // observations
  std::vector<Of> machines;   // those that had such observations
};

struct ObservationCount {
  int64_t observation_count = 0;
  int64_t dropped_count = 0;  // timings that reporters said they had to drop
};

}  // namespace cox::store

#endif  // COX_STORE_RECORDS_H_
