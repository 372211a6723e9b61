-- Deleted machines rest for 30 days before their rows go, and can be brought back. A machine without a name and without a
-- row here is on its way out.
CREATE TABLE deleted_machine (
  machine_id INTEGER PRIMARY KEY REFERENCES machine ON DELETE CASCADE,
  name TEXT NOT NULL,
  delete_time_us INTEGER NOT NULL
) STRICT;
CREATE INDEX deleted_machine_by_name ON deleted_machine (name);
