-- What the applications of a machine send, per reporter: sums over its ranks and phases. A list of counts has one for each
-- class of domain/pattern/classes.h, without zeros at its end.
CREATE TABLE pattern_sketch (
  pattern_sketch_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id bigint NOT NULL REFERENCES machine ON DELETE CASCADE,
  application text NOT NULL CHECK (length(application) >= 1),
  kind bigint NOT NULL CHECK (kind BETWEEN 0 AND 2),
  nodes bigint NOT NULL CHECK (nodes >= 1),
  ppn bigint NOT NULL CHECK (ppn >= 1),
  ranks bigint NOT NULL CHECK (ranks >= 1),
  job_id bigint NOT NULL,
  source_id bigint NOT NULL,
  phase_count bigint NOT NULL CHECK (phase_count >= 1),
  sampled_count bigint NOT NULL CHECK (sampled_count >= 0),
  repeat_count bigint NOT NULL CHECK (repeat_count >= 0),
  total_bytes double precision NOT NULL CHECK (total_bytes >= 0),
  timed_count bigint NOT NULL CHECK (timed_count >= 0),
  inside_s double precision NOT NULL CHECK (inside_s >= 0),
  between_s double precision NOT NULL CHECK (between_s >= 0),
  destination_counts text NOT NULL,
  size_counts text NOT NULL,
  distance_counts text NOT NULL,
  change_time_us bigint NOT NULL,
  UNIQUE (machine_id, application, kind, nodes, ppn, ranks, job_id, source_id)
);
CREATE INDEX pattern_sketch_by_machine ON pattern_sketch (machine_id, pattern_sketch_id);
CREATE INDEX pattern_sketch_by_job ON pattern_sketch (job_id);
CREATE INDEX pattern_sketch_by_source ON pattern_sketch (source_id);
