ALTER TABLE "slowwave"."model_answers" DROP CONSTRAINT "model_answers_step";--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" DROP CONSTRAINT "fusions_status";--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "request" text;--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD COLUMN "position" integer;--> statement-breakpoint
CREATE INDEX "fusions_by_request" ON "slowwave"."fusions" USING btree ("tenant","user_id","request") WHERE request is not null;--> statement-breakpoint
ALTER TABLE "slowwave"."model_answers" ADD CONSTRAINT "model_answers_step" CHECK (step in ('summaries', 'rem', 'reflection', 'conflicts', 'insights', 'judge'));--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD CONSTRAINT "fusions_statement" CHECK ((request is null) = (position is null));--> statement-breakpoint
ALTER TABLE "slowwave"."fusions" ADD CONSTRAINT "fusions_status" CHECK (status in ('planned', 'generated', 'review', 'applied', 'stale', 'failed', 'rejected', 'expired', 'undone', 'forgotten', 'closed'));