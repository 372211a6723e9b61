-- Finds the newest profile that somebody set, behind any number of refinements.
CREATE INDEX profile_stated ON profile (machine_id, revision) WHERE provenance <> 'refined';
