-- The id of the first observation that came after a day's first look for old jobs: what has a smaller id came before.
CREATE TABLE id_of_day (
  day bigint PRIMARY KEY,  -- since the Unix epoch, UTC
  first_id bigint NOT NULL
);
