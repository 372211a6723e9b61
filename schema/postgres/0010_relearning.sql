-- Reports of the machine with this id and later ones were removed, and its parameters may still contain them. The revision
-- that was learned without them makes it 0.
ALTER TABLE machine ADD COLUMN relearn_from_id bigint NOT NULL DEFAULT 0 CHECK (relearn_from_id >= 0);
