-- Tokens, keys of repeated writes and webhooks are separated by tenant like all others.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['api_tokens', 'idempotency_keys', 'webhooks', 'webhook_deliveries'] LOOP
    EXECUTE format('ALTER TABLE slowwave.%I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE slowwave.%I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON slowwave.%I TO slowwave_service', table_name);
    EXECUTE format(
      'CREATE POLICY tenant_rows ON slowwave.%I FOR ALL TO slowwave_service
         USING (tenant = current_setting(''slowwave.tenant'', true))
         WITH CHECK (tenant = current_setting(''slowwave.tenant'', true))',
      table_name
    );
  END LOOP;
END
$$;
--> statement-breakpoint
-- Across tenants: whose token this is, before the tenant is known, and which events are on their way. None holds any memory.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['api_tokens', 'webhooks', 'webhook_deliveries', 'idempotency_keys'] LOOP
    EXECUTE format('CREATE POLICY dispatcher_rows ON slowwave.%I FOR SELECT TO slowwave_dispatcher USING (true)', table_name);
  END LOOP;
END
$$;
--> statement-breakpoint
GRANT SELECT ON slowwave.api_tokens, slowwave.webhooks, slowwave.webhook_deliveries TO slowwave_dispatcher;
--> statement-breakpoint
GRANT UPDATE (last_used_at) ON slowwave.api_tokens TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_marks ON slowwave.api_tokens FOR UPDATE TO slowwave_dispatcher USING (true) WITH CHECK (true);
--> statement-breakpoint
GRANT UPDATE (attempts, next_attempt_at, delivered_at, gave_up_at, last_status, error_code) ON slowwave.webhook_deliveries TO slowwave_dispatcher;
--> statement-breakpoint
GRANT DELETE ON slowwave.webhook_deliveries TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_marks ON slowwave.webhook_deliveries FOR UPDATE TO slowwave_dispatcher USING (true) WITH CHECK (true);
--> statement-breakpoint
CREATE POLICY dispatcher_drops ON slowwave.webhook_deliveries FOR DELETE TO slowwave_dispatcher USING (true);
--> statement-breakpoint
-- Keys of repeated writes end by their age, whosever they are; their answers stay out of sight.
GRANT SELECT (tenant, expires_at), DELETE ON slowwave.idempotency_keys TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_drops ON slowwave.idempotency_keys FOR DELETE TO slowwave_dispatcher USING (true);
