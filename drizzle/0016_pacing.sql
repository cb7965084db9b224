CREATE TABLE "slowwave"."model_rates" (
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"per_minute" double precision,
	"raise_by" double precision DEFAULT 0 NOT NULL,
	"permits" double precision DEFAULT 0 NOT NULL,
	"used" double precision DEFAULT 0 NOT NULL,
	"refused" double precision DEFAULT 0 NOT NULL,
	"retry_tokens" double precision NOT NULL,
	"counted_at" timestamp with time zone NOT NULL,
	"not_before" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"lowered_at" timestamp with time zone,
	CONSTRAINT "model_rates_provider_model_pk" PRIMARY KEY("provider","model"),
	CONSTRAINT "model_rates_amounts" CHECK (coalesce(per_minute, 1) >= 1 and least(raise_by, used, refused, retry_tokens) >= 0)
);
--> statement-breakpoint
CREATE INDEX "user_tiers_due_by_tenant" ON "slowwave"."user_tiers" USING btree ("tier","tenant","due_at") WHERE not paused and not tenant_paused and quarantined_at is null;