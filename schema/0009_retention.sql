-- Sums of old observations, whose rows are gone: of one scenario, reporter and day between two drifts. They have the ids
-- first_id .. last_id, and others may have some of these too. docs/formats.md says what is in bins.
CREATE TABLE old_sum (
  old_sum_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL,
  scenario_id INTEGER NOT NULL,
  job_id INTEGER NOT NULL REFERENCES job,
  source_id INTEGER NOT NULL,  -- 0: none
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  day INTEGER NOT NULL,  -- since the Unix epoch, UTC
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  first_us INTEGER NOT NULL,
  last_us INTEGER NOT NULL CHECK (last_us >= first_us),
  observation_count INTEGER NOT NULL CHECK (observation_count >= 1),
  weight INTEGER NOT NULL CHECK (weight >= 1),
  bins BLOB NOT NULL,
  timing_count INTEGER NOT NULL CHECK (timing_count >= 1),
  total_time_s REAL NOT NULL CHECK (total_time_s > 0),
  FOREIGN KEY (machine_id, scenario_id) REFERENCES scenario (machine_id, scenario_id)
) STRICT;
CREATE INDEX old_sum_by_machine ON old_sum (machine_id);
CREATE INDEX old_sum_by_scenario ON old_sum (scenario_id, day);
CREATE INDEX old_sum_by_job ON old_sum (job_id);
CREATE INDEX old_sum_by_source ON old_sum (source_id);

-- How many of the machine's observations are in old_sum.
ALTER TABLE machine ADD COLUMN summed_count INTEGER NOT NULL DEFAULT 0 CHECK (summed_count >= 0);
