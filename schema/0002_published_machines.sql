-- Piecewise parameters, parameters that are only bounded or known as a sum, and which of the machines
-- that come with the daemon this database has been given.

-- Of a piecewise parameter: the value applies where the model's argument is above this. 0: from the start.
ALTER TABLE parameter ADD COLUMN above REAL NOT NULL DEFAULT 0 CHECK (above >= 0);
-- '': the value itself; '<=': a bound; 'sum': what is known is a sum.
ALTER TABLE parameter ADD COLUMN relation TEXT NOT NULL DEFAULT ''
  CHECK (relation IN ('', '<=', 'sum'));

-- A machine that was given once is not given again, so that deleting it lasts.
CREATE TABLE published_machine (
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
