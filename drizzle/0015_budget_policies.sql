-- What models cost is separated by tenant like everything else.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['model_calls', 'user_spend', 'tenant_spend'] LOOP
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
-- What all tenants spent together is one number a day. A reservation has to lock it while it is bound to its tenant.
GRANT SELECT, INSERT, UPDATE ON slowwave.overall_spend TO slowwave_service;
--> statement-breakpoint
-- Across tenants: what each spent, for the operator. None of it says anything about a person.
GRANT SELECT ON slowwave.tenant_spend, slowwave.overall_spend TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_rows ON slowwave.tenant_spend FOR SELECT TO slowwave_dispatcher USING (true);
