CREATE TABLE "acquired_row" (
	"run" text NOT NULL,
	"id" integer NOT NULL,
	"row" jsonb NOT NULL,
	CONSTRAINT "acquired_row_run_id_pk" PRIMARY KEY("run","id")
);
--> statement-breakpoint
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
CREATE TABLE "sync_state" (
	"kind" text PRIMARY KEY NOT NULL,
	"read" integer NOT NULL,
	"changed_since" timestamp (3) with time zone,
	"cursor" jsonb,
	"as_of" timestamp (3) with time zone NOT NULL,
	"full_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "crm_location_path" ON "crm_location" USING gist ("path");--> statement-breakpoint
CREATE INDEX "crm_location_parent" ON "crm_location" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "crm_location_portal" ON "crm_location" USING btree ("portal_id");--> statement-breakpoint
CREATE INDEX "deal_of_user" ON "deal" USING btree ("assigned_user_id","created_at");--> statement-breakpoint
CREATE INDEX "deal_created" ON "deal" USING btree ("created_at");