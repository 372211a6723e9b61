-- Retention looks for the last sum of a scenario, day and job. Without job_id it read the sums of all jobs of the day.
DROP INDEX old_sum_by_scenario;
CREATE INDEX old_sum_by_scenario ON old_sum (scenario_id, day, job_id);
