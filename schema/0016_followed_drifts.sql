-- 1: a profile was added since that follows the drift, or that somebody set. Until then the learner widens the uncertainty of the
-- parameters and learns again, also after a start.
ALTER TABLE drift ADD COLUMN is_followed INTEGER NOT NULL DEFAULT 1 CHECK (is_followed IN (0, 1));
