CREATE TABLE "idempotency_key" (
	"client_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"job_id" text,
	"status" integer,
	"headers" jsonb,
	"body" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_key_client_id_operation_id_key_pk" PRIMARY KEY("client_id","operation_id","key")
);
--> statement-breakpoint
CREATE TABLE "service_secret" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "turn" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "result_expires_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "idempotency_key_expiry" ON "idempotency_key" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "job_turn" ON "job" USING btree ("kind","state","turn") WHERE "job"."state" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_turn_of_client" ON "job" USING btree ("kind","client_id","turn") WHERE "job"."state" in ('queued', 'scheduled', 'running');--> statement-breakpoint
CREATE INDEX "job_result_expiry" ON "job" USING btree ("result_expires_at") WHERE "job"."result_file" is not null;--> statement-breakpoint
CREATE INDEX "job_result_key" ON "job" USING btree (("result_file"->>'key')) WHERE "job"."result_file" is not null;