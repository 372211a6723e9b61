-- Sums of old observations, whose rows are gone: of one scenario, reporter and day between two drifts. They have the ids
-- first_id .. last_id, and others may have some of these too. docs/formats.md says what is in bins.
CREATE TABLE old_sum (
  first_id bigint PRIMARY KEY,
  last_id bigint NOT NULL CHECK (last_id >= first_id),
  machine_id bigint NOT NULL REFERENCES machine,
  scenario_id bigint NOT NULL REFERENCES scenario,
  job_id bigint NOT NULL REFERENCES job,
  source_id bigint NOT NULL,  -- 0: none
  kind bigint NOT NULL CHECK (kind IN (0, 1)),
  day bigint NOT NULL,  -- since the Unix epoch, UTC
  first_us bigint NOT NULL,
  last_us bigint NOT NULL CHECK (last_us >= first_us),
  observation_count bigint NOT NULL CHECK (observation_count >= 1),
  weight bigint NOT NULL CHECK (weight >= 1),
  bins bytea NOT NULL,
  timing_count bigint NOT NULL CHECK (timing_count >= 1),
  total_time_s double precision NOT NULL CHECK (total_time_s > 0)
);
CREATE INDEX old_sum_by_machine ON old_sum (machine_id, last_id);
CREATE INDEX old_sum_by_scenario ON old_sum (scenario_id, day);
CREATE INDEX old_sum_by_job ON old_sum (job_id);
CREATE INDEX old_sum_by_source ON old_sum (source_id);

-- How many of the machine's observations are in old_sum.
ALTER TABLE machine ADD COLUMN summed_count bigint NOT NULL DEFAULT 0 CHECK (summed_count >= 0);
