ALTER TABLE "job_event" ADD COLUMN "is_repeat" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "job_event_repeats" ON "job_event" USING btree ("at") WHERE "job_event"."is_repeat";--> statement-breakpoint
-- Processes announce changes of jobs themselves, after their commits: a commit that notifies takes a lock of the whole
-- database, so these commits would run one after the other.
DROP TRIGGER job_announced ON "job";
--> statement-breakpoint
DROP FUNCTION announce_job();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION record_job_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change text := 'accepted';
  event bigint;
  accepted job;
BEGIN
  IF TG_OP = 'INSERT' AND NEW.state = 'succeeded' THEN
    accepted := NEW;
    accepted.state := 'queued';
    accepted.progress := NULL;
    accepted.finished_at := NULL;
    accepted.warnings := '[]';
    INSERT INTO job_event (job_id, type, data)
      VALUES (NEW.id, 'accepted', job_snapshot(accepted)), (NEW.id, 'succeeded', job_snapshot(NEW));
    RETURN NULL;
  END IF;

  IF TG_OP = 'UPDATE' THEN
    IF NEW.cancel_requested_at IS NOT NULL AND OLD.cancel_requested_at IS NULL THEN
      INSERT INTO job_event (job_id, type) VALUES (NEW.id, 'cancel-requested');
    END IF;
    change := job_change(OLD, NEW);
    IF change IS NULL THEN RETURN NULL; END IF;
  END IF;

  INSERT INTO job_event (job_id, type, data, is_repeat)
    VALUES (NEW.id, change, job_snapshot(NEW),
      change = 'progress' AND (OLD.progress ->> 'stage') IS NOT DISTINCT FROM (NEW.progress ->> 'stage'))
    RETURNING id INTO event;

  IF change IN ('held', 'succeeded', 'failed', 'cancelled') THEN
    UPDATE job_callback
      SET event_id = event, state = 'pending', tries = 0, last_status = NULL, last_error = NULL,
          next_try_at = now(), delivered_at = NULL
      WHERE job_id = NEW.id;
  ELSIF change IN ('released', 'requeued') THEN
    UPDATE job_callback SET event_id = NULL, next_try_at = NULL WHERE job_id = NEW.id;
  END IF;
  IF change IN ('succeeded', 'cancelled') THEN
    DELETE FROM job_checkpoint WHERE job_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
