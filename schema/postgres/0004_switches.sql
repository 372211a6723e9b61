-- Which node of a machine is at which switch: text in the form of Slurm's topology.conf.
CREATE TABLE machine_switches (
  machine_id bigint PRIMARY KEY REFERENCES machine ON DELETE CASCADE,
  topology_conf text NOT NULL CHECK (length(topology_conf) >= 1),
  change_time_us bigint NOT NULL
);
