-- Sums over a cell's observations: of the numbers of their reporters, and of the squares of these. They tell whether all are
-- one reporter's. An operator has the number 0. So has what came before this version, or came by an older daemon.
ALTER TABLE cell
  ADD COLUMN reporter_sum bigint NOT NULL DEFAULT 0,
  ADD COLUMN reporter_square_sum bigint NOT NULL DEFAULT 0;
ALTER TABLE cell_change
  ADD COLUMN reporter_sums bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN reporter_square_sums bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE cell_change
  ALTER reporter_sums SET STORAGE EXTERNAL,
  ALTER reporter_square_sums SET STORAGE EXTERNAL;

CREATE OR REPLACE VIEW cell_part AS
  SELECT scenario_id, kind, epoch, observation_count, weight, bins, reporter_sum, reporter_square_sum FROM cell
  UNION ALL
  SELECT p.scenario_id, p.kind, p.epoch, p.observation_count, p.weight, p.bins, coalesce(p.reporter_sum, 0),
    coalesce(p.reporter_square_sum, 0) FROM cell_change c,
    unnest(c.scenario_ids, c.kinds, c.epochs, c.observation_counts, c.weights, c.bins, c.reporter_sums, c.reporter_square_sums)
      AS p (scenario_id, kind, epoch, observation_count, weight, bins, reporter_sum, reporter_square_sum);
