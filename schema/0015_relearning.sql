-- Not 0: reports of the machine were removed, and its parameters may still contain them. Drifts and withdrawals with evidence
-- from this id on were removed, too, and may be found again. The revision that was learned without the reports makes it 0.
ALTER TABLE machine ADD COLUMN relearn_from_id INTEGER NOT NULL DEFAULT 0 CHECK (relearn_from_id >= 0);
