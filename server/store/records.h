// What must survive: the rows of the domain, as the store gives and takes them. Plain data.
#ifndef COX_STORE_RECORDS_H_
#define COX_STORE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

struct ParameterRecord {
  std::string model;
  std::string level;  // "self", "node", "network"
  std::string name;
  double value = 0;
  double stderr_ = 0;
  std::string source{};
  double above = 0;        // of a piecewise parameter: applies where the argument is above this
  std::string relation{};  // "", "<=" or "sum"
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
  std::vector<ParameterRecord> parameters;
};

// A machine that comes with the daemon.
struct PublishedMachine {
  MachineRecord machine;
  ProfileRecord profile;
};

// What was run: everything that two timings must share to be comparable.
struct ScenarioKey {
  std::string machine;
  std::string library;
  std::string collective;
  std::string algorithm;  // the library's own name, or "default"
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 1;  // ranks <= nodes * ppn
  int64_t block_bytes = 0;
  int64_t type_bytes = 4;
  friend bool operator==(const ScenarioKey&, const ScenarioKey&) = default;
};

struct ObservationRecord {
  int64_t id = 0;  // given by the store, ascending in the order of commit
  ScenarioKey scenario;
  double time_s = 0;
  int64_t count = 1;      // timings behind time_s
  double stddev_s = 0;    // of those timings; 0: not known
  std::string statistic;  // "mean", "median", "min"; "" = mean (and is read back as "mean")
  std::string run;        // label of the run it belongs to, may be empty
  std::string job;        // who reported it, may be empty (imports)
  int64_t at_us = 0;      // when it was measured
};

// A batch from one reporter. (job, sequence) counts once, whatever is resent; job "" is never a
// resend.
struct ObservationBatch {
  std::string job;
  int64_t sequence = 0;
  std::vector<ObservationRecord> observations;
  int64_t dropped_count = 0;  // timings the reporter had to drop since its last batch
};

struct AppendResult {
  bool duplicate = false;  // (job, sequence) was there already: nothing was added
  int64_t first_id = 0;    // ids of the rows added: first_id..last_id; 0 when none
  int64_t last_id = 0;
};

// All observations of one scenario, summed up: what the learning part starts from.
// Logarithms are natural, of time in seconds; weights are timings (`count`), capped per observation
// so that one report cannot outweigh the others (Store::kMaxCellWeight).
struct CellRecord {
  ScenarioKey scenario;
  double weight = 0;
  double mean_log_time = 0;
  double m2_log_time = 0;  // sum of weighted squared deviations from the mean
  int64_t observation_count = 0;
};

struct ObservationFilter {
  std::string machine;  // "" = all
  std::string job;      // "" = all
};

struct ObservationCount {
  int64_t observation_count = 0;
  int64_t dropped_count = 0;  // timings that reporters said they had to drop
};

}  // namespace cox::store

#endif  // COX_STORE_RECORDS_H_
