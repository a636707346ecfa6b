CREATE TABLE "job_edition" (
	"kind" text PRIMARY KEY NOT NULL,
	"edition" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "reusable_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "edition" text;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "reused_from" text;--> statement-breakpoint
CREATE INDEX "job_reusable" ON "job" USING btree ("kind",md5("payload"::text),"reusable_until") WHERE "job"."reusable_until" is not null;
--> statement-breakpoint
-- A job that is inserted as succeeded was answered with an earlier job's result. It needs no turn in the queue, and so
-- does not wait for the lock under which its client's other jobs are given theirs.
DROP TRIGGER job_accepted ON "job";
--> statement-breakpoint
CREATE TRIGGER job_accepted BEFORE INSERT ON "job"
  FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION give_job_turn();
--> statement-breakpoint
-- Such a job was accepted and succeeded at once: both are written down, so that its timeline and its event stream begin
-- and end like every other's.
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
-- Nobody can wait for such a job: who asked for it has the answer already.
CREATE OR REPLACE FUNCTION announce_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.state = 'succeeded' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT'
    OR (OLD.state, OLD.progress, OLD.run_id, OLD.cancel_requested_at)
      IS DISTINCT FROM (NEW.state, NEW.progress, NEW.run_id, NEW.cancel_requested_at)
  THEN
    PERFORM pg_notify('job', NEW.id);
  END IF;
  RETURN NULL;
END
$$;
