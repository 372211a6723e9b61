-- Algorithms that canaries showed to be slower than the library's default in these calls, and that are no
-- longer chosen there.
CREATE TABLE withdrawal (
  withdrawal_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ppn INTEGER NOT NULL CHECK (ppn >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  min_block_bytes INTEGER NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes INTEGER NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  log_factor REAL NOT NULL,
  pair_count INTEGER NOT NULL CHECK (pair_count >= 1),
  job_count INTEGER NOT NULL CHECK (job_count >= 1),
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  revision INTEGER NOT NULL CHECK (revision >= 0),
  create_time_us INTEGER NOT NULL
) STRICT;
CREATE INDEX withdrawal_by_machine ON withdrawal (machine_id);
