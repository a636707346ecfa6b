-- A held job is told to whoever waits for its end, like an end: it goes no further until a person decides. What was not
-- told when it is released is out of date; the next end is told instead. A job that has succeeded or was cancelled has
-- no use for its checkpoint any more; one that failed keeps it, so that running it again goes on where it stopped.
CREATE OR REPLACE FUNCTION record_job_event() RETURNS trigger LANGUAGE plpgsql AS $$
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

  IF change IN ('held', 'succeeded', 'failed', 'cancelled') THEN
    UPDATE job_callback
      SET event_id = event, state = 'pending', tries = 0, last_status = NULL, last_error = NULL,
          next_try_at = now(), delivered_at = NULL
      WHERE job_id = NEW.id;
    IF FOUND THEN PERFORM pg_notify('job_callback', NEW.id); END IF;
  ELSIF change IN ('released', 'requeued') THEN
    UPDATE job_callback SET event_id = NULL, next_try_at = NULL WHERE job_id = NEW.id;
  END IF;
  IF change IN ('succeeded', 'cancelled') THEN
    DELETE FROM job_checkpoint WHERE job_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- A released job waits for its turn anew, as one that is run again.
DROP TRIGGER job_requeued ON "job";
--> statement-breakpoint
CREATE TRIGGER job_requeued BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state IN ('failed', 'cancelled', 'held') AND NEW.state = 'queued')
  EXECUTE FUNCTION give_job_turn();
