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
CREATE TABLE "suppression" (
	"contact" text PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crm_location" (
	"id" integer PRIMARY KEY NOT NULL,
	"parent_id" integer,
	"type" text,
	"name" text NOT NULL,
	"title" text NOT NULL,
	"portal_id" text,
	"modified_at" timestamp (3) with time zone NOT NULL,
	"path" "ltree" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crm_user" (
	"id" integer PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"active" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deal_stage" (
	"id" text PRIMARY KEY NOT NULL,
	"pipeline_id" integer NOT NULL,
	"name" text NOT NULL,
	"place" integer NOT NULL
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "deleted_employee" (
	"record_name" text PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "employee_snapshot_record" (
	"snapshot_id" uuid NOT NULL,
	"record_name" text NOT NULL,
	"modified_at" text NOT NULL,
	"document" jsonb NOT NULL,
	CONSTRAINT "employee_snapshot_record_snapshot_id_record_name_pk" PRIMARY KEY("snapshot_id","record_name")
);
--> statement-breakpoint
CREATE TABLE "employee_snapshot" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "employee_snapshot_job_id_unique" UNIQUE("job_id")
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "activity_note" (
	"day" date NOT NULL,
	"lead_id" integer NOT NULL,
	"part" integer NOT NULL,
	"activity_ids" text[] NOT NULL,
	"text" text NOT NULL,
	"job_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"written_at" timestamp (3) with time zone,
	CONSTRAINT "activity_note_day_lead_id_part_pk" PRIMARY KEY("day","lead_id","part")
);
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "visitor_salt" (
	"day" date PRIMARY KEY NOT NULL,
	"salt" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "location_alias" (
	"portal_location_id" integer PRIMARY KEY NOT NULL,
	"crm_location_id" integer NOT NULL,
	"decided_by" text NOT NULL,
	"decided_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "portal_location_name" (
	"location_id" integer NOT NULL,
	"phrase" text collate "C" NOT NULL,
	"whole" boolean NOT NULL,
	"type" text NOT NULL,
	"places_below" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "portal_location" (
	"id" integer PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"name_ar" text,
	"path" "ltree" NOT NULL,
	"latitude" double precision,
	"longitude" double precision,
	"places_below" integer DEFAULT 0 NOT NULL,
	"call_names" text[] NOT NULL,
	"sought_name" text NOT NULL,
	"sought_path" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"gone_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "portal_event" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"entity_id" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"content" jsonb,
	"lead_id" integer,
	"user_id" integer,
	"handled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "project_reference" (
	"source" text PRIMARY KEY NOT NULL,
	"pages" jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dnc_check" (
	"e164" text NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"client_id" text NOT NULL,
	CONSTRAINT "dnc_check_e164_checked_at_pk" PRIMARY KEY("e164","checked_at")
);
--> statement-breakpoint
CREATE TABLE "sms_balance" (
	"asked_at" timestamp (3) with time zone PRIMARY KEY DEFAULT now() NOT NULL,
	"amount" numeric,
	"currency" text
);
--> statement-breakpoint
CREATE TABLE "sms_message" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"kind" text NOT NULL,
	"sender" text NOT NULL,
	"parts" integer NOT NULL,
	"state" text NOT NULL,
	"dnc_checked_at" timestamp (3) with time zone,
	"contact" text,
	"consent" jsonb,
	"marketing_day" date,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "effect" (
	"key" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"system" text NOT NULL,
	"state" text NOT NULL,
	"lease_id" uuid NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL,
	"job_id" text,
	"run_id" uuid,
	"result" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "call_budget" (
	"name" text PRIMARY KEY NOT NULL,
	"level" double precision DEFAULT 0 NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"blocked_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "job_checkpoint" (
	"job_id" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "job_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"job_id" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"type" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"is_repeat" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_input" (
	"sha256" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"search_terms" text[],
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_plan" (
	"job_id" text PRIMARY KEY NOT NULL,
	"plan" jsonb NOT NULL,
	"changes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"held_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_by" text,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "job" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"client_id" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"payload" jsonb NOT NULL,
	"exclusive_key" text,
	"progress" jsonb,
	"waits_for" text,
	"attempts_made" integer DEFAULT 0 NOT NULL,
	"attempts_max" integer NOT NULL,
	"run_id" uuid,
	"result" jsonb,
	"result_file" jsonb,
	"error" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"sandboxes" text[] DEFAULT '{}' NOT NULL,
	"cancel_requested_at" timestamp (3) with time zone,
	"start_by" timestamp (3) with time zone,
	"priority" integer DEFAULT 1 NOT NULL,
	"result_expires_at" timestamp (3) with time zone,
	"request_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"touched_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_state" CHECK ("job"."state" in ('queued', 'scheduled', 'running', 'held', 'succeeded', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "worker_check" (
	"worker_id" text NOT NULL,
	"name" text NOT NULL,
	"level" text NOT NULL,
	"found" text NOT NULL,
	"mend" text,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_check_worker_id_name_pk" PRIMARY KEY("worker_id","name")
);
--> statement-breakpoint
CREATE TABLE "worker_heartbeat" (
	"worker_id" text NOT NULL,
	"kind" text NOT NULL,
	"running" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_heartbeat_worker_id_kind_pk" PRIMARY KEY("worker_id","kind")
);
--> statement-breakpoint
CREATE TABLE "notification" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"topic" text NOT NULL,
	"content" jsonb NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"last_error" text,
	"delivered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_state" CHECK ("notification"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "oauth_secret" (
	"client_id" text NOT NULL,
	"sha256" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "oauth_secret_client_id_sha256_pk" PRIMARY KEY("client_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "oauth_token" (
	"sha256" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_session" (
	"sha256" text PRIMARY KEY NOT NULL,
	"content" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "service_secret" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limit" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
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
CREATE TABLE "staged_row" (
	"run" text NOT NULL,
	"id" integer NOT NULL,
	"row" jsonb NOT NULL,
	CONSTRAINT "staged_row_run_id_pk" PRIMARY KEY("run","id")
);
--> statement-breakpoint
CREATE TABLE "sync_state" (
	"kind" text PRIMARY KEY NOT NULL,
	"read" integer NOT NULL,
	"changed_since" timestamp (3) with time zone,
	"cursor" jsonb,
	"as_of" timestamp (3) with time zone NOT NULL,
	"unreadable" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"full_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "event_lead" (
	"key" text PRIMARY KEY NOT NULL,
	"lead_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_ticket" (
	"attendee_id" text PRIMARY KEY NOT NULL,
	"lead_key" text NOT NULL,
	"state" text NOT NULL,
	"details_digest" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job_callback" ADD CONSTRAINT "job_callback_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "employee_snapshot_record" ADD CONSTRAINT "employee_snapshot_record_snapshot_id_employee_snapshot_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."employee_snapshot"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link" ADD CONSTRAINT "link_parent_id_link_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."link"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_checkpoint" ADD CONSTRAINT "job_checkpoint_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_event" ADD CONSTRAINT "job_event_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_plan" ADD CONSTRAINT "job_plan_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_secret" ADD CONSTRAINT "oauth_secret_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_token" ADD CONSTRAINT "oauth_token_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedule_fire" ADD CONSTRAINT "schedule_fire_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_ticket" ADD CONSTRAINT "event_ticket_lead_key_event_lead_key_fk" FOREIGN KEY ("lead_key") REFERENCES "public"."event_lead"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "callback_secret_current" ON "callback_secret" USING btree ("client_id") WHERE "callback_secret"."expires_at" is null;--> statement-breakpoint
CREATE INDEX "job_callback_due" ON "job_callback" USING btree ("next_try_at") WHERE "job_callback"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "job_callback_failed" ON "job_callback" USING btree ("job_id") WHERE "job_callback"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "crm_location_path" ON "crm_location" USING gist ("path");--> statement-breakpoint
CREATE INDEX "crm_location_parent" ON "crm_location" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "crm_location_portal" ON "crm_location" USING btree ("portal_id");--> statement-breakpoint
CREATE INDEX "deal_of_user" ON "deal" USING btree ("assigned_user_id","created_at");--> statement-breakpoint
CREATE INDEX "deal_created" ON "deal" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "employee_record" ON "employee" USING btree ("record_name");--> statement-breakpoint
CREATE INDEX "employee_email" ON "employee" USING btree ("email");--> statement-breakpoint
CREATE INDEX "employee_reports_to" ON "employee" USING btree ("reports_to");--> statement-breakpoint
CREATE INDEX "click_of_link" ON "click" USING btree ("link_id","at","class","scanned","visitor","country","referrer","device","browser");--> statement-breakpoint
CREATE INDEX "click_age" ON "click" USING btree ("at");--> statement-breakpoint
CREATE INDEX "link_newest" ON "link" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "link_of_parent" ON "link" USING btree ("parent_id") WHERE "link"."parent_id" is not null;--> statement-breakpoint
CREATE INDEX "link_equal" ON "link" USING btree ("fingerprint");--> statement-breakpoint
CREATE INDEX "portal_location_name_of" ON "portal_location_name" USING btree ("location_id");--> statement-breakpoint
CREATE INDEX "portal_location_name_large" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" > 0;--> statement-breakpoint
CREATE INDEX "portal_location_name_small" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and "portal_location_name"."whole";--> statement-breakpoint
CREATE INDEX "portal_location_name_part" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and not "portal_location_name"."whole";--> statement-breakpoint
CREATE INDEX "portal_location_path" ON "portal_location" USING gist ("path");--> statement-breakpoint
CREATE INDEX "portal_location_sought_name" ON "portal_location" USING gin ("sought_name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "portal_location_sought_large" ON "portal_location" USING gin ("sought_name" gin_trgm_ops) WHERE "portal_location"."places_below" > 0;--> statement-breakpoint
CREATE INDEX "portal_location_sought_path" ON "portal_location" USING gin ("sought_path" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "portal_event_of_entity" ON "portal_event" USING btree ("entity_id","occurred_at");--> statement-breakpoint
CREATE INDEX "portal_event_action" ON "portal_event" USING btree ("entity_id") WHERE "portal_event"."type" = 'listing.action';--> statement-breakpoint
CREATE INDEX "portal_event_age" ON "portal_event" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "project_reference_age" ON "project_reference" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "dnc_check_age" ON "dnc_check" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "sms_message_of_client" ON "sms_message" USING btree ("client_id","created_at");--> statement-breakpoint
CREATE INDEX "sms_message_age" ON "sms_message" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sms_message_of_contact" ON "sms_message" USING btree ("contact","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sms_message_marketing_of_day" ON "sms_message" USING btree ("contact","marketing_day");--> statement-breakpoint
CREATE INDEX "effect_of_kind" ON "effect" USING btree ("kind","created_at");--> statement-breakpoint
CREATE INDEX "effect_age" ON "effect" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_key_expiry" ON "idempotency_key" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "job_event_of_job" ON "job_event" USING btree ("job_id","id");--> statement-breakpoint
CREATE INDEX "job_event_repeats" ON "job_event" USING btree ("at") WHERE "job_event"."is_repeat";--> statement-breakpoint
CREATE INDEX "job_event_put_back" ON "job_event" USING btree ("at") WHERE "job_event"."type" = 'put-back';--> statement-breakpoint
CREATE INDEX "job_input_age" ON "job_input" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "job_input_search" ON "job_input" USING gin ("search_terms");--> statement-breakpoint
CREATE UNIQUE INDEX "job_exclusive" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."exclusive_key" is not null and "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "job_held" ON "job" USING btree ("kind","exclusive_key") WHERE "job"."state" = 'held';--> statement-breakpoint
CREATE INDEX "job_of_client" ON "job" USING btree ("client_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_newest" ON "job" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "job_of_kind_by_state" ON "job" USING btree ("kind","state","created_at","id");--> statement-breakpoint
CREATE INDEX "job_of_client_by_state" ON "job" USING btree ("client_id","kind","state","created_at","id");--> statement-breakpoint
CREATE INDEX "job_failed_by_problem" ON "job" USING btree ("kind",coalesce(substring("error" ->> 'type' from '[^:/]+$'), 'unknown'),"created_at","id") WHERE "job"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "job_open" ON "job" USING btree ("touched_at") WHERE "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "job_start_by" ON "job" USING btree ("start_by") WHERE "job"."state" = 'queued' and "job"."start_by" is not null;--> statement-breakpoint
CREATE INDEX "job_waiting" ON "job" USING btree ("kind","queued_at") WHERE "job"."state" = 'queued';--> statement-breakpoint
CREATE INDEX "job_priority" ON "job" USING btree ("kind","state","priority") WHERE "job"."state" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_open_of_client" ON "job" USING btree ("kind","client_id","priority") WHERE "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "job_result_expiry" ON "job" USING btree ("result_expires_at") WHERE "job"."result_file" is not null;--> statement-breakpoint
CREATE INDEX "job_result_key" ON "job" USING btree (("result_file"->>'key')) WHERE "job"."result_file" is not null;--> statement-breakpoint
CREATE INDEX "job_finished" ON "job" USING btree ("finished_at") WHERE "job"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "job_of_input" ON "job" USING btree (("payload"->>'input')) WHERE "job"."payload" ? 'input';--> statement-breakpoint
CREATE INDEX "job_of_mail" ON "job" USING btree (("payload"->>'mail')) WHERE "job"."payload" ? 'mail';--> statement-breakpoint
CREATE INDEX "job_of_fact" ON "job" USING gin ("payload") WHERE not "job"."payload" ? 'input';--> statement-breakpoint
CREATE INDEX "job_failed" ON "job" USING btree ("finished_at","kind") WHERE "job"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "job_ended" ON "job" USING btree ("kind","finished_at") WHERE "job"."state" in ('succeeded', 'failed');--> statement-breakpoint
CREATE UNIQUE INDEX "notification_unsent" ON "notification" USING btree ("channel","topic") WHERE "notification"."state" = 'pending' and "notification"."tries" = 0;--> statement-breakpoint
CREATE INDEX "notification_of_topic" ON "notification" USING btree ("channel","topic","next_try_at");--> statement-breakpoint
CREATE INDEX "notification_due" ON "notification" USING btree ("channel","next_try_at") WHERE "notification"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "oauth_token_expiry" ON "oauth_token" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_token_of_client" ON "oauth_token" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "operator_session_expiry" ON "operator_session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audit_entry_of_target" ON "audit_entry" USING btree ("target","id");--> statement-breakpoint
CREATE INDEX "schedule_fire_by_clock" ON "schedule_fire" USING btree ("schedule","due_at") WHERE not "schedule_fire"."manual";--> statement-breakpoint
CREATE INDEX "schedule_fire_age" ON "schedule_fire" USING btree ("at");--> statement-breakpoint
CREATE INDEX "schedule_fire_of_job" ON "schedule_fire" USING btree ("job_id") WHERE "schedule_fire"."job_id" is not null;--> statement-breakpoint
CREATE INDEX "event_ticket_of_lead" ON "event_ticket" USING btree ("lead_key");