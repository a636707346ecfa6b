CREATE TABLE "portal_location_name" (
	"location_id" integer NOT NULL,
	"phrase" text collate "C" NOT NULL,
	"whole" boolean NOT NULL,
	"type" text NOT NULL,
	"places_below" integer NOT NULL
);
--> statement-breakpoint
DROP INDEX "portal_location_call_names";--> statement-breakpoint
CREATE INDEX "portal_location_name_of" ON "portal_location_name" USING btree ("location_id");--> statement-breakpoint
CREATE INDEX "portal_location_name_large" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" > 0;--> statement-breakpoint
CREATE INDEX "portal_location_name_small" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and "portal_location_name"."whole";--> statement-breakpoint
CREATE INDEX "portal_location_name_part" ON "portal_location_name" USING btree ("phrase") WHERE "portal_location_name"."places_below" = 0 and not "portal_location_name"."whole";--> statement-breakpoint
ALTER TABLE "portal_location" DROP COLUMN "places";--> statement-breakpoint
ALTER TABLE "portal_location" DROP COLUMN "call_names";