-- Over a cell's observations, of the numbers of their reporters and of the squares of these: they say whether all are of one
-- reporter. 0 is an operator.
ALTER TABLE cell ADD COLUMN reporter_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cell ADD COLUMN reporter_square_sum INTEGER NOT NULL DEFAULT 0;
UPDATE next_id SET cells_are_stale = 1;
