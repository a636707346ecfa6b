CREATE TABLE "job_input" (
	"sha256" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "worker_sign" (
	"worker_id" text NOT NULL,
	"kind" text NOT NULL,
	"running" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_sign_worker_id_kind_pk" PRIMARY KEY("worker_id","kind")
);
--> statement-breakpoint
ALTER TABLE "oauth_secret" ADD CONSTRAINT "oauth_secret_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_token" ADD CONSTRAINT "oauth_token_client_id_oauth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_of_client" ON "job" USING btree ("client_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_newest" ON "job" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "job_open" ON "job" USING btree ("touched_at") WHERE "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "oauth_token_expiry" ON "oauth_token" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_token_of_client" ON "oauth_token" USING btree ("client_id");