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
--> statement-breakpoint
CREATE TABLE "project_reference" (
	"source" text PRIMARY KEY NOT NULL,
	"pages" jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "project_reference_age" ON "project_reference" USING btree ("checked_at");