CREATE TABLE "slowwave"."api_tokens" (
	"tenant" text NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_tokens_tenant_id_pk" PRIMARY KEY("tenant","id"),
	CONSTRAINT "api_tokens_role" CHECK (role in ('read', 'write', 'admin')),
	CONSTRAINT "api_tokens_name" CHECK (length(name) between 1 and 200),
	CONSTRAINT "api_tokens_digest" CHECK (digest ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "slowwave"."idempotency_keys" (
	"tenant" text NOT NULL,
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"user_id" text,
	"status" integer,
	"answer" jsonb,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_tenant_caller_key_pk" PRIMARY KEY("tenant","caller","key"),
	CONSTRAINT "idempotency_keys_hashes" CHECK (key ~ '^[0-9a-f]{64}$' and request_hash ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "slowwave"."webhook_deliveries" (
	"tenant" text NOT NULL,
	"id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"user_id" text,
	"event" text NOT NULL,
	"payload" jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	"gave_up_at" timestamp with time zone,
	"last_status" integer,
	"error_code" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "webhook_deliveries_tenant_id_pk" PRIMARY KEY("tenant","id"),
	CONSTRAINT "webhook_deliveries_event" CHECK (event in ('run.finished', 'conflict.found', 'fusion.failed'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."webhooks" (
	"tenant" text NOT NULL,
	"id" uuid NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"secret" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "webhooks_tenant_id_pk" PRIMARY KEY("tenant","id"),
	CONSTRAINT "webhooks_url" CHECK (length(url) between 1 and 2000),
	CONSTRAINT "webhooks_events" CHECK (cardinality(events) between 1 and 20)
);
--> statement-breakpoint
ALTER TABLE "slowwave"."runs" DROP CONSTRAINT "runs_status";--> statement-breakpoint
ALTER TABLE "slowwave"."runs" ADD COLUMN "cancel_requested_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slowwave"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook" FOREIGN KEY ("tenant","webhook_id") REFERENCES "slowwave"."webhooks"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_id" ON "slowwave"."api_tokens" USING btree ("id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_user" ON "slowwave"."idempotency_keys" USING btree ("tenant","user_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "slowwave"."idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "slowwave"."webhook_deliveries" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_webhook" ON "slowwave"."webhook_deliveries" USING btree ("tenant","webhook_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_user" ON "slowwave"."webhook_deliveries" USING btree ("tenant","user_id");--> statement-breakpoint
ALTER TABLE "slowwave"."runs" ADD CONSTRAINT "runs_status" CHECK (status in ('requested', 'running', 'completed', 'failed', 'abandoned', 'cancelled'));