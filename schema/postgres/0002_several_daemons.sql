-- Several daemons on one database: who learns for which machine, and which machines have changed.

-- A daemon is alive as long as it moves alive_until on.
CREATE TABLE daemon (
  daemon_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  alive_until timestamptz NOT NULL
);

-- The daemon that learns for a machine. fence counts its holders: a daemon that has lost the machine without knowing it has
-- an older one, and its writes are refused.
CREATE TABLE learner (
  machine_id bigint PRIMARY KEY REFERENCES machine ON DELETE CASCADE,
  daemon_id bigint NOT NULL,
  fence bigint NOT NULL
);

-- Counts the transactions that changed a machine; a machine has the number of its last one. Each daemon reads the machines
-- with numbers that it has not seen. NOTIFY only says that there are some.
ALTER TABLE next_id ADD COLUMN change_id bigint NOT NULL DEFAULT 0;
ALTER TABLE machine ADD COLUMN change_id bigint NOT NULL DEFAULT 0;
