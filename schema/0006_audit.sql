-- Who changed what when, on whose behalf. Rows are only added, so that nobody who may change data through the daemon can
-- change what is said of it here.
CREATE TABLE audit (
  audit_id INTEGER PRIMARY KEY,
  time_us INTEGER NOT NULL,
  principal TEXT NOT NULL CHECK (length(principal) >= 1),
  method TEXT NOT NULL CHECK (length(method) >= 1),
  machine TEXT NOT NULL,  -- '': none
  change TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_principal ON audit (principal);
CREATE INDEX audit_by_machine ON audit (machine);
CREATE TRIGGER audit_never_deleted BEFORE DELETE ON audit
BEGIN
  SELECT raise(ABORT, 'rows of audit are never deleted');
END;
CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'rows of audit are never changed');
END;
-- INSERT OR REPLACE would delete without a trigger.
CREATE TRIGGER audit_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id)
BEGIN
  SELECT raise(ABORT, 'rows of audit are never replaced');
END;
