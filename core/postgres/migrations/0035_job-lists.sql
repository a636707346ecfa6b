DROP INDEX "job_of_kind";--> statement-breakpoint
CREATE INDEX "job_of_kind_by_state" ON "job" USING btree ("kind","state","created_at","id");--> statement-breakpoint
CREATE INDEX "job_of_client_by_state" ON "job" USING btree ("client_id","kind","state","created_at","id");--> statement-breakpoint
CREATE INDEX "job_failed_by_problem" ON "job" USING btree ("kind",coalesce(substring("error" ->> 'type' from '[^:/]+$'), 'unknown'),"created_at","id") WHERE "job"."state" = 'failed';