CREATE TABLE "click_journal" (
	"id" uuid PRIMARY KEY NOT NULL,
	"read_to" bigint NOT NULL,
	"counted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_finished" boolean DEFAULT false NOT NULL
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
CREATE TABLE "visitor_salt" (
	"day" date PRIMARY KEY NOT NULL,
	"salt" text NOT NULL
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
ALTER TABLE "link" ADD CONSTRAINT "link_parent_id_link_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."link"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "click_of_link" ON "click" USING btree ("link_id","class","scanned","at");--> statement-breakpoint
CREATE INDEX "link_newest" ON "link" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "link_of_parent" ON "link" USING btree ("parent_id") WHERE "link"."parent_id" is not null;--> statement-breakpoint
CREATE INDEX "link_equal" ON "link" USING btree ("fingerprint");