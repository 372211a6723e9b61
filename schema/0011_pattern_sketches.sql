-- What the applications of a machine send, per reporter: sums over its ranks and phases. A list of counts has one for each
-- class of domain/pattern/classes.h, without zeros at its end.
CREATE TABLE pattern_sketch (
  pattern_sketch_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine ON DELETE CASCADE,
  application TEXT NOT NULL CHECK (length(application) >= 1),
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ppn INTEGER NOT NULL CHECK (ppn >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  job_id INTEGER NOT NULL REFERENCES job,
  source_id INTEGER NOT NULL,
  phase_count INTEGER NOT NULL CHECK (phase_count >= 1),
  sampled_count INTEGER NOT NULL CHECK (sampled_count >= 0),
  repeat_count INTEGER NOT NULL CHECK (repeat_count >= 0),
  total_bytes REAL NOT NULL CHECK (total_bytes >= 0),
  timed_count INTEGER NOT NULL CHECK (timed_count >= 0),
  inside_s REAL NOT NULL CHECK (inside_s >= 0),
  between_s REAL NOT NULL CHECK (between_s >= 0),
  destination_counts TEXT NOT NULL,
  size_counts TEXT NOT NULL,
  distance_counts TEXT NOT NULL,
  change_time_us INTEGER NOT NULL,
  UNIQUE (machine_id, application, kind, nodes, ppn, ranks, job_id, source_id)
) STRICT;
CREATE INDEX pattern_sketch_by_machine ON pattern_sketch (machine_id, pattern_sketch_id);
CREATE INDEX pattern_sketch_by_job ON pattern_sketch (job_id);
CREATE INDEX pattern_sketch_by_source ON pattern_sketch (source_id);
