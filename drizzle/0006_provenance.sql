CREATE TABLE "slowwave"."conflicts" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"a_id" uuid NOT NULL,
	"b_id" uuid NOT NULL,
	"a_hash" text NOT NULL,
	"b_hash" text NOT NULL,
	"status" text DEFAULT 'reported' NOT NULL,
	"type" text,
	"source" text NOT NULL,
	"slot" text,
	"description" text,
	"confidence" double precision,
	"accuser" uuid,
	"winner" uuid,
	"resolution" text,
	"resolved_by" text,
	"actor" text,
	"run_id" uuid,
	"model" text,
	"detected_at" timestamp with time zone NOT NULL,
	"resolved_at" timestamp with time zone,
	CONSTRAINT "conflicts_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "conflicts_pair" CHECK (a_id < b_id),
	CONSTRAINT "conflicts_status" CHECK (status in ('reported', 'open', 'resolved')),
	CONSTRAINT "conflicts_type" CHECK (type is null or type in ('compatible', 'contradictory', 'subsumes', 'ambiguous')),
	CONSTRAINT "conflicts_source" CHECK (source in ('fusion', 'twins', 'person', 'consolidate')),
	CONSTRAINT "conflicts_settled" CHECK ((status = 'resolved') = (resolved_by is not null) and (status = 'resolved') = (resolved_at is not null) and (resolved_by is null or resolved_by in ('code', 'policy', 'person', 'gone'))),
	CONSTRAINT "conflicts_labelled" CHECK (status <> 'open' or type in ('contradictory', 'ambiguous')),
	CONSTRAINT "conflicts_sides" CHECK ((accuser is null or accuser in (a_id, b_id)) and (winner is null or (winner in (a_id, b_id) and status = 'resolved')))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."tombstones" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"forgotten_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tombstones_tenant_user_id_memory_id_pk" PRIMARY KEY("tenant","user_id","memory_id")
);
--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" DROP CONSTRAINT "model_answers_step";--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" DROP CONSTRAINT "change_sets_kind";--> statement-breakpoint
ALTER TABLE "slowwave"."changes" DROP CONSTRAINT "changes_table";--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD COLUMN "actor" text;--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD COLUMN "undoes" uuid;--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD COLUMN "undone_by" uuid;--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD COLUMN "images_dropped_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "kind" text DEFAULT 'fusion' NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "proposal" jsonb;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "review_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "decided_by" text;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "decided_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."runs" ADD COLUMN "preview" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."users" ADD COLUMN "conflict_policy" text DEFAULT 'ask' NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."conflicts" ADD CONSTRAINT "conflicts_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."conflicts" ADD CONSTRAINT "conflicts_a" FOREIGN KEY ("tenant","user_id","a_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."conflicts" ADD CONSTRAINT "conflicts_b" FOREIGN KEY ("tenant","user_id","b_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."tombstones" ADD CONSTRAINT "tombstones_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "conflicts_once" ON "slowwave"."conflicts" USING btree ("tenant","user_id","a_id","b_id","a_hash","b_hash");--> statement-breakpoint
CREATE INDEX "conflicts_waiting" ON "slowwave"."conflicts" USING btree ("tenant","user_id","status") WHERE status <> 'resolved';--> statement-breakpoint
CREATE INDEX "conflicts_by_b" ON "slowwave"."conflicts" USING btree ("tenant","user_id","b_id");--> statement-breakpoint
CREATE INDEX "change_sets_with_images" ON "slowwave"."change_sets" USING btree ("tenant","user_id","created_at") WHERE images_dropped_at is null;--> statement-breakpoint
CREATE INDEX "changes_by_memory" ON "slowwave"."changes" USING btree ("tenant","user_id",(row_key ->> 'id'));--> statement-breakpoint
CREATE INDEX "fusions_in_review" ON "slowwave"."fusions" USING btree ("tenant","user_id","review_expires_at") WHERE status = 'review';--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" ADD CONSTRAINT "model_answers_step" CHECK (step in ('summaries', 'rem', 'reflection', 'conflicts'));--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD CONSTRAINT "change_sets_kind" CHECK (kind in ('fusion', 'undo', 'redo', 'edit', 'merge', 'conflict', 'prominence', 'audit', 'archive', 'prune', 'restore', 'rem', 'reflection', 'forget', 'consolidate'));--> statement-breakpoint
ALTER TABLE "slowwave"."changes" ADD CONSTRAINT "changes_table" CHECK (table_name in ('memories', 'relations', 'conflicts'));--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD CONSTRAINT "fusions_kind" CHECK (kind in ('fusion', 'merge'));--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD CONSTRAINT "fusions_review" CHECK ((status = 'review') = (proposal is not null) and (status = 'review') = (review_expires_at is not null));--> statement-breakpoint
ALTER TABLE "slowwave"."users" ADD CONSTRAINT "users_conflict_policy" CHECK (conflict_policy in ('ask', 'newest_wins'));