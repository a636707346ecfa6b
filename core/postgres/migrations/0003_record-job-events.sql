-- Every change of a job's row is written down as an event with the job as it then stood, whoever made the change,
-- and the end of a job makes its callback due in the same statement. A touch alone (sign of life) is no change.
CREATE FUNCTION job_snapshot(job job) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'state', job.state,
    'progress', job.progress,
    'attemptsMade', job.attempts_made,
    'startedAt', job.started_at,
    'finishedAt', job.finished_at,
    'error', job.error,
    'warnings', jsonb_array_length(job.warnings)))
$$;
--> statement-breakpoint
-- The name of the change, null when nothing changed that a client could see.
CREATE FUNCTION job_change(before job, after job) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN after.state <> before.state THEN CASE
      WHEN after.state = 'running' THEN 'begun'
      WHEN after.state = 'scheduled' THEN 'retry-scheduled'
      WHEN after.state = 'queued' AND before.state = 'running' THEN 'handed-back'
      WHEN after.state = 'queued' AND before.state = 'held' THEN 'released'
      WHEN after.state = 'queued' THEN 'requeued'
      ELSE after.state
    END
    WHEN after.state = 'running' AND after.run_id IS DISTINCT FROM before.run_id THEN 'begun'
    WHEN after.progress IS NOT NULL AND after.progress IS DISTINCT FROM before.progress THEN 'progress'
    WHEN after.attempts_made <> before.attempts_made
      OR jsonb_array_length(after.warnings) <> jsonb_array_length(before.warnings) THEN 'changed'
  END
$$;
--> statement-breakpoint
CREATE FUNCTION record_job_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change text := 'accepted';
  event bigint;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.cancel_requested_at IS NOT NULL AND OLD.cancel_requested_at IS NULL THEN
      INSERT INTO job_event (job_id, type) VALUES (NEW.id, 'cancel-requested');
    END IF;
    change := job_change(OLD, NEW);
    IF change IS NULL THEN RETURN NULL; END IF;
  END IF;

  INSERT INTO job_event (job_id, type, data) VALUES (NEW.id, change, job_snapshot(NEW)) RETURNING id INTO event;

  IF change IN ('succeeded', 'failed', 'cancelled') THEN
    UPDATE job_callback
      SET event_id = event, state = 'pending', tries = 0, last_status = NULL, last_error = NULL,
          next_try_at = now(), delivered_at = NULL
      WHERE job_id = NEW.id;
    IF FOUND THEN PERFORM pg_notify('job_callback', NEW.id); END IF;
  ELSIF change = 'requeued' THEN
    -- What was not told yet is out of date; the next end is told instead.
    UPDATE job_callback SET event_id = NULL, next_try_at = NULL WHERE job_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_recorded AFTER INSERT OR UPDATE ON "job"
  FOR EACH ROW EXECUTE FUNCTION record_job_event();
