CREATE INDEX "conflicts_by_tenant" ON "slowwave"."conflicts" USING btree ("tenant","detected_at","id");--> statement-breakpoint
CREATE INDEX "fusions_by_run" ON "slowwave"."fusions" USING btree ("tenant","user_id","run_id");--> statement-breakpoint
CREATE INDEX "fusions_by_tenant" ON "slowwave"."fusions" USING btree ("tenant","updated_at","key");--> statement-breakpoint
CREATE INDEX "runs_by_tenant" ON "slowwave"."runs" USING btree ("tenant","requested_at","id");