CREATE TABLE "callback_secret" (
	"client_id" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "callback_secret_client_id_secret_pk" PRIMARY KEY("client_id","secret")
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "job_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "job_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"job_id" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"type" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "start_by" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "job_callback" ADD CONSTRAINT "job_callback_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_event" ADD CONSTRAINT "job_event_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "callback_secret_current" ON "callback_secret" USING btree ("client_id") WHERE "callback_secret"."expires_at" is null;--> statement-breakpoint
CREATE INDEX "job_callback_due" ON "job_callback" USING btree ("next_try_at") WHERE "job_callback"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "job_event_of_job" ON "job_event" USING btree ("job_id","id");--> statement-breakpoint
CREATE INDEX "job_start_by" ON "job" USING btree ("start_by") WHERE "job"."state" = 'queued' and "job"."start_by" is not null;--> statement-breakpoint
CREATE INDEX "job_ended" ON "job" USING btree ("kind","finished_at") WHERE "job"."state" in ('succeeded', 'failed');