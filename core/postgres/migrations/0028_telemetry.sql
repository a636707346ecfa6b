CREATE TABLE "alert_look" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "alert_look_only" CHECK ("alert_look"."only")
);
--> statement-breakpoint
-- Unlogged: snapshots are replaced every few seconds, and worth nothing after a crash.
CREATE UNLOGGED TABLE "process_metrics" (
	"process" text NOT NULL,
	"instance" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"snapshot" json NOT NULL,
	CONSTRAINT "process_metrics_process_instance_pk" PRIMARY KEY("process","instance")
);
--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "job_waiting" ON "job" USING btree ("kind","queued_at") WHERE "job"."state" = 'queued';--> statement-breakpoint
CREATE FUNCTION note_job_queued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.queued_at := now();
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_queued_again BEFORE UPDATE OF state ON "job"
  FOR EACH ROW WHEN (OLD.state <> 'queued' AND NEW.state = 'queued') EXECUTE FUNCTION note_job_queued();
