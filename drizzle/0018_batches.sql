CREATE TABLE "slowwave"."batch_requests" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"batch_id" uuid NOT NULL,
	"question" text NOT NULL,
	"step" text NOT NULL,
	"run_id" uuid,
	"call_id" uuid NOT NULL,
	"state" text NOT NULL,
	"body" text,
	"bytes" integer NOT NULL,
	"answer" text,
	"stop_reason" text,
	"model" text,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"collected_at" timestamp with time zone NOT NULL,
	"answered_at" timestamp with time zone,
	"deadline_at" timestamp with time zone NOT NULL,
	CONSTRAINT "batch_requests_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "batch_requests_state" CHECK (state in ('collected', 'sent', 'answered', 'failed', 'dropped')),
	CONSTRAINT "batch_requests_body" CHECK (body is null or state in ('collected', 'sent')),
	CONSTRAINT "batch_requests_answer" CHECK ((answer is not null) = (state = 'answered'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."model_batches" (
	"tenant" text NOT NULL,
	"id" uuid NOT NULL,
	"model" text NOT NULL,
	"state" text NOT NULL,
	"provider_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	"look_at" timestamp with time zone NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	"deadline_at" timestamp with time zone NOT NULL,
	"cancelled_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"requests" integer DEFAULT 0 NOT NULL,
	"answered" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"unknown" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "model_batches_tenant_id_pk" PRIMARY KEY("tenant","id"),
	CONSTRAINT "model_batches_state" CHECK (state in ('collecting', 'sending', 'submitted', 'ended', 'abandoned'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."tenant_settings" (
	"tenant" text NOT NULL,
	"batches" boolean DEFAULT true NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tenant_settings_tenant_pk" PRIMARY KEY("tenant")
);
--> statement-breakpoint
ALTER TABLE "slowwave"."runs" DROP CONSTRAINT "runs_why";--> statement-breakpoint
ALTER TABLE "slowwave"."model_calls" ADD COLUMN "batch" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."model_calls" ADD COLUMN "cache_read_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."model_calls" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "slowwave"."batch_requests" ADD CONSTRAINT "batch_requests_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "batch_requests_question" ON "slowwave"."batch_requests" USING btree ("tenant","user_id","question");--> statement-breakpoint
CREATE INDEX "batch_requests_by_batch" ON "slowwave"."batch_requests" USING btree ("tenant","batch_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "model_batches_collecting" ON "slowwave"."model_batches" USING btree ("tenant","model") WHERE state = 'collecting';--> statement-breakpoint
CREATE INDEX "model_batches_look" ON "slowwave"."model_batches" USING btree ("look_at");--> statement-breakpoint
CREATE UNIQUE INDEX "model_batches_provider" ON "slowwave"."model_batches" USING btree ("provider_id") WHERE provider_id is not null;--> statement-breakpoint
ALTER TABLE "slowwave"."runs" ADD CONSTRAINT "runs_why" CHECK (why in ('schedule', 'adhoc', 'sweep', 'retry', 'batch'));