CREATE TABLE "slowwave"."word_scores" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"model" text NOT NULL,
	"content_hash" text NOT NULL,
	"score" real,
	CONSTRAINT "word_scores_tenant_user_id_memory_id_model_pk" PRIMARY KEY("tenant","user_id","memory_id","model")
);
--> statement-breakpoint
DROP INDEX "slowwave"."embeddings_uncompared";--> statement-breakpoint
DROP INDEX "slowwave"."closeness_by_other";--> statement-breakpoint
DROP INDEX "slowwave"."neighbours_by_neighbour";--> statement-breakpoint
ALTER TABLE "slowwave"."word_scores" ADD CONSTRAINT "word_scores_embedding" FOREIGN KEY ("tenant","user_id","memory_id","model") REFERENCES "slowwave"."embeddings"("tenant","user_id","memory_id","model") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "word_scores_uncompared" ON "slowwave"."word_scores" USING btree ("tenant","user_id","model") WHERE score is null;--> statement-breakpoint
CREATE INDEX "closeness_by_other" ON "slowwave"."closeness" USING btree ("other_id","model","user_id","tenant");--> statement-breakpoint
CREATE INDEX "neighbours_by_neighbour" ON "slowwave"."neighbours" USING btree ("neighbour_id","model","user_id","tenant");--> statement-breakpoint
-- What was compared stays compared. The owner of the tables may be no superuser, and sees no row of a table that forces its policies.
ALTER TABLE "slowwave"."embeddings" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
INSERT INTO "slowwave"."word_scores" ("tenant","user_id","memory_id","model","content_hash","score")
  SELECT "tenant","user_id","memory_id","model","content_hash","word_score" FROM "slowwave"."embeddings";--> statement-breakpoint
ALTER TABLE "slowwave"."embeddings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "slowwave"."embeddings" DROP COLUMN "word_score";--> statement-breakpoint
ALTER TABLE "slowwave"."word_scores" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "slowwave"."word_scores" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON "slowwave"."word_scores" TO slowwave_service;--> statement-breakpoint
CREATE POLICY tenant_rows ON "slowwave"."word_scores" FOR ALL TO slowwave_service
  USING (tenant = current_setting('slowwave.tenant', true))
  WITH CHECK (tenant = current_setting('slowwave.tenant', true));
