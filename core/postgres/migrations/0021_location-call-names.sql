-- A copy that the next update fills again, and a column that needs the update to be filled.
DELETE FROM "portal_location";--> statement-breakpoint
DELETE FROM "portal_location_name";--> statement-breakpoint
ALTER TABLE "portal_location" ADD COLUMN "call_names" text[] NOT NULL;
