-- A job's row that is new or has something new to tell is announced on the channel "job" with the job's id. Whoever
-- waits for the job reads the row when it hears this, and polls as well, because a notification can be missed.
-- Signs of life are not announced: the run they come from listens here too, and would answer each with another.
CREATE FUNCTION announce_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT'
    OR (OLD.state, OLD.progress, OLD.run_id, OLD.cancel_requested_at)
      IS DISTINCT FROM (NEW.state, NEW.progress, NEW.run_id, NEW.cancel_requested_at)
  THEN
    PERFORM pg_notify('job', NEW.id);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_announced AFTER INSERT OR UPDATE ON "job"
  FOR EACH ROW EXECUTE FUNCTION announce_job();
