-- Sums over a cell's observations: of the numbers of their reporters, and of the squares of these. They tell whether all are
-- one reporter's. An operator has the number 0.
ALTER TABLE cell ADD COLUMN reporter_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cell ADD COLUMN reporter_square_sum INTEGER NOT NULL DEFAULT 0;
UPDATE next_id SET cells_are_stale = 1;
