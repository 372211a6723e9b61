-- Coxswain's database, version 1. Times are seconds, sizes bytes, instants microseconds since the Unix
-- epoch (UTC). docs/formats.md says what each table is for.

-- "COXS": how the file is known to be ours. user_version is set by whoever applies the migrations.
PRAGMA application_id = 0x434F5853;

-- name is NULL from the moment when the machine is deleted until its last row is gone.
CREATE TABLE machine (
  machine_id INTEGER PRIMARY KEY,
  name TEXT UNIQUE CHECK (length(name) BETWEEN 1 AND 63),
  nodes INTEGER NOT NULL CHECK (nodes >= 0),
  cores_per_node INTEGER NOT NULL CHECK (cores_per_node >= 0),
  topology_kind TEXT NOT NULL,
  topology_dims TEXT NOT NULL,
  create_time_us INTEGER NOT NULL,
  pinned_revision INTEGER NOT NULL DEFAULT 0 CHECK (pinned_revision >= 0),
  dropped_count INTEGER NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
) STRICT;

-- Revisions are never changed.
CREATE TABLE profile (
  profile_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  provenance TEXT NOT NULL
    CHECK (provenance IN ('published', 'calibrated', 'refined', 'imported', 'edited')),
  note TEXT NOT NULL,
  observations_through_id INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL,
  UNIQUE (machine_id, revision)
) STRICT;

CREATE TABLE parameter (
  profile_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
  position INTEGER NOT NULL,
  model TEXT NOT NULL,
  level TEXT NOT NULL,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  stderr REAL NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (profile_id, position)
) STRICT, WITHOUT ROWID;

-- What was run, and the sums over all observations of it (its cell).
CREATE TABLE scenario (
  scenario_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ppn INTEGER NOT NULL CHECK (ppn >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  block_bytes INTEGER NOT NULL CHECK (block_bytes >= 0),
  type_bytes INTEGER NOT NULL CHECK (type_bytes >= 1),
  observation_count INTEGER NOT NULL DEFAULT 0 CHECK (observation_count >= 0),
  weight REAL NOT NULL DEFAULT 0,
  mean_log_time REAL NOT NULL DEFAULT 0,
  m2_log_time REAL NOT NULL DEFAULT 0,
  UNIQUE (machine_id, library, collective, algorithm, nodes, ppn, ranks, block_bytes, type_bytes),
  -- The parent key of observation: see there.
  UNIQUE (machine_id, scenario_id)
) STRICT;

-- Who reported. '' is everyone without a name (imports).
CREATE TABLE job (
  job_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dropped_count INTEGER NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
) STRICT;

-- A batch as it was reported. It owns the observation ids batch_id .. batch_id + id_count - 1 (an empty
-- batch owns one that no observation has), so that an observation needs no column that says whose it is.
-- sequence is NULL where resends are not told apart.
CREATE TABLE batch (
  batch_id INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job,
  sequence INTEGER,
  id_count INTEGER NOT NULL CHECK (id_count >= 1),
  dropped_count INTEGER NOT NULL CHECK (dropped_count >= 0),
  UNIQUE (job_id, sequence)
) STRICT;
CREATE INDEX batch_by_job ON batch (job_id);

-- The two ids of the scenario are one foreign key: the index that a deletion of the parent needs is then
-- the one that lists a machine's observations in order, and an index over scenario_id, which would halve
-- the rate of insertion, is not needed at all.
CREATE TABLE observation (
  observation_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL,
  scenario_id INTEGER NOT NULL,
  time_s REAL NOT NULL CHECK (time_s > 0),
  timing_count INTEGER NOT NULL CHECK (timing_count >= 1),
  stddev_s REAL NOT NULL,
  statistic INTEGER NOT NULL,  -- 0 mean, 1 median, 2 min
  run TEXT,
  at_us INTEGER NOT NULL,
  FOREIGN KEY (machine_id, scenario_id) REFERENCES scenario (machine_id, scenario_id)
) STRICT;
CREATE INDEX observation_by_machine ON observation (machine_id);

-- The id that the next observation gets. Ids are never used twice, even when the newest rows are deleted:
-- profiles say through which id they have learned.
CREATE TABLE next_id (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  observation_id INTEGER NOT NULL
) STRICT;
INSERT INTO next_id VALUES (1, 1);

-- Writes that carried a request id, so that a resend gets the first outcome. The oldest are dropped.
CREATE TABLE request (
  request_number INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  method TEXT NOT NULL,
  subject TEXT NOT NULL,
  outcome INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL
) STRICT;
