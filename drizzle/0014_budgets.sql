CREATE TABLE "slowwave"."model_calls" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"run_id" uuid,
	"tier" text NOT NULL,
	"step" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"state" text NOT NULL,
	"priced" boolean NOT NULL,
	"reserved_tokens" bigint DEFAULT 0 NOT NULL,
	"reserved_nanos" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_nanos" bigint DEFAULT 0 NOT NULL,
	"user_day" date NOT NULL,
	"user_night" date,
	"tenant_day" date NOT NULL,
	"overall" boolean NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "model_calls_tenant_user_id_id_pk" PRIMARY KEY("tenant","user_id","id"),
	CONSTRAINT "model_calls_state" CHECK (state in ('reserved', 'settled', 'released', 'lapsed')),
	CONSTRAINT "model_calls_tier" CHECK (tier in ('light', 'deep', 'sleep'))
);
--> statement-breakpoint
CREATE TABLE "slowwave"."overall_spend" (
	"day" date NOT NULL,
	"spent_tokens" bigint DEFAULT 0 NOT NULL,
	"spent_nanos" bigint DEFAULT 0 NOT NULL,
	"reserved_tokens" bigint DEFAULT 0 NOT NULL,
	"reserved_nanos" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "overall_spend_day_pk" PRIMARY KEY("day"),
	CONSTRAINT "overall_spend_amounts" CHECK (least(spent_tokens, spent_nanos, reserved_tokens, reserved_nanos) >= 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."tenant_spend" (
	"tenant" text NOT NULL,
	"day" date NOT NULL,
	"spent_tokens" bigint DEFAULT 0 NOT NULL,
	"spent_nanos" bigint DEFAULT 0 NOT NULL,
	"reserved_tokens" bigint DEFAULT 0 NOT NULL,
	"reserved_nanos" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "tenant_spend_tenant_day_pk" PRIMARY KEY("tenant","day"),
	CONSTRAINT "tenant_spend_amounts" CHECK (least(spent_tokens, spent_nanos, reserved_tokens, reserved_nanos) >= 0)
);
--> statement-breakpoint
CREATE TABLE "slowwave"."user_spend" (
	"tenant" text NOT NULL,
	"user_id" text NOT NULL,
	"period" text NOT NULL,
	"day" date NOT NULL,
	"spent_tokens" bigint DEFAULT 0 NOT NULL,
	"spent_nanos" bigint DEFAULT 0 NOT NULL,
	"reserved_tokens" bigint DEFAULT 0 NOT NULL,
	"reserved_nanos" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "user_spend_tenant_user_id_period_day_pk" PRIMARY KEY("tenant","user_id","period","day"),
	CONSTRAINT "user_spend_period" CHECK (period in ('day', 'night')),
	CONSTRAINT "user_spend_amounts" CHECK (least(spent_tokens, spent_nanos, reserved_tokens, reserved_nanos) >= 0)
);
--> statement-breakpoint
ALTER TABLE "slowwave"."model_calls" ADD CONSTRAINT "model_calls_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slowwave"."user_spend" ADD CONSTRAINT "user_spend_tenant_user_id_users_tenant_id_fk" FOREIGN KEY ("tenant","user_id") REFERENCES "slowwave"."users"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "model_calls_open" ON "slowwave"."model_calls" USING btree ("tenant","user_id","expires_at") WHERE state = 'reserved';--> statement-breakpoint
CREATE INDEX "model_calls_by_run" ON "slowwave"."model_calls" USING btree ("tenant","user_id","run_id");--> statement-breakpoint
CREATE INDEX "model_calls_by_tenant" ON "slowwave"."model_calls" USING btree ("tenant","begun_at");