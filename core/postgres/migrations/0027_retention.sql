CREATE TABLE "worker_check" (
	"worker_id" text NOT NULL,
	"name" text NOT NULL,
	"level" text NOT NULL,
	"found" text NOT NULL,
	"mend" text,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "worker_check_worker_id_name_pk" PRIMARY KEY("worker_id","name")
);
--> statement-breakpoint
CREATE INDEX "click_age" ON "click" USING brin ("at");--> statement-breakpoint
CREATE INDEX "effect_age" ON "effect" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "job_event_put_back" ON "job_event" USING btree ("at") WHERE "job_event"."type" = 'put-back';--> statement-breakpoint
CREATE INDEX "job_input_age" ON "job_input" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "job_finished" ON "job" USING btree ("finished_at") WHERE "job"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "job_of_input" ON "job" USING btree (("payload"->>'input')) WHERE "job"."payload" ? 'input';--> statement-breakpoint
CREATE INDEX "schedule_fire_of_job" ON "schedule_fire" USING btree ("job_id") WHERE "schedule_fire"."job_id" is not null;--> statement-breakpoint
CREATE INDEX "dnc_check_age" ON "dnc_check" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "sms_message_age" ON "sms_message" USING btree ("created_at");