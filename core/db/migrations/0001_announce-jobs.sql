-- Every change of a job's row is announced on the channel "job" with the job's id. Whoever waits for the job
-- reads the row when it hears this, and polls as well, because a notification can be missed.
CREATE FUNCTION announce_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('job', NEW.id);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_announced AFTER INSERT OR UPDATE ON "job"
  FOR EACH ROW EXECUTE FUNCTION announce_job();
