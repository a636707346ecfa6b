ALTER TABLE "job_input" ADD COLUMN "search_terms" text[];--> statement-breakpoint
CREATE INDEX "job_input_search" ON "job_input" USING gin ("search_terms");--> statement-breakpoint
CREATE INDEX "job_of_kind" ON "job" USING btree ("kind","created_at","id");