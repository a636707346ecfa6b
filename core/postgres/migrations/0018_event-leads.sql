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
ALTER TABLE "event_ticket" ADD CONSTRAINT "event_ticket_lead_key_event_lead_key_fk" FOREIGN KEY ("lead_key") REFERENCES "public"."event_lead"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_ticket_of_lead" ON "event_ticket" USING btree ("lead_key");