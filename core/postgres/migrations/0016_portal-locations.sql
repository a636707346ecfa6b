CREATE TABLE "location_alias" (
	"portal_location_id" integer PRIMARY KEY NOT NULL,
	"crm_location_id" integer NOT NULL,
	"decided_by" text NOT NULL,
	"decided_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX "portal_location_path" ON "portal_location" USING gist ("path");--> statement-breakpoint
CREATE INDEX "portal_location_call_names" ON "portal_location" USING gin ("call_names");--> statement-breakpoint
CREATE INDEX "portal_location_sought_name" ON "portal_location" USING gin ("sought_name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "portal_location_sought_path" ON "portal_location" USING gin ("sought_path" gin_trgm_ops);