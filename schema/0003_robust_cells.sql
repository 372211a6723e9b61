-- Cells that one wild report cannot move and from which it can be taken out exactly; who measured what;
-- and when a machine came to behave otherwise.

-- A file, a user on a host: what a reporter says that a batch is from.
CREATE TABLE source (
  source_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) >= 1)
) STRICT;

-- source_id: NULL where none was named. kind: 0 a benchmark, 1 a job.
ALTER TABLE batch ADD COLUMN source_id INTEGER REFERENCES source;
ALTER TABLE batch ADD COLUMN kind INTEGER NOT NULL DEFAULT 0 CHECK (kind IN (0, 1));
UPDATE batch SET kind = 1 WHERE job_id IN (SELECT job_id FROM job WHERE name <> '');
CREATE INDEX batch_by_source ON batch (source_id) WHERE source_id IS NOT NULL;

-- All observations of a scenario that were measured in one way and since one drift: how many of them lie
-- in which bin of ln(time_s). docs/formats.md says what is in bins. epoch: drifts of the scenario before.
CREATE TABLE cell (
  cell_id INTEGER PRIMARY KEY,
  scenario_id INTEGER NOT NULL REFERENCES scenario,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  observation_count INTEGER NOT NULL CHECK (observation_count >= 0),
  weight INTEGER NOT NULL CHECK (weight >= 0),
  bins BLOB NOT NULL,
  UNIQUE (scenario_id, kind, epoch)
) STRICT;
ALTER TABLE scenario DROP COLUMN observation_count;
ALTER TABLE scenario DROP COLUMN weight;
ALTER TABLE scenario DROP COLUMN mean_log_time;
ALTER TABLE scenario DROP COLUMN m2_log_time;

-- 1: the cells are to be made anew from the observations, at the next start.
ALTER TABLE next_id ADD COLUMN cells_are_stale INTEGER NOT NULL DEFAULT 0;
UPDATE next_id SET cells_are_stale = 1;

-- Times of these scenarios ('': of any library, collective) are other ones since the observation first_id.
CREATE TABLE drift (
  drift_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('node', 'network')),
  min_block_bytes INTEGER NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes INTEGER NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  log_factor REAL NOT NULL,
  observation_count INTEGER NOT NULL CHECK (observation_count >= 1),
  create_time_us INTEGER NOT NULL
) STRICT;
CREATE INDEX drift_by_machine ON drift (machine_id);

CREATE TABLE drift_evidence (
  drift_id INTEGER NOT NULL REFERENCES drift ON DELETE CASCADE,
  position INTEGER NOT NULL,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  ppn INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  block_bytes INTEGER NOT NULL,
  log_factor REAL NOT NULL,
  observation_count INTEGER NOT NULL,
  PRIMARY KEY (drift_id, position)
) STRICT, WITHOUT ROWID;
