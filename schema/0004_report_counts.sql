-- How many observations of a machine a job has reported from a source, so that counting reads no observation.
-- source_id 0: no source. machine_id 0: no machine, or a deleted one; such rows count dropped timings only.
CREATE TABLE report_count (
  job_id INTEGER NOT NULL REFERENCES job,
  source_id INTEGER NOT NULL,
  machine_id INTEGER NOT NULL,
  observation_count INTEGER NOT NULL CHECK (observation_count >= 0),
  dropped_count INTEGER NOT NULL CHECK (dropped_count >= 0),
  PRIMARY KEY (job_id, source_id, machine_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_count_by_source ON report_count (source_id);
CREATE INDEX report_count_by_machine ON report_count (machine_id);

-- The next start sums up the observations, for cells and for these counts.
UPDATE next_id SET cells_are_stale = 1;
