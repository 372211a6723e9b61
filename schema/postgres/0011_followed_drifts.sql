-- 1: a profile was added since that follows the drift, or that somebody set. Until then the learner widens the uncertainty of the
-- parameters and learns again, also after a start. What an older daemon adds counts as followed.
ALTER TABLE drift ADD COLUMN is_followed bigint NOT NULL DEFAULT 1 CHECK (is_followed IN (0, 1));
