-- What a next version could do to tables that older daemons use at the same time.
CREATE TABLE later (x bigint);
ALTER TABLE machine ADD COLUMN later bigint NOT NULL DEFAULT 0;
ALTER TABLE batch ADD COLUMN later bigint NOT NULL DEFAULT 0;
CREATE INDEX later_by_sequence ON batch (sequence);
