-- Reports of many jobs at once: fewer checks, and fewer changed rows, for each group of batches.

-- As with observation: the one transaction that adds batches and counts finds or makes their jobs and sources, and rows go
-- before their jobs and sources.
ALTER TABLE batch DROP CONSTRAINT batch_job_id_fkey, DROP CONSTRAINT batch_source_id_fkey;
ALTER TABLE report_count DROP CONSTRAINT report_count_job_id_fkey;

-- What a group of batches adds to cell. Place n of all arrays is one sum. After some groups the writer adds them to cell and
-- removes them here. Not compressed: they live for a second.
CREATE TABLE cell_change (
  cell_change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scenario_ids bigint[] NOT NULL,
  kinds bigint[] NOT NULL,
  epochs bigint[] NOT NULL,
  observation_counts bigint[] NOT NULL,
  weights bigint[] NOT NULL,
  bins bytea[] NOT NULL
);
ALTER TABLE cell_change
  ALTER scenario_ids SET STORAGE EXTERNAL,
  ALTER kinds SET STORAGE EXTERNAL,
  ALTER epochs SET STORAGE EXTERNAL,
  ALTER observation_counts SET STORAGE EXTERNAL,
  ALTER weights SET STORAGE EXTERNAL,
  ALTER bins SET STORAGE EXTERNAL;

-- Cells and what is to be added to them: a cell is the sum of its parts.
CREATE VIEW cell_part AS
  SELECT scenario_id, kind, epoch, observation_count, weight, bins FROM cell
  UNION ALL
  SELECT p.scenario_id, p.kind, p.epoch, p.observation_count, p.weight, p.bins FROM cell_change c,
    unnest(c.scenario_ids, c.kinds, c.epochs, c.observation_counts, c.weights, c.bins)
      AS p (scenario_id, kind, epoch, observation_count, weight, bins);
