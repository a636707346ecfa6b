-- Functions and triggers, each defined once. `migrateDatabase` runs this file after the migrations of a version, in one
-- transaction, so every statement must replace what an earlier version made.

-- The members of a job that its events show.
CREATE OR REPLACE FUNCTION job_snapshot(job job) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'state', job.state,
    'progress', job.progress,
    'attemptsMade', job.attempts_made,
    'startedAt', job.started_at,
    'finishedAt', job.finished_at,
    'error', job.error,
    'warnings', jsonb_array_length(job.warnings)))
$$;

-- The name of a change; null when a client could not see it, such as a heartbeat.
CREATE OR REPLACE FUNCTION job_change(before job, after job) RETURNS text LANGUAGE sql IMMUTABLE AS $$
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

-- Records every change of a job's row as an event, with any client or process as its cause. The end of a job makes its callback due in the
-- same statement.
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

CREATE OR REPLACE TRIGGER job_recorded AFTER INSERT OR UPDATE ON job
  FOR EACH ROW EXECUTE FUNCTION record_job_event();

CREATE OR REPLACE FUNCTION note_job_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.queued_at := now();
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER job_queued_again BEFORE UPDATE OF state ON job
  FOR EACH ROW WHEN (OLD.state <> 'queued' AND NEW.state = 'queued') EXECUTE FUNCTION note_job_queued();

-- Rejects changes of the audit trail, also those that meet no row.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- API processes keep links in memory. A changed or deleted link is announced with the key of its slug; new links once for
-- each statement without a key, because a slug that was unknown may exist now.
CREATE OR REPLACE FUNCTION announce_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('link', CASE WHEN TG_OP = 'INSERT' THEN '' ELSE OLD.slug_key END);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER links_announced AFTER INSERT ON link
  FOR EACH STATEMENT EXECUTE FUNCTION announce_link();

CREATE OR REPLACE TRIGGER link_change_announced AFTER UPDATE OR DELETE ON link
  FOR EACH ROW EXECUTE FUNCTION announce_link();

-- Locations whose names are spelled like a text: of those with others in them, or of those without. The threshold of
-- pg_trgm (0.6) is set for this function only: `shrajah` for `Sharjah` has 0.33.
CREATE OR REPLACE FUNCTION locations_spelled_like(sought text, large boolean) RETURNS TABLE (location_id integer, alike real)
LANGUAGE sql STABLE PARALLEL SAFE SET pg_trgm.word_similarity_threshold = 0.3 AS $$
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE large AND sought <% sought_name AND places_below > 0 AND gone_at IS NULL
  UNION ALL
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE NOT large AND sought <% sought_name AND places_below = 0 AND gone_at IS NULL
$$;

-- Counters that a crash may lose.
ALTER TABLE rate_limit SET UNLOGGED;
