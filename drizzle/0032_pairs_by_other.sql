DROP INDEX "slowwave"."closeness_by_other";--> statement-breakpoint
DROP INDEX "slowwave"."neighbours_by_neighbour";--> statement-breakpoint
CREATE INDEX "closeness_by_other" ON "slowwave"."closeness" USING btree ("other_id","model","user_id","tenant");--> statement-breakpoint
CREATE INDEX "neighbours_by_neighbour" ON "slowwave"."neighbours" USING btree ("neighbour_id","model","user_id","tenant");