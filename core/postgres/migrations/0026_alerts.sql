CREATE TABLE "alert_message" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"news" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"delivered_at" timestamp (3) with time zone,
	CONSTRAINT "alert_message_state" CHECK ("alert_message"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "alert" (
	"id" uuid PRIMARY KEY NOT NULL,
	"rule" text NOT NULL,
	"subject" text NOT NULL,
	"severity" text NOT NULL,
	"what" text NOT NULL,
	"mend" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"clear_looks" integer DEFAULT 0 NOT NULL,
	"notified_at" timestamp (3) with time zone,
	"resolved_at" timestamp (3) with time zone,
	"snoozed_until" timestamp (3) with time zone,
	"snoozed_by" text
);
--> statement-breakpoint
CREATE TABLE "sms_balance" (
	"asked_at" timestamp (3) with time zone PRIMARY KEY DEFAULT now() NOT NULL,
	"amount" numeric,
	"currency" text
);
--> statement-breakpoint
CREATE INDEX "alert_message_pending" ON "alert_message" USING btree ("channel","id") WHERE "alert_message"."state" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "alert_unresolved" ON "alert" USING btree ("rule","subject") WHERE "alert"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "alert_newest" ON "alert" USING btree ("opened_at","id");