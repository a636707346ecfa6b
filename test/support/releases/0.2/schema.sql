-- The schema of release 0.2: the migrations that it had, one after the other.
CREATE TABLE "job_input" (
	"sha256" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "job" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"client_id" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"payload" jsonb NOT NULL,
	"progress" jsonb,
	"attempts_made" integer DEFAULT 0 NOT NULL,
	"attempts_max" integer NOT NULL,
	"run_id" uuid,
	"result" jsonb,
	"result_file" jsonb,
	"error" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"cancel_requested_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"touched_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_state" CHECK ("job"."state" in ('queued', 'scheduled', 'running', 'held', 'succeeded', 'failed', 'cancelled'))
);

CREATE TABLE "oauth_client" (
	"client_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"scopes" text[] NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"token_lifetime_seconds" integer DEFAULT 3600 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone
);

CREATE TABLE "oauth_secret" (
	"client_id" text NOT NULL,
	"sha256" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "oauth_secret_client_id_sha256_pk" PRIMARY KEY("client_id","sha256")
);

CREATE TABLE "oauth_token" (
	"sha256" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);

CREATE TABLE "worker_sign" (
	"worker_id" text NOT NULL,
	"kind" text NOT NULL,
	"running" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_sign_worker_id_kind_pk" PRIMARY KEY("worker_id","kind")
);

ALTER TABLE "oauth_secret" ADD CONSTRAINT "oauth_secret_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "oauth_token" ADD CONSTRAINT "oauth_token_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "job_of_client" ON "job" USING btree ("client_id","created_at","id");
CREATE INDEX "job_newest" ON "job" USING btree ("created_at","id");
CREATE INDEX "job_open" ON "job" USING btree ("touched_at") WHERE "job"."state" in ('queued', 'scheduled', 'running');
CREATE INDEX "oauth_token_expiry" ON "oauth_token" USING btree ("expires_at");
CREATE INDEX "oauth_token_of_client" ON "oauth_token" USING btree ("client_id");
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

CREATE TRIGGER job_announced AFTER INSERT OR UPDATE ON "job"
  FOR EACH ROW EXECUTE FUNCTION announce_job();

CREATE TABLE "callback_secret" (
	"client_id" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "callback_secret_client_id_secret_pk" PRIMARY KEY("client_id","secret")
);

CREATE TABLE "job_callback" (
	"job_id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"event_id" bigint,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_status" integer,
	"last_error" text,
	"next_try_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	CONSTRAINT "job_callback_state" CHECK ("job_callback"."state" in ('pending', 'delivered', 'failed'))
);

CREATE TABLE "job_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "job_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"job_id" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"type" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE "job" ADD COLUMN "start_by" timestamp (3) with time zone;
ALTER TABLE "job_callback" ADD CONSTRAINT "job_callback_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "job_event" ADD CONSTRAINT "job_event_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;
CREATE UNIQUE INDEX "callback_secret_current" ON "callback_secret" USING btree ("client_id") WHERE "callback_secret"."expires_at" is null;
CREATE INDEX "job_callback_due" ON "job_callback" USING btree ("next_try_at") WHERE "job_callback"."next_try_at" is not null;
CREATE INDEX "job_event_of_job" ON "job_event" USING btree ("job_id","id");
CREATE INDEX "job_start_by" ON "job" USING btree ("start_by") WHERE "job"."state" = 'queued' and "job"."start_by" is not null;
CREATE INDEX "job_ended" ON "job" USING btree ("kind","finished_at") WHERE "job"."state" in ('succeeded', 'failed');
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

CREATE TRIGGER job_recorded AFTER INSERT OR UPDATE ON "job"
  FOR EACH ROW EXECUTE FUNCTION record_job_event();

CREATE TABLE "idempotency_key" (
	"client_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"job_id" text,
	"status" integer,
	"headers" jsonb,
	"body" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_key_client_id_operation_id_key_pk" PRIMARY KEY("client_id","operation_id","key")
);

CREATE TABLE "service_secret" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE "job" ADD COLUMN "turn" integer DEFAULT 1 NOT NULL;
ALTER TABLE "job" ADD COLUMN "result_expires_at" timestamp (3) with time zone;
CREATE INDEX "idempotency_key_expiry" ON "idempotency_key" USING btree ("expires_at");
CREATE INDEX "job_turn" ON "job" USING btree ("kind","state","turn") WHERE "job"."state" in ('queued', 'running');
CREATE INDEX "job_turn_of_client" ON "job" USING btree ("kind","client_id","turn") WHERE "job"."state" in ('queued', 'scheduled', 'running');
CREATE INDEX "job_result_expiry" ON "job" USING btree ("result_expires_at") WHERE "job"."result_file" is not null;
CREATE INDEX "job_result_key" ON "job" USING btree (("result_file"->>'key')) WHERE "job"."result_file" is not null;
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

CREATE FUNCTION give_job_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.turn := job_next_turn(NEW.kind, NEW.client_id);
  RETURN NEW;
END
$$;

CREATE TRIGGER job_accepted BEFORE INSERT ON "job"
  FOR EACH ROW EXECUTE FUNCTION give_job_turn();

CREATE TRIGGER job_requeued BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state IN ('failed', 'cancelled') AND NEW.state = 'queued') EXECUTE FUNCTION give_job_turn();

CREATE TABLE "audit_entry" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entry_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor_kind" text NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text
);

CREATE TABLE "rate_limit" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);

CREATE INDEX "audit_entry_of_target" ON "audit_entry" USING btree ("target","id");
-- What the audit trail once says stays said: no statement changes or removes an entry, not even one that meets none.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Counters of a few minutes: not worth a write to the log, and none is missed after a crash.
ALTER TABLE "rate_limit" SET UNLOGGED;

CREATE TABLE "call_budget" (
	"name" text PRIMARY KEY NOT NULL,
	"level" double precision DEFAULT 0 NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"blocked_until" timestamp with time zone
);

CREATE TABLE "effect" (
	"key" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"system" text NOT NULL,
	"state" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"job_id" text,
	"result" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone
);

CREATE TABLE "job_checkpoint" (
	"job_id" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "job_plan" (
	"job_id" text PRIMARY KEY NOT NULL,
	"plan" jsonb NOT NULL,
	"held_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_by" text,
	"released_at" timestamp (3) with time zone
);

CREATE TABLE "schedule_fire" (
	"schedule" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"outcome" text NOT NULL,
	"job_id" text,
	"manual" boolean DEFAULT false NOT NULL,
	"by" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_fire_schedule_due_at_pk" PRIMARY KEY("schedule","due_at"),
	CONSTRAINT "schedule_fire_outcome" CHECK ("schedule_fire"."outcome" in ('fired', 'missed-fired', 'missed-skipped', 'skipped-overlap', 'skipped-paused'))
);

CREATE TABLE "schedule" (
	"name" text PRIMARY KEY NOT NULL,
	"timing" text NOT NULL,
	"due_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"paused_by" text
);

ALTER TABLE "job" ADD COLUMN "exclusive_key" text;
ALTER TABLE "job_checkpoint" ADD CONSTRAINT "job_checkpoint_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "job_plan" ADD CONSTRAINT "job_plan_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "schedule_fire" ADD CONSTRAINT "schedule_fire_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE set null ON UPDATE no action;
CREATE INDEX "effect_of_kind" ON "effect" USING btree ("kind","created_at");
CREATE INDEX "schedule_fire_by_clock" ON "schedule_fire" USING btree ("schedule","due_at") WHERE not "schedule_fire"."manual";
CREATE INDEX "schedule_fire_age" ON "schedule_fire" USING btree ("at");
CREATE UNIQUE INDEX "job_exclusive" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."exclusive_key" is not null and "job"."state" in ('queued', 'scheduled', 'running');
CREATE INDEX "job_held" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."state" = 'held';
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

-- A released job waits for its turn anew, as one that is run again.
DROP TRIGGER job_requeued ON "job";

CREATE TRIGGER job_requeued BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state IN ('failed', 'cancelled', 'held') AND NEW.state = 'queued')
  EXECUTE FUNCTION give_job_turn();

CREATE TABLE "click_journal" (
	"id" uuid PRIMARY KEY NOT NULL,
	"read_to" bigint NOT NULL,
	"counted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_finished" boolean DEFAULT false NOT NULL
);

CREATE TABLE "click" (
	"link_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"class" text NOT NULL,
	"scanned" boolean NOT NULL,
	"visitor" uuid,
	"country" text,
	"referrer" text,
	"device" text,
	"browser" text
);

CREATE TABLE "visitor_salt" (
	"day" date PRIMARY KEY NOT NULL,
	"salt" text NOT NULL
);

CREATE TABLE "link" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"utm" jsonb NOT NULL,
	"target" text NOT NULL,
	"slug" text NOT NULL,
	"slug_key" text NOT NULL,
	"parent_id" uuid,
	"reference" text,
	"client_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "link_slug_key_unique" UNIQUE("slug_key")
);

ALTER TABLE "link" ADD CONSTRAINT "link_parent_id_link_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."link"("id") ON DELETE no action ON UPDATE no action;
CREATE INDEX "click_of_link" ON "click" USING btree ("link_id","class","scanned","at");
CREATE INDEX "link_newest" ON "link" USING btree ("kind","id");
CREATE INDEX "link_of_parent" ON "link" USING btree ("parent_id") WHERE "link"."parent_id" is not null;
CREATE INDEX "link_equal" ON "link" USING btree ("fingerprint");
-- API processes keep links in memory. A link that is changed or deleted is announced on the channel "link" with the key
-- of its slug; new ones once a statement, without a key: what is remembered as unknown may be known now.
CREATE FUNCTION announce_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('link', CASE WHEN TG_OP = 'INSERT' THEN '' ELSE OLD.slug_key END);
  RETURN NULL;
END
$$;

CREATE TRIGGER links_announced AFTER INSERT ON "link"
  FOR EACH STATEMENT EXECUTE FUNCTION announce_link();

CREATE TRIGGER link_change_announced AFTER UPDATE OR DELETE ON "link"
  FOR EACH ROW EXECUTE FUNCTION announce_link();

CREATE TABLE "dnc_check" (
	"e164" text NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"client_id" text NOT NULL,
	CONSTRAINT "dnc_check_e164_checked_at_pk" PRIMARY KEY("e164","checked_at")
);

CREATE TABLE "sms_message" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"kind" text NOT NULL,
	"sender" text NOT NULL,
	"parts" integer NOT NULL,
	"state" text NOT NULL,
	"dnc_checked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE INDEX "sms_message_of_client" ON "sms_message" USING btree ("client_id","created_at");
-- For the CRM's location tree: ancestors and descendants are one comparison of paths.
CREATE EXTENSION IF NOT EXISTS ltree;

CREATE TABLE "acquired_row" (
	"run" text NOT NULL,
	"id" integer NOT NULL,
	"row" jsonb NOT NULL,
	CONSTRAINT "acquired_row_run_id_pk" PRIMARY KEY("run","id")
);

CREATE TABLE "crm_location" (
	"id" integer PRIMARY KEY NOT NULL,
	"parent_id" integer,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"title" text NOT NULL,
	"portal_id" text,
	"modified_at" timestamp (3) with time zone NOT NULL,
	"path" "ltree" NOT NULL
);

CREATE TABLE "crm_user" (
	"id" integer PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"active" boolean NOT NULL
);

CREATE TABLE "deal_stage" (
	"id" text PRIMARY KEY NOT NULL,
	"pipeline_id" integer NOT NULL,
	"name" text NOT NULL,
	"place" integer NOT NULL
);

CREATE TABLE "deal" (
	"id" integer PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"pipeline_id" integer NOT NULL,
	"stage_id" text NOT NULL,
	"outcome" text NOT NULL,
	"amount" numeric(20, 2) NOT NULL,
	"currency" text NOT NULL,
	"assigned_user_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"modified_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone
);

CREATE TABLE "sync_state" (
	"kind" text PRIMARY KEY NOT NULL,
	"read" integer NOT NULL,
	"changed_since" timestamp (3) with time zone,
	"cursor" jsonb,
	"as_of" timestamp (3) with time zone NOT NULL,
	"full_at" timestamp (3) with time zone
);

CREATE INDEX "crm_location_path" ON "crm_location" USING gist ("path");
CREATE INDEX "crm_location_parent" ON "crm_location" USING btree ("parent_id");
CREATE INDEX "crm_location_portal" ON "crm_location" USING btree ("portal_id");
CREATE INDEX "deal_of_user" ON "deal" USING btree ("assigned_user_id","created_at");
CREATE INDEX "deal_created" ON "deal" USING btree ("created_at");
-- Searching the names of locations, misspelled ones too.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE "location_alias" (
	"portal_location_id" integer PRIMARY KEY NOT NULL,
	"crm_location_id" integer NOT NULL,
	"decided_by" text NOT NULL,
	"decided_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "portal_location" (
	"id" integer PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"name_ar" text,
	"path" "ltree" NOT NULL,
	"places" jsonb NOT NULL,
	"latitude" double precision,
	"longitude" double precision,
	"places_below" integer DEFAULT 0 NOT NULL,
	"call_names" text[] NOT NULL,
	"sought_name" text NOT NULL,
	"sought_path" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"gone_at" timestamp (3) with time zone
);

CREATE INDEX "portal_location_path" ON "portal_location" USING gist ("path");
CREATE INDEX "portal_location_call_names" ON "portal_location" USING gin ("call_names");
CREATE INDEX "portal_location_sought_name" ON "portal_location" USING gin ("sought_name" gin_trgm_ops);
CREATE INDEX "portal_location_sought_path" ON "portal_location" USING gin ("sought_path" gin_trgm_ops);
ALTER TABLE "effect" ADD COLUMN "run_id" uuid;
CREATE TABLE "event_lead" (
	"key" text PRIMARY KEY NOT NULL,
	"lead_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "event_ticket" (
	"attendee_id" text PRIMARY KEY NOT NULL,
	"lead_key" text NOT NULL,
	"state" text NOT NULL,
	"details_digest" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE "event_ticket" ADD CONSTRAINT "event_ticket_lead_key_event_lead_key_fk" FOREIGN KEY ("lead_key") REFERENCES "public"."event_lead"("key") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "event_ticket_of_lead" ON "event_ticket" USING btree ("lead_key");
CREATE TABLE "portal_location_name" (
	"location_id" integer NOT NULL,
	"phrase" text collate "C" NOT NULL,
	"whole" boolean NOT NULL,
	"type" text NOT NULL,
	"places_below" integer NOT NULL
);

DROP INDEX "portal_location_call_names";
CREATE INDEX "portal_location_name_of" ON "portal_location_name" USING btree ("location_id");
CREATE INDEX "portal_location_name_large" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" > 0;
CREATE INDEX "portal_location_name_small" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and "portal_location_name"."whole";
CREATE INDEX "portal_location_name_part" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and not "portal_location_name"."whole";
ALTER TABLE "portal_location" DROP COLUMN "places";
ALTER TABLE "portal_location" DROP COLUMN "call_names";
-- Locations whose names are spelled somewhat like a text: of those with others in them, or of those without. The
-- threshold (pg_trgm's own is 0.6) is set for this function only: `shrajah` for `Sharjah` is at 0.33.
CREATE FUNCTION locations_spelled_like(sought text, large boolean) RETURNS TABLE (location_id integer, alike real)
LANGUAGE sql STABLE PARALLEL SAFE SET pg_trgm.word_similarity_threshold = 0.3 AS $$
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE large AND sought <% sought_name AND places_below > 0 AND gone_at IS NULL
  UNION ALL
  SELECT id, word_similarity(sought, sought_name) FROM portal_location
  WHERE NOT large AND sought <% sought_name AND places_below = 0 AND gone_at IS NULL
$$;

CREATE INDEX portal_location_sought_large ON portal_location USING gin (sought_name gin_trgm_ops) WHERE places_below > 0;

-- A copy that the next update fills again, and a column that needs the update to be filled.
DELETE FROM "portal_location";
DELETE FROM "portal_location_name";
ALTER TABLE "portal_location" ADD COLUMN "call_names" text[] NOT NULL;

CREATE TABLE "activity_note" (
	"day" date NOT NULL,
	"lead_id" integer NOT NULL,
	"part" integer NOT NULL,
	"activity_ids" text[] NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"written_at" timestamp (3) with time zone,
	CONSTRAINT "activity_note_day_lead_id_part_pk" PRIMARY KEY("day","lead_id","part")
);

CREATE TABLE "project_reference" (
	"source" text PRIMARY KEY NOT NULL,
	"pages" jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL
);

CREATE INDEX "project_reference_age" ON "project_reference" USING btree ("checked_at");
ALTER TABLE "activity_note" ADD COLUMN "job_id" text NOT NULL;
ALTER TABLE "job" ADD COLUMN "sandboxes" text[] DEFAULT '{}' NOT NULL;
CREATE TABLE "deleted_employee" (
	"record_name" text PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "employee_snapshot_record" (
	"snapshot_id" uuid NOT NULL,
	"record_name" text NOT NULL,
	"modified_at" text NOT NULL,
	"document" jsonb NOT NULL,
	CONSTRAINT "employee_snapshot_record_snapshot_id_record_name_pk" PRIMARY KEY("snapshot_id","record_name")
);

CREATE TABLE "employee_snapshot" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "employee_snapshot_job_id_unique" UNIQUE("job_id")
);

CREATE TABLE "employee" (
	"number" text PRIMARY KEY NOT NULL,
	"record_name" text,
	"employee_number" text,
	"first_name" text NOT NULL,
	"last_name" text,
	"email" text,
	"phone" text,
	"department" text,
	"designation" text,
	"status" text NOT NULL,
	"date_of_joining" date,
	"reports_to" text,
	"crm_id" integer,
	"directory_id" text,
	"changed_at" timestamp (3) with time zone
);

ALTER TABLE "employee_snapshot_record" ADD CONSTRAINT "employee_snapshot_record_snapshot_id_employee_snapshot_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."employee_snapshot"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "employee_record" ON "employee" USING btree ("record_name");
CREATE INDEX "employee_email" ON "employee" USING btree ("email");
CREATE INDEX "employee_reports_to" ON "employee" USING btree ("reports_to");
CREATE TABLE "alert_message" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"news" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"delivered_at" timestamp (3) with time zone,
	CONSTRAINT "alert_message_state" CHECK ("alert_message"."state" in ('pending', 'delivered', 'failed'))
);

CREATE TABLE "alert" (
	"id" uuid PRIMARY KEY NOT NULL,
	"rule" text NOT NULL,
	"subject" text NOT NULL,
	"severity" text NOT NULL,
	"what" text NOT NULL,
	"mend" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"clear_looks" integer DEFAULT 0 NOT NULL,
	"notified_at" timestamp (3) with time zone,
	"resolved_at" timestamp (3) with time zone,
	"snoozed_until" timestamp (3) with time zone,
	"snoozed_by" text
);

CREATE TABLE "sms_balance" (
	"asked_at" timestamp (3) with time zone PRIMARY KEY DEFAULT now() NOT NULL,
	"amount" numeric,
	"currency" text
);

CREATE INDEX "alert_message_pending" ON "alert_message" USING btree ("channel","id") WHERE "alert_message"."state" = 'pending';
CREATE UNIQUE INDEX "alert_unresolved" ON "alert" USING btree ("rule","subject") WHERE "alert"."resolved_at" is null;
CREATE INDEX "alert_newest" ON "alert" USING btree ("opened_at","id");
CREATE TABLE "worker_check" (
	"worker_id" text NOT NULL,
	"name" text NOT NULL,
	"level" text NOT NULL,
	"found" text NOT NULL,
	"mend" text,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_check_worker_id_name_pk" PRIMARY KEY("worker_id","name")
);

CREATE INDEX "click_age" ON "click" USING brin ("at");
CREATE INDEX "effect_age" ON "effect" USING btree ("created_at");
CREATE INDEX "job_event_put_back" ON "job_event" USING btree ("at") WHERE "job_event"."type" = 'put-back';
CREATE INDEX "job_input_age" ON "job_input" USING btree ("used_at");
CREATE INDEX "job_finished" ON "job" USING btree ("finished_at") WHERE "job"."finished_at" is not null;
CREATE INDEX "job_of_input" ON "job" USING btree (("payload"->>'input')) WHERE "job"."payload" ? 'input';
CREATE INDEX "schedule_fire_of_job" ON "schedule_fire" USING btree ("job_id") WHERE "schedule_fire"."job_id" is not null;
CREATE INDEX "dnc_check_age" ON "dnc_check" USING btree ("checked_at");
CREATE INDEX "sms_message_age" ON "sms_message" USING btree ("created_at");
CREATE TABLE "alert_look" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "alert_look_only" CHECK ("alert_look"."only")
);

-- Unlogged: snapshots are replaced every few seconds, and worth nothing after a crash.
CREATE UNLOGGED TABLE "process_metrics" (
	"process" text NOT NULL,
	"instance" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"snapshot" json NOT NULL,
	CONSTRAINT "process_metrics_process_instance_pk" PRIMARY KEY("process","instance")
);

ALTER TABLE "job" ADD COLUMN "request_id" text;
ALTER TABLE "job" ADD COLUMN "queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
CREATE INDEX "job_waiting" ON "job" USING btree ("kind","queued_at") WHERE "job"."state" = 'queued';
CREATE FUNCTION note_job_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.queued_at := now();
  RETURN NEW;
END
$$;

CREATE TRIGGER job_queued_again BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state <> 'queued' AND NEW.state = 'queued') EXECUTE FUNCTION note_job_queued();

CREATE INDEX "job_failed" ON "job" USING btree ("finished_at","kind") WHERE "job"."state" = 'failed';
CREATE INDEX "job_callback_failed" ON "job_callback" USING btree ("job_id") WHERE "job_callback"."state" = 'failed';
CREATE TABLE "job_edition" (
	"kind" text PRIMARY KEY NOT NULL,
	"edition" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE "job" ADD COLUMN "reusable_until" timestamp (3) with time zone;
ALTER TABLE "job" ADD COLUMN "edition" text;
ALTER TABLE "job" ADD COLUMN "reused_from" text;
CREATE INDEX "job_reusable" ON "job" USING btree ("kind",md5("payload"::text),"reusable_until") WHERE "job"."reusable_until" is not null;

-- A job that is inserted as succeeded was answered with an earlier job's result. It needs no turn in the queue, and so
-- does not wait for the lock under which its client's other jobs are given theirs.
DROP TRIGGER job_accepted ON "job";

CREATE TRIGGER job_accepted BEFORE INSERT ON "job"
  FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION give_job_turn();

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


CREATE SCHEMA drizzle;
CREATE TABLE drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint);
INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('', 1795234736351), ('', 1795234736826), ('', 1795237150117), ('', 1795237187134), ('', 1795237722075), ('', 1795237752137), ('', 1795237812114), ('', 1795237834265), ('', 1795244740665), ('', 1795244768578), ('', 1795245279781), ('', 1795245280351), ('', 1795245457868), ('', 1795245541859), ('', 1795245542699), ('', 1795245650302), ('', 1795245674697), ('', 1795245763669), ('', 1795246158261), ('', 1795246190198), ('', 1795246190955), ('', 1795248219961), ('', 1795248322670), ('', 1795248475412), ('', 1795248695284), ('', 1795248756582), ('', 1795255865318), ('', 1795255949020), ('', 1795256098878), ('', 1795256109288), ('', 1795256132335), ('', 1795269111051);
