CREATE SCHEMA IF NOT EXISTS "slowwave";
--> statement-breakpoint
CREATE TABLE "slowwave"."change_sets" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"run_id" uuid,
	"fusion_key" text,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "change_sets_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "change_sets_kind" CHECK (kind in ('fusion', 'undo', 'redo', 'edit', 'merge', 'conflict'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."changes" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"change_set_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"table_name" text NOT NULL,
	"row_key" jsonb NOT NULL,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "changes_tenant_user_id_change_set_id_position_pk" PRIMARY KEY("tenant","user_id","change_set_id","position"),
	CONSTRAINT "changes_table" CHECK (table_name in ('memories', 'relations')),
	CONSTRAINT "changes_image" CHECK (before is not null or after is not null)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."fusion_sources" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"fusion_key" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"content_hash" text NOT NULL,
	"version" integer NOT NULL,
	"position" integer NOT NULL,
	"live" boolean NOT NULL,
	"superseded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "fusion_sources_tenant_user_id_fusion_key_memory_id_pk" PRIMARY KEY("tenant","user_id","fusion_key","memory_id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."fusions" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"source_set" text NOT NULL,
	"run_id" uuid,
	"tier" text NOT NULL,
	"prompt_version" text NOT NULL,
	"model" text NOT NULL,
	"status" text NOT NULL,
	"fence" bigint NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"derived_id" uuid NOT NULL,
	"output" text,
	"stop_reason" text,
	"answer_state" text DEFAULT 'none' NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"answered_model" text,
	"error_code" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "fusions_tenant_user_id_key_pk" PRIMARY KEY("tenant","user_id","key"),
	CONSTRAINT "fusions_status" CHECK (status in ('planned', 'generated', 'review', 'applied', 'stale', 'failed', 'rejected', 'expired', 'undone', 'forgotten')),
	CONSTRAINT "fusions_tier" CHECK (tier in ('light', 'deep', 'sleep')),
	CONSTRAINT "fusions_answer" CHECK (answer_state in ('none', 'unjudged', 'accepted', 'rejected')),
	CONSTRAINT "fusions_key" CHECK (key ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "slowwave"."runs" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"tier" text NOT NULL,
	"why" text NOT NULL,
	"status" text NOT NULL,
	"fence" bigint,
	"requested_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"report" jsonb,
	"error_code" text,
	CONSTRAINT "runs_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "runs_tier" CHECK (tier in ('light', 'deep', 'sleep')),
	CONSTRAINT "runs_why" CHECK (why in ('schedule', 'adhoc', 'sweep', 'retry')),
	CONSTRAINT "runs_status" CHECK (status in ('requested', 'running', 'completed', 'failed', 'abandoned'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."embedding_models" (
	"model" text PRIMARY KEY NOT NULL,
	"dimensions" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "slowwave"."embeddings" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"model" text NOT NULL,
	"content_hash" text NOT NULL,
	"vector" vector,
	"long_vector" vector,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "embeddings_tenant_user_id_memory_id_model_pk" PRIMARY KEY("tenant","user_id","memory_id","model"),
	CONSTRAINT "embeddings_one_vector" CHECK (num_nonnulls(vector, long_vector) = 1),
	CONSTRAINT "embeddings_size" CHECK (vector is null or vector_dims(vector) <= 2000)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."memories" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text,
	"workspace" text,
	"visibility" text DEFAULT 'private' NOT NULL,
	"content" text NOT NULL,
	"content_hash" text NOT NULL,
	"category" text NOT NULL,
	"memory_type" text DEFAULT 'regular' NOT NULL,
	"prior_type" text,
	"importance" smallint DEFAULT 5 NOT NULL,
	"confidence" double precision DEFAULT 0.8 NOT NULL,
	"trust" double precision DEFAULT 0.8 NOT NULL,
	"is_latest" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"archived_at" timestamp with time zone,
	"origin" text DEFAULT 'user' NOT NULL,
	"session" text,
	"learned_from" text DEFAULT 'conversation' NOT NULL,
	"document_date" timestamp with time zone NOT NULL,
	"event_date" timestamp with time zone,
	"valid_from" timestamp with time zone,
	"valid_to" timestamp with time zone,
	"peak" double precision NOT NULL,
	"anchor_at" timestamp with time zone NOT NULL,
	"demotion" double precision DEFAULT 1 NOT NULL,
	"confirmations" integer DEFAULT 0 NOT NULL,
	"access_count" integer DEFAULT 0 NOT NULL,
	"last_accessed" timestamp with time zone,
	"source_chunk" text,
	"superseded_by" uuid,
	"expires_at" timestamp with time zone,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"crosses_080_at" timestamp with time zone GENERATED ALWAYS AS (slowwave.crossing(0.8, category, memory_type, importance, confirmations, peak, anchor_at, demotion)) STORED,
	"crosses_050_at" timestamp with time zone GENERATED ALWAYS AS (slowwave.crossing(0.5, category, memory_type, importance, confirmations, peak, anchor_at, demotion)) STORED,
	"crosses_010_at" timestamp with time zone GENERATED ALWAYS AS (slowwave.crossing(0.1, category, memory_type, importance, confirmations, peak, anchor_at, demotion)) STORED,
	"crosses_005_at" timestamp with time zone GENERATED ALWAYS AS (slowwave.crossing(0.05, category, memory_type, importance, confirmations, peak, anchor_at, demotion)) STORED,
	CONSTRAINT "memories_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "memories_category" CHECK (category in ('preference', 'fact', 'event', 'relationship', 'insight')),
	CONSTRAINT "memories_type" CHECK (memory_type in ('static_profile', 'dynamic_profile', 'regular', 'derived', 'superseded')),
	CONSTRAINT "memories_origin" CHECK (origin in ('user', 'assistant', 'tool', 'import')),
	CONSTRAINT "memories_learned_from" CHECK (learned_from in ('conversation', 'correction', 'inference', 'consolidation', 'nrem_consolidation', 'rem_exploration', 'self_reflection', 'import')),
	CONSTRAINT "memories_visibility" CHECK (visibility in ('private', 'shared')),
	CONSTRAINT "memories_scores" CHECK (importance between 1 and 10 and confidence between 0 and 1 and trust between 0 and 1),
	CONSTRAINT "memories_prominence" CHECK ((peak = 0 or peak between 1e-9 and 1) and (demotion = 0 or demotion between 1e-9 and 1)),
	CONSTRAINT "memories_content" CHECK (length(content) > 0),
	CONSTRAINT "memories_superseded" CHECK ((memory_type = 'superseded') = (superseded_by is not null) and (memory_type = 'superseded') = (prior_type is not null) and not (memory_type = 'superseded' and is_latest) and superseded_by is distinct from id)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."neighbours" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"neighbour_id" uuid NOT NULL,
	"cosine" real NOT NULL,
	CONSTRAINT "neighbours_tenant_user_id_model_memory_id_neighbour_id_pk" PRIMARY KEY("tenant","user_id","model","memory_id","neighbour_id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."relations" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"source_id" uuid NOT NULL,
	"target_id" uuid NOT NULL,
	"relation_type" text NOT NULL,
	"confidence" double precision NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "relations_tenant_user_id_source_id_target_id_relation_type_pk" PRIMARY KEY("tenant","user_id","source_id","target_id","relation_type"),
	CONSTRAINT "relations_type" CHECK (relation_type in ('UPDATES', 'EXTENDS', 'DERIVES')),
	CONSTRAINT "relations_self" CHECK (source_id <> target_id),
	CONSTRAINT "relations_confidence" CHECK (confidence between 0 and 1)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."leases" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"fence" bigint NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "leases_tenant_user_id_pk" PRIMARY KEY("tenant","user_id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."user_tiers" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"tier" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"last_attempt_at" timestamp with time zone,
	"last_success_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"enqueued_at" timestamp with time zone,
	"requested_run" uuid,
	"paused" boolean DEFAULT false NOT NULL,
	CONSTRAINT "user_tiers_tenant_user_id_tier_pk" PRIMARY KEY("tenant","user_id","tier"),
	CONSTRAINT "user_tiers_tier" CHECK (tier in ('light', 'deep', 'sleep'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."users" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"quiet_start" smallint DEFAULT 120 NOT NULL,
	"quiet_end" smallint DEFAULT 300 NOT NULL,
	"mode" text DEFAULT 'auto' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_tenant_id_pk" PRIMARY KEY("tenant","id"),
	CONSTRAINT "users_mode" CHECK (mode in ('auto', 'review', 'off')),
	CONSTRAINT "users_quiet" CHECK (quiet_start between 0 and 1439 and quiet_end between 0 and 1439),
	CONSTRAINT "users_names" CHECK (length(tenant) between 1 and 200 and length(id) between 1 and 200)
);
--> statement-breakpoint
ALTER TABLE "slowwave"."change_sets" ADD CONSTRAINT "change_sets_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."changes" ADD CONSTRAINT "changes_change_set" FOREIGN KEY ("tenant","user_id","change_set_id") REFERENCES "slowwave"."change_sets"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."fusion_sources" ADD CONSTRAINT "fusion_sources_fusion" FOREIGN KEY ("tenant","user_id","fusion_key") REFERENCES "slowwave"."fusions"("tenant","user_id","key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."fusion_sources" ADD CONSTRAINT "fusion_sources_memory" FOREIGN KEY ("tenant","user_id","memory_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD CONSTRAINT "fusions_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."runs" ADD CONSTRAINT "runs_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."embeddings" ADD CONSTRAINT "embeddings_model_embedding_models_model_fk" FOREIGN KEY ("model") REFERENCES "slowwave"."embedding_models"("model") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."embeddings" ADD CONSTRAINT "embeddings_memory" FOREIGN KEY ("tenant","user_id","memory_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."memories" ADD CONSTRAINT "memories_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."memories" ADD CONSTRAINT "memories_superseded_by" FOREIGN KEY ("tenant","user_id","superseded_by") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."neighbours" ADD CONSTRAINT "neighbours_of" FOREIGN KEY ("tenant","user_id","memory_id","model") REFERENCES "slowwave"."embeddings"("tenant","user_id","memory_id","model") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."neighbours" ADD CONSTRAINT "neighbours_to" FOREIGN KEY ("tenant","user_id","neighbour_id","model") REFERENCES "slowwave"."embeddings"("tenant","user_id","memory_id","model") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."relations" ADD CONSTRAINT "relations_source" FOREIGN KEY ("tenant","user_id","source_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."relations" ADD CONSTRAINT "relations_target" FOREIGN KEY ("tenant","user_id","target_id") REFERENCES "slowwave"."memories"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."leases" ADD CONSTRAINT "leases_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."user_tiers" ADD CONSTRAINT "user_tiers_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "change_sets_by_run" ON "slowwave"."change_sets" USING btree ("tenant","user_id","run_id");--> statement-breakpoint
CREATE INDEX "change_sets_by_fusion" ON "slowwave"."change_sets" USING btree ("tenant","user_id","fusion_key");--> statement-breakpoint
CREATE UNIQUE INDEX "fusion_sources_claim" ON "slowwave"."fusion_sources" USING btree ("tenant","user_id","memory_id") WHERE live;--> statement-breakpoint
CREATE UNIQUE INDEX "fusion_sources_superseded" ON "slowwave"."fusion_sources" USING btree ("tenant","user_id","memory_id") WHERE superseded;--> statement-breakpoint
CREATE INDEX "fusions_source_set" ON "slowwave"."fusions" USING btree ("tenant","user_id","source_set");--> statement-breakpoint
CREATE INDEX "fusions_by_status" ON "slowwave"."fusions" USING btree ("tenant","user_id","status");--> statement-breakpoint
CREATE INDEX "runs_by_user" ON "slowwave"."runs" USING btree ("tenant","user_id","requested_at");--> statement-breakpoint
CREATE UNIQUE INDEX "memories_external" ON "slowwave"."memories" USING btree ("tenant","user_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "memories_dormant" ON "slowwave"."memories" USING btree ("tenant","user_id","crosses_050_at","crosses_010_at") WHERE is_latest and archived_at is null;--> statement-breakpoint
CREATE INDEX "memories_window" ON "slowwave"."memories" USING btree ("tenant","user_id","crosses_080_at","crosses_005_at") WHERE is_latest and archived_at is null;--> statement-breakpoint
CREATE INDEX "memories_superseded_by_idx" ON "slowwave"."memories" USING btree ("tenant","user_id","superseded_by") WHERE superseded_by is not null;--> statement-breakpoint
CREATE INDEX "neighbours_by_neighbour" ON "slowwave"."neighbours" USING btree ("tenant","user_id","neighbour_id","model");--> statement-breakpoint
CREATE INDEX "relations_by_target" ON "slowwave"."relations" USING btree ("tenant","user_id","target_id");--> statement-breakpoint
CREATE INDEX "user_tiers_due" ON "slowwave"."user_tiers" USING btree ("tier","due_at");--> statement-breakpoint
CREATE INDEX "user_tiers_requested" ON "slowwave"."user_tiers" USING btree ("tier") WHERE requested_run is not null;