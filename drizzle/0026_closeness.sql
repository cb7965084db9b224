CREATE TABLE "slowwave"."closeness" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"other_id" uuid NOT NULL,
	"words" real NOT NULL,
	"cosine" real NOT NULL,
	CONSTRAINT "closeness_tenant_user_id_model_memory_id_other_id_pk" PRIMARY KEY("tenant","user_id","model","memory_id","other_id")
);
--> statement-breakpoint
ALTER TABLE "slowwave"."embeddings" ADD COLUMN "word_score" real;--> statement-breakpoint
ALTER TABLE "slowwave"."closeness" ADD CONSTRAINT "closeness_of" FOREIGN KEY ("tenant","user_id","memory_id","model") REFERENCES "slowwave"."embeddings"("tenant","user_id","memory_id","model") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."closeness" ADD CONSTRAINT "closeness_to" FOREIGN KEY ("tenant","user_id","other_id","model") REFERENCES "slowwave"."embeddings"("tenant","user_id","memory_id","model") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "closeness_by_other" ON "slowwave"."closeness" USING btree ("tenant","user_id","other_id","model");--> statement-breakpoint
CREATE INDEX "embeddings_uncompared" ON "slowwave"."embeddings" USING btree ("tenant","user_id","model") WHERE word_score is null;