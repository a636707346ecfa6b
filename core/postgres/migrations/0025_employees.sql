CREATE TABLE "deleted_employee" (
	"record_name" text PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "employee_snapshot_record" (
	"snapshot_id" uuid NOT NULL,
	"record_name" text NOT NULL,
	"modified_at" text NOT NULL,
	"document" jsonb NOT NULL,
	CONSTRAINT "employee_snapshot_record_snapshot_id_record_name_pk" PRIMARY KEY("snapshot_id","record_name")
);
--> statement-breakpoint
CREATE TABLE "employee_snapshot" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "employee_snapshot_job_id_unique" UNIQUE("job_id")
);
--> statement-breakpoint
CREATE TABLE "employee" (
	"number" text PRIMARY KEY NOT NULL,
	"record_name" text,
	"employee_number" text,
	"first_name" text NOT NULL,
	"last_name" text,
	"email" text,
	"phone" text,
	"department" text,
	"designation" text,
	"status" text NOT NULL,
	"date_of_joining" date,
	"reports_to" text,
	"crm_id" integer,
	"directory_id" text,
	"changed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "employee_snapshot_record" ADD CONSTRAINT "employee_snapshot_record_snapshot_id_employee_snapshot_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."employee_snapshot"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "employee_record" ON "employee" USING btree ("record_name");--> statement-breakpoint
CREATE INDEX "employee_email" ON "employee" USING btree ("email");--> statement-breakpoint
CREATE INDEX "employee_reports_to" ON "employee" USING btree ("reports_to");