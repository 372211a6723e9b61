-- Coxswain's tables in PostgreSQL, version 1: the content of schema/*.sql up to 0008. Times are seconds, sizes bytes, instants
-- microseconds since the Unix epoch (UTC). docs/formats.md says what each table is for. coxd makes the schema coxswain and
-- the table schema_version before it applies the first migration. Names compare by their bytes, as in SQLite.

-- name is NULL from the moment when the machine is deleted until its last row is gone.
CREATE TABLE machine (
  machine_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" UNIQUE CHECK (length(name) BETWEEN 1 AND 63),
  nodes bigint NOT NULL CHECK (nodes >= 0),
  cores_per_node bigint NOT NULL CHECK (cores_per_node >= 0),
  topology_kind text NOT NULL,
  topology_dims text NOT NULL,
  create_time_us bigint NOT NULL,
  pinned_revision bigint NOT NULL DEFAULT 0 CHECK (pinned_revision >= 0),
  dropped_count bigint NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
);

-- A machine that was given once is not given again, so that deleting it lasts.
CREATE TABLE published_machine (
  name text COLLATE "C" PRIMARY KEY
);

-- Deleted machines rest for 30 days before their rows go. A machine without a name and without a row here is on its way out.
CREATE TABLE deleted_machine (
  machine_id bigint PRIMARY KEY REFERENCES machine ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  delete_time_us bigint NOT NULL
);
CREATE INDEX deleted_machine_by_name ON deleted_machine (name);

-- Revisions are never changed.
CREATE TABLE profile (
  profile_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id bigint NOT NULL REFERENCES machine,
  revision bigint NOT NULL CHECK (revision >= 1),
  provenance text NOT NULL
    CHECK (provenance IN ('published', 'calibrated', 'refined', 'imported', 'edited')),
  note text NOT NULL,
  observations_through_id bigint NOT NULL,
  create_time_us bigint NOT NULL,
  UNIQUE (machine_id, revision)
);

CREATE TABLE parameter (
  profile_id bigint NOT NULL REFERENCES profile ON DELETE CASCADE,
  position bigint NOT NULL,
  model text NOT NULL,
  level text NOT NULL,
  name text NOT NULL,
  value double precision NOT NULL,
  stderr double precision NOT NULL,
  above double precision NOT NULL CHECK (above >= 0),
  relation text NOT NULL CHECK (relation IN ('', '<=', 'sum')),
  source text NOT NULL,
  PRIMARY KEY (profile_id, position)
);

CREATE TABLE scenario (
  scenario_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id bigint NOT NULL REFERENCES machine,
  library text COLLATE "C" NOT NULL,
  collective text COLLATE "C" NOT NULL,
  algorithm text COLLATE "C" NOT NULL,
  nodes bigint NOT NULL CHECK (nodes >= 1),
  ppn bigint NOT NULL CHECK (ppn >= 1),
  ranks bigint NOT NULL CHECK (ranks >= 1),
  block_bytes bigint NOT NULL CHECK (block_bytes >= 0),
  type_bytes bigint NOT NULL CHECK (type_bytes >= 1),
  UNIQUE (machine_id, library, collective, algorithm, nodes, ppn, ranks, block_bytes, type_bytes)
);

-- Who reported. '' is everyone without a name (imports).
CREATE TABLE job (
  job_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  dropped_count bigint NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
);

CREATE TABLE source (
  source_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (length(name) >= 1)
);

-- A batch as it was reported. It owns the observation ids batch_id .. batch_id + id_count - 1 (an empty batch owns one that
-- no observation has). sequence is NULL where resends are not told apart. kind: 0 a benchmark, 1 a job.
CREATE TABLE batch (
  batch_id bigint PRIMARY KEY,
  job_id bigint NOT NULL REFERENCES job,
  sequence bigint,
  id_count bigint NOT NULL CHECK (id_count >= 1),
  dropped_count bigint NOT NULL CHECK (dropped_count >= 0),
  source_id bigint REFERENCES source,
  kind bigint NOT NULL CHECK (kind IN (0, 1)),
  UNIQUE (job_id, sequence)
);
CREATE INDEX batch_by_job ON batch (job_id, batch_id);
CREATE INDEX batch_by_source ON batch (source_id, batch_id) WHERE source_id IS NOT NULL;

-- Partitions by id, and so by the time of arrival. coxd makes the next one when its first row comes. No foreign keys: the one
-- transaction that adds rows finds or makes their scenarios, and rows go before their scenarios.
CREATE TABLE observation (
  observation_id bigint PRIMARY KEY,
  machine_id bigint NOT NULL,
  scenario_id bigint NOT NULL,
  time_s double precision NOT NULL CHECK (time_s > 0),
  timing_count bigint NOT NULL CHECK (timing_count >= 1),
  stddev_s double precision NOT NULL,
  statistic bigint NOT NULL,  -- 0 mean, 1 median, 2 min
  run text,
  at_us bigint NOT NULL
) PARTITION BY RANGE (observation_id);
CREATE INDEX observation_by_machine ON observation (machine_id, observation_id);

-- Sums of the observations of a scenario, of one kind, between two drifts. docs/formats.md says what is in bins.
CREATE TABLE cell (
  scenario_id bigint NOT NULL REFERENCES scenario,
  kind bigint NOT NULL CHECK (kind IN (0, 1)),
  epoch bigint NOT NULL CHECK (epoch >= 0),
  observation_count bigint NOT NULL CHECK (observation_count >= 1),
  weight bigint NOT NULL CHECK (weight >= 0),
  bins bytea NOT NULL,
  PRIMARY KEY (scenario_id, kind, epoch)
);

-- Observations and dropped timings per job, source and machine. source_id 0: no source. machine_id 0: no machine, or a
-- deleted one; such rows count dropped timings only.
CREATE TABLE report_count (
  job_id bigint NOT NULL REFERENCES job,
  source_id bigint NOT NULL,
  machine_id bigint NOT NULL,
  observation_count bigint NOT NULL CHECK (observation_count >= 0),
  dropped_count bigint NOT NULL CHECK (dropped_count >= 0),
  PRIMARY KEY (job_id, source_id, machine_id)
);
CREATE INDEX report_count_by_source ON report_count (source_id);
CREATE INDEX report_count_by_machine ON report_count (machine_id);

-- One row. Every transaction that writes locks it first, so that the transactions of all daemons form one sequence, and ids
-- ascend in the order of commit. Ids are never used twice. partition_end_id: the first id for which no partition exists.
-- rewrite_count: changes to rows of which daemons have copies.
CREATE TABLE next_id (
  only_row bigint PRIMARY KEY CHECK (only_row = 1),
  observation_id bigint NOT NULL,
  partition_end_id bigint NOT NULL,
  rewrite_count bigint NOT NULL
);
INSERT INTO next_id VALUES (1, 1, 1, 0);

-- Times of these scenarios ('': of any library, collective) are other ones since the observation first_id.
CREATE TABLE drift (
  drift_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id bigint NOT NULL REFERENCES machine,
  library text COLLATE "C" NOT NULL,
  collective text COLLATE "C" NOT NULL,
  level text NOT NULL CHECK (level IN ('node', 'network')),
  min_block_bytes bigint NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes bigint NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  first_id bigint NOT NULL,
  last_id bigint NOT NULL CHECK (last_id >= first_id),
  log_factor double precision NOT NULL,
  observation_count bigint NOT NULL CHECK (observation_count >= 1),
  create_time_us bigint NOT NULL
);
CREATE INDEX drift_by_machine ON drift (machine_id);

CREATE TABLE drift_evidence (
  drift_id bigint NOT NULL REFERENCES drift ON DELETE CASCADE,
  position bigint NOT NULL,
  library text NOT NULL,
  collective text NOT NULL,
  algorithm text NOT NULL,
  nodes bigint NOT NULL,
  ppn bigint NOT NULL,
  ranks bigint NOT NULL,
  block_bytes bigint NOT NULL,
  log_factor double precision NOT NULL,
  observation_count bigint NOT NULL,
  PRIMARY KEY (drift_id, position)
);

-- Algorithms that canaries showed to be slower than the library's default in these calls.
CREATE TABLE withdrawal (
  withdrawal_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id bigint NOT NULL REFERENCES machine,
  library text NOT NULL,
  collective text NOT NULL,
  algorithm text NOT NULL,
  nodes bigint NOT NULL CHECK (nodes >= 1),
  ppn bigint NOT NULL CHECK (ppn >= 1),
  ranks bigint NOT NULL CHECK (ranks >= 1),
  min_block_bytes bigint NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes bigint NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  log_factor double precision NOT NULL,
  pair_count bigint NOT NULL CHECK (pair_count >= 1),
  job_count bigint NOT NULL CHECK (job_count >= 1),
  first_id bigint NOT NULL,
  last_id bigint NOT NULL CHECK (last_id >= first_id),
  revision bigint NOT NULL CHECK (revision >= 0),
  create_time_us bigint NOT NULL
);
CREATE INDEX withdrawal_by_machine ON withdrawal (machine_id);

-- Writes that carried a request id, so that a resend gets the first outcome. The oldest are dropped.
CREATE TABLE request (
  request_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id text NOT NULL UNIQUE,
  method text NOT NULL,
  subject text NOT NULL,
  outcome bigint NOT NULL,
  create_time_us bigint NOT NULL
);

-- Who changed what when, on whose behalf. Rows are only added.
CREATE TABLE audit (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time_us bigint NOT NULL,
  principal text NOT NULL CHECK (length(principal) >= 1),
  method text NOT NULL CHECK (length(method) >= 1),
  machine text NOT NULL,  -- '': none
  change text NOT NULL
);
CREATE INDEX audit_by_principal ON audit (principal);
CREATE INDEX audit_by_machine ON audit (machine);
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of audit are never changed or deleted';
END
$$;
CREATE TRIGGER audit_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
