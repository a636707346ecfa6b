-- The fair order of a kind's jobs (start-time fair queueing): a client's next job comes one turn after the last of its
-- own that is not over, but never before the turn that is being served. So clients take turns, however many jobs each
-- of them has waiting, and one that comes anew is served next. The queue runs lower turns first; BullMQ counts up to
-- 2097151 (the sweeper counts anew long before).
CREATE FUNCTION job_next_turn(of_kind text, of_client text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  own integer;
  running integer;
  head integer;
BEGIN
  -- One at a time for each client: jobs sent side by side would get the same turn, and so more than a fair share.
  PERFORM pg_advisory_xact_lock(hashtextextended('job turn ' || of_kind || ' ' || of_client, 0));
  SELECT max(turn) INTO own FROM job
    WHERE kind = of_kind AND client_id = of_client AND state IN ('queued', 'scheduled', 'running');
  SELECT max(turn) INTO running FROM job WHERE kind = of_kind AND state = 'running';
  SELECT min(turn) INTO head FROM job WHERE kind = of_kind AND state = 'queued';
  -- What runs tells the turn that is being served. A single job that runs for long must not hold it back, so it is
  -- the turn before the first waiting one at least. While nothing runs, whoever comes waits behind that one.
  RETURN least(greatest(1, own + 1, CASE WHEN running IS NULL THEN head ELSE greatest(running, head - 1) END), 2097151);
END
$$;
--> statement-breakpoint
CREATE FUNCTION give_job_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.turn := job_next_turn(NEW.kind, NEW.client_id);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_accepted BEFORE INSERT ON "job"
  FOR EACH ROW EXECUTE FUNCTION give_job_turn();
--> statement-breakpoint
CREATE TRIGGER job_requeued BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state IN ('failed', 'cancelled') AND NEW.state = 'queued') EXECUTE FUNCTION give_job_turn();
