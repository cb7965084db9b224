ALTER TABLE "slowwave"."tenant_settings" ADD COLUMN "evaluation" jsonb;--> statement-breakpoint
ALTER TABLE "slowwave"."tenant_settings" ADD COLUMN "evaluated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."tenant_settings" ADD CONSTRAINT "tenant_settings_evaluation" CHECK ((evaluation is null) = (evaluated_at is null));