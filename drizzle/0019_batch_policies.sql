-- What waits in batches, and what a tenant allows, is separated by tenant like everything else.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['model_batches', 'batch_requests', 'tenant_settings'] LOOP
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
-- Across tenants: which batches there are and when somebody looks at them. Nothing of what is asked in them.
GRANT SELECT ON slowwave.model_batches TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_rows ON slowwave.model_batches FOR SELECT TO slowwave_dispatcher USING (true);
