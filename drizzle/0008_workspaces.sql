CREATE TABLE "slowwave"."document_versions" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"path" text NOT NULL,
	"id" uuid NOT NULL,
	"run_id" uuid,
	"version" integer,
	"content" text,
	"sha256_after" text,
	"replaced_at" timestamp with time zone NOT NULL,
	"replaced_by" text NOT NULL,
	CONSTRAINT "document_versions_tenant_user_id_workspace_path_id_pk" PRIMARY KEY("tenant","user_id","workspace","path","id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."documents" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"path" text NOT NULL,
	"content" text NOT NULL,
	"sha256" text NOT NULL,
	"bytes" bigint NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"updated_by" text NOT NULL,
	CONSTRAINT "documents_tenant_user_id_workspace_path_pk" PRIMARY KEY("tenant","user_id","workspace","path"),
	CONSTRAINT "documents_path" CHECK (length(path) between 1 and 255),
	CONSTRAINT "documents_hash" CHECK (sha256 ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "slowwave"."import_blocks" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"path" text NOT NULL,
	"block_hash" text NOT NULL,
	"occurrence" integer NOT NULL,
	"state" text NOT NULL,
	"memory_id" uuid,
	"replaced_by" text,
	"seen_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "import_blocks_tenant_user_id_workspace_path_block_hash_occurrence_pk" PRIMARY KEY("tenant","user_id","workspace","path","block_hash","occurrence"),
	CONSTRAINT "import_blocks_hash" CHECK (block_hash ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "import_blocks_state" CHECK (state in ('imported', 'known', 'gone', 'forgotten', 'projected'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."import_files" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"path" text NOT NULL,
	"sha256" text NOT NULL,
	"imported_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	CONSTRAINT "import_files_tenant_user_id_workspace_path_pk" PRIMARY KEY("tenant","user_id","workspace","path")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."projected_lines" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"memory_id" uuid NOT NULL,
	"path" text NOT NULL,
	"line" integer NOT NULL,
	"line_hash" text NOT NULL,
	"removed_at" timestamp with time zone,
	CONSTRAINT "projected_lines_tenant_user_id_workspace_memory_id_pk" PRIMARY KEY("tenant","user_id","workspace","memory_id")
);
--> statement-breakpoint
CREATE TABLE "slowwave"."workspace_runs" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"workspace" text NOT NULL,
	"id" uuid NOT NULL,
	"work" text NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"run_id" uuid,
	"report" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "workspace_runs_tenant_user_id_workspace_id_pk" PRIMARY KEY("tenant","user_id","workspace","id"),
	CONSTRAINT "workspace_runs_work" CHECK (work in ('insights', 'import', 'projection')),
	CONSTRAINT "workspace_runs_status" CHECK (status in ('running', 'completed', 'failed', 'skipped', 'undone'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."workspaces" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" text NOT NULL,
	"backend" text DEFAULT 'postgres' NOT NULL,
	"root_dir" text,
	"memory_enabled" boolean DEFAULT true NOT NULL,
	"projection_enabled" boolean DEFAULT true NOT NULL,
	"import_enabled" boolean DEFAULT true NOT NULL,
	"quota_bytes" bigint DEFAULT 16777216 NOT NULL,
	"insights_enabled" boolean DEFAULT false NOT NULL,
	"insights_schedule" text DEFAULT '0 2 * * *' NOT NULL,
	"insights_timezone" text,
	"insights_min_interval_ms" bigint DEFAULT 86400000 NOT NULL,
	"insights_min_growth" integer DEFAULT 1000 NOT NULL,
	"insights_due_at" timestamp with time zone,
	"insights_last_run_at" timestamp with time zone,
	"insights_last_size" integer,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workspaces_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "workspaces_names" CHECK (length(id) between 1 and 200 and length(backend) between 1 and 100),
	CONSTRAINT "workspaces_limits" CHECK (quota_bytes > 0 and insights_min_interval_ms >= 0 and insights_min_growth >= 0)
);
--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" DROP CONSTRAINT "model_answers_step";--> statement-breakpoint
ALTER TABLE "slowwave"."document_versions" ADD CONSTRAINT "document_versions_workspace" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."documents" ADD CONSTRAINT "documents_tenant_user_id_workspace_workspaces_tenant_user_id_id_fk" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."import_blocks" ADD CONSTRAINT "import_blocks_workspace" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."import_files" ADD CONSTRAINT "import_files_workspace" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."projected_lines" ADD CONSTRAINT "projected_lines_workspace" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."workspace_runs" ADD CONSTRAINT "workspace_runs_workspace" FOREIGN KEY ("tenant","user_id","workspace") REFERENCES "slowwave"."workspaces"("tenant","user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."workspaces" ADD CONSTRAINT "workspaces_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_versions_by_run" ON "slowwave"."document_versions" USING btree ("tenant","user_id","run_id") WHERE run_id is not null;--> statement-breakpoint
CREATE INDEX "import_blocks_by_memory" ON "slowwave"."import_blocks" USING btree ("tenant","user_id","memory_id") WHERE memory_id is not null;--> statement-breakpoint
CREATE INDEX "workspace_runs_latest" ON "slowwave"."workspace_runs" USING btree ("tenant","user_id","workspace","work","started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "workspaces_root" ON "slowwave"."workspaces" USING btree ("root_dir") WHERE root_dir is not null;--> statement-breakpoint
CREATE INDEX "workspaces_insights_due" ON "slowwave"."workspaces" USING btree ("insights_due_at") WHERE insights_enabled and memory_enabled and insights_due_at is not null;--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" ADD CONSTRAINT "model_answers_step" CHECK (step in ('summaries', 'rem', 'reflection', 'conflicts', 'insights'));