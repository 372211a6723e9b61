-- Which database this is. A write-ahead log with another identity does not belong to the file beside it.
ALTER TABLE next_id ADD COLUMN database_id BLOB NOT NULL DEFAULT x'';
UPDATE next_id SET database_id = randomblob(16);
