CREATE TABLE "slowwave"."cold_memories" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"memory" jsonb NOT NULL,
	"relations" jsonb NOT NULL,
	"fusion_sources" jsonb NOT NULL,
	"utility" double precision NOT NULL,
	"pruned_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cold_memories_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."model_answers" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"attempt" integer NOT NULL,
	"step" text NOT NULL,
	"run_id" uuid,
	"output" text NOT NULL,
	"stop_reason" text NOT NULL,
	"model" text NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"state" text DEFAULT 'unjudged' NOT NULL,
	"memory_ids" uuid[] DEFAULT '{}' NOT NULL,
	"session_ids" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "model_answers_tenant_user_id_key_attempt_pk" PRIMARY KEY("tenant","user_id","key","attempt"),
	CONSTRAINT "model_answers_key" CHECK (key ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "model_answers_step" CHECK (step in ('summaries', 'rem', 'reflection')),
	CONSTRAINT "model_answers_state" CHECK (state in ('unjudged', 'accepted', 'rejected'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."rem_verdicts" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"a_id" uuid NOT NULL,
	"b_id" uuid NOT NULL,
	"a_version" integer NOT NULL,
	"b_version" integer NOT NULL,
	"novelty" smallint NOT NULL,
	"plausibility" smallint NOT NULL,
	"usefulness" smallint NOT NULL,
	"accepted" boolean NOT NULL,
	"model" text NOT NULL,
	"run_id" uuid,
	"judged_at" timestamp with time zone NOT NULL,
	CONSTRAINT "rem_verdicts_tenant_user_id_a_id_b_id_a_version_b_version_pk" PRIMARY KEY("tenant","user_id","a_id","b_id","a_version","b_version"),
	CONSTRAINT "rem_verdicts_pair" CHECK (a_id < b_id),
	CONSTRAINT "rem_verdicts_scores" CHECK (novelty between 1 and 5 and plausibility between 1 and 5 and usefulness between 1 and 5)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."messages" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"position" integer NOT NULL,
	"external_id" text,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"said_at" timestamp with time zone NOT NULL,
	CONSTRAINT "messages_tenant_user_id_session_id_position_pk" PRIMARY KEY("tenant","user_id","session_id","position"),
	CONSTRAINT "messages_role" CHECK (role in ('user', 'assistant', 'tool', 'system')),
	CONSTRAINT "messages_content" CHECK (length(content) > 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."session_summaries" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"summary" text NOT NULL,
	"content_hash" text NOT NULL,
	"topics" jsonb NOT NULL,
	"message_count" integer NOT NULL,
	"model" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"reflected_at" timestamp with time zone,
	CONSTRAINT "session_summaries_tenant_user_id_session_id_pk" PRIMARY KEY("tenant","user_id","session_id"),
	CONSTRAINT "session_summaries_text" CHECK (length(summary) > 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."sessions" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" text NOT NULL,
	"agent" text,
	"started_at" timestamp with time zone NOT NULL,
	"last_message_at" timestamp with time zone NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"summarized_count" integer DEFAULT 0 NOT NULL,
	"summary_failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "sessions_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "sessions_name" CHECK (length(id) between 1 and 200),
	CONSTRAINT "sessions_counts" CHECK (summarized_count between 0 and message_count and summary_failures >= 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."summary_embeddings" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"model" text NOT NULL,
	"content_hash" text NOT NULL,
	"vector" vector NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "summary_embeddings_tenant_user_id_session_id_model_pk" PRIMARY KEY("tenant","user_id","session_id","model")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."goals" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text,
	"title" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"due_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "goals_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "goals_status" CHECK (status in ('active', 'completed', 'abandoned')),
	CONSTRAINT "goals_title" CHECK (length(title) > 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."scheduled_items" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text,
	"kind" text NOT NULL,
	"content" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"recurrence" text,
	"goal_id" uuid,
	"goal_due_at" timestamp with time zone,
	"goal_stage" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "scheduled_items_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "scheduled_items_kind" CHECK (kind in ('reminder', 'follow_up', 'check_in')),
	CONSTRAINT "scheduled_items_status" CHECK (status in ('pending', 'done', 'expired', 'cancelled')),
	CONSTRAINT "scheduled_items_content" CHECK (length(content) > 0),
	CONSTRAINT "scheduled_items_check_in" CHECK ((kind = 'check_in') = (goal_id is not null) and num_nonnulls(goal_id, goal_due_at, goal_stage) in (0, 3)),
	CONSTRAINT "scheduled_items_stage" CHECK (goal_stage is null or goal_stage in ('warning', 'urgent', 'overdue'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."feedback" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"rating" double precision,
	"session_id" text,
	"given_at" timestamp with time zone NOT NULL,
	CONSTRAINT "feedback_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "feedback_kind" CHECK (kind in ('accepted', 'dismissed', 'explicit')),
	CONSTRAINT "feedback_rating" CHECK ((kind = 'explicit') = (rating is not null) and (rating is null or rating between 0 and 1))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."recall_events" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"query" text NOT NULL,
	"recalled_at" timestamp with time zone NOT NULL,
	"hits" integer NOT NULL,
	CONSTRAINT "recall_events_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."recall_hits" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"event_id" uuid NOT NULL,
	"memory_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"score" real NOT NULL,
	CONSTRAINT "recall_hits_tenant_user_id_event_id_memory_id_pk" PRIMARY KEY("tenant","user_id","event_id","memory_id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."user_profiles" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"behaviour" jsonb,
	"behaviour_through" timestamp with time zone,
	"trust" double precision,
	"trust_through" timestamp with time zone,
	"profile" text,
	"profile_at" timestamp with time zone,
	"rem_graph" text,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_profiles_tenant_user_id_pk" PRIMARY KEY("tenant","user_id"),
	CONSTRAINT "user_profiles_trust" CHECK (trust is null or trust between 0 and 1)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."tenant_pauses" (
	"tenant" text NOT NULL,
	"tier" text NOT NULL,
	"paused_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tenant_pauses_tenant_tier_pk" PRIMARY KEY("tenant","tier"),
	CONSTRAINT "tenant_pauses_tier" CHECK (tier in ('light', 'deep', 'sleep'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."tier_pauses" (
	"tier" text PRIMARY KEY NOT NULL,
	"paused_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tier_pauses_tier" CHECK (tier in ('light', 'deep', 'sleep'))
);
--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" DROP CONSTRAINT "change_sets_kind";--> statement-breakpoint
DROP INDEX "slowwave"."user_tiers_due";--> statement-breakpoint
ALTER TABLE "slowwave"."memories" ADD COLUMN "audited_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."memories" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('simple'::regconfig, content), 'A') || setweight(to_tsvector('simple'::regconfig, coalesce(source_chunk, '')), 'C')) STORED;--> statement-breakpoint
ALTER TABLE "slowwave"."relations" ADD COLUMN "hypothesis" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."relations" ADD COLUMN "explanation" text;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD COLUMN "tenant_paused" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD COLUMN "unended" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD COLUMN "faults" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD COLUMN "quarantined_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD COLUMN "quarantine_code" text;--> statement-breakpoint
ALTER TABLE "slowwave"."cold_memories" ADD CONSTRAINT "cold_memories_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" ADD CONSTRAINT "model_answers_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."rem_verdicts" ADD CONSTRAINT "rem_verdicts_a" FOREIGN KEY ("tenant","user_id","a_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."rem_verdicts" ADD CONSTRAINT "rem_verdicts_b" FOREIGN KEY ("tenant","user_id","b_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."messages" ADD CONSTRAINT "messages_session" FOREIGN KEY ("tenant","user_id","session_id") REFERENCES "slowwave"."sessions"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."session_summaries" ADD CONSTRAINT "session_summaries_session" FOREIGN KEY ("tenant","user_id","session_id") REFERENCES "slowwave"."sessions"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."sessions" ADD CONSTRAINT "sessions_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."summary_embeddings" ADD CONSTRAINT "summary_embeddings_model_embedding_models_model_fk" FOREIGN KEY ("model") REFERENCES "slowwave"."embedding_models"("model") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."summary_embeddings" ADD CONSTRAINT "summary_embeddings_summary" FOREIGN KEY ("tenant","user_id","session_id") REFERENCES "slowwave"."session_summaries"("tenant","user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."goals" ADD CONSTRAINT "goals_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."scheduled_items" ADD CONSTRAINT "scheduled_items_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."scheduled_items" ADD CONSTRAINT "scheduled_items_goal" FOREIGN KEY ("tenant","user_id","goal_id") REFERENCES "slowwave"."goals"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."feedback" ADD CONSTRAINT "feedback_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."recall_events" ADD CONSTRAINT "recall_events_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."recall_hits" ADD CONSTRAINT "recall_hits_event" FOREIGN KEY ("tenant","user_id","event_id") REFERENCES "slowwave"."recall_events"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."recall_hits" ADD CONSTRAINT "recall_hits_memory" FOREIGN KEY ("tenant","user_id","memory_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."user_profiles" ADD CONSTRAINT "user_profiles_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "model_answers_by_run" ON "slowwave"."model_answers" USING btree ("tenant","user_id","run_id");--> statement-breakpoint
CREATE INDEX "rem_verdicts_by_b" ON "slowwave"."rem_verdicts" USING btree ("tenant","user_id","b_id");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_external" ON "slowwave"."messages" USING btree ("tenant","user_id","session_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "slowwave"."messages" USING btree ("tenant","user_id","said_at");--> statement-breakpoint
CREATE INDEX "session_summaries_by_time" ON "slowwave"."session_summaries" USING btree ("tenant","user_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_unsummarized" ON "slowwave"."sessions" USING btree ("tenant","user_id","last_message_at") WHERE message_count > summarized_count;--> statement-breakpoint
CREATE UNIQUE INDEX "goals_external" ON "slowwave"."goals" USING btree ("tenant","user_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "goals_due" ON "slowwave"."goals" USING btree ("tenant","user_id","due_at") WHERE status = 'active' and due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "scheduled_items_external" ON "slowwave"."scheduled_items" USING btree ("tenant","user_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "scheduled_items_stage_once" ON "slowwave"."scheduled_items" USING btree ("tenant","user_id","goal_id","goal_due_at","goal_stage") WHERE goal_id is not null;--> statement-breakpoint
CREATE INDEX "scheduled_items_pending" ON "slowwave"."scheduled_items" USING btree ("tenant","user_id","due_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "feedback_by_time" ON "slowwave"."feedback" USING btree ("tenant","user_id","given_at");--> statement-breakpoint
CREATE INDEX "recall_events_by_time" ON "slowwave"."recall_events" USING btree ("tenant","user_id","recalled_at");--> statement-breakpoint
CREATE INDEX "recall_hits_by_memory" ON "slowwave"."recall_hits" USING btree ("tenant","user_id","memory_id");--> statement-breakpoint
CREATE INDEX "fusion_sources_memory" ON "slowwave"."fusion_sources" USING btree ("tenant","user_id","memory_id");--> statement-breakpoint
CREATE INDEX "user_tiers_paused" ON "slowwave"."user_tiers" USING btree ("tier") WHERE paused or tenant_paused;--> statement-breakpoint
CREATE INDEX "user_tiers_quarantined" ON "slowwave"."user_tiers" USING btree ("tier") WHERE quarantined_at is not null;--> statement-breakpoint
CREATE INDEX "user_tiers_due" ON "slowwave"."user_tiers" USING btree ("tier","due_at") WHERE not paused and not tenant_paused and quarantined_at is null;--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD CONSTRAINT "change_sets_kind" CHECK (kind in ('fusion', 'undo', 'redo', 'edit', 'merge', 'conflict', 'prominence', 'audit', 'archive', 'prune', 'restore', 'rem', 'reflection'));