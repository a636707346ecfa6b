CREATE TABLE "call_budget" (
	"name" text PRIMARY KEY NOT NULL,
	"level" double precision DEFAULT 0 NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"blocked_until" timestamp with time zone
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "job_checkpoint" (
	"job_id" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_plan" (
	"job_id" text PRIMARY KEY NOT NULL,
	"plan" jsonb NOT NULL,
	"held_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_by" text,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "schedule" (
	"name" text PRIMARY KEY NOT NULL,
	"timing" text NOT NULL,
	"due_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"paused_by" text
);
--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "exclusive_key" text;--> statement-breakpoint
ALTER TABLE "job_checkpoint" ADD CONSTRAINT "job_checkpoint_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_plan" ADD CONSTRAINT "job_plan_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedule_fire" ADD CONSTRAINT "schedule_fire_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "effect_of_kind" ON "effect" USING btree ("kind","created_at");--> statement-breakpoint
CREATE INDEX "schedule_fire_by_clock" ON "schedule_fire" USING btree ("schedule","due_at") WHERE not "schedule_fire"."manual";--> statement-breakpoint
CREATE INDEX "schedule_fire_age" ON "schedule_fire" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "job_exclusive" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."exclusive_key" is not null and "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "job_held" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."state" = 'held';