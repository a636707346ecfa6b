CREATE TABLE "dnc_check" (
	"e164" text NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"client_id" text NOT NULL,
	CONSTRAINT "dnc_check_e164_checked_at_pk" PRIMARY KEY("e164","checked_at")
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
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sms_message_of_client" ON "sms_message" USING btree ("client_id","created_at");