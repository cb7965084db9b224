CREATE INDEX "runs_running" ON "slowwave"."runs" USING btree ("tenant","user_id") WHERE status = 'running';
--> statement-breakpoint
-- Marks come and go on every wake-up: room on the page keeps them out of the indexes that they do not change.
ALTER TABLE "slowwave"."user_tiers" SET (fillfactor = 70);
