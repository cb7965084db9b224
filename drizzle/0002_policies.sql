-- Vectors are read whole or not at all: no compression, and no detour through TOAST where they fit a page.
ALTER TABLE slowwave.embeddings ALTER COLUMN vector SET STORAGE PLAIN;
--> statement-breakpoint
ALTER TABLE slowwave.embeddings ALTER COLUMN long_vector SET STORAGE EXTERNAL;
--> statement-breakpoint
GRANT USAGE ON SCHEMA slowwave TO slowwave_service, slowwave_dispatcher;
--> statement-breakpoint
-- Tenants are separated by the database: without a tenant in the transaction no row is seen, none can be written.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY[
    'users', 'user_tiers', 'leases', 'runs', 'memories', 'relations', 'embeddings', 'neighbours',
    'fusions', 'fusion_sources', 'change_sets', 'changes'
  ] LOOP
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
-- Which models exist says nothing about anybody.
GRANT SELECT, INSERT ON slowwave.embedding_models TO slowwave_service;
--> statement-breakpoint
-- The dispatcher finds who is due, across tenants: users, their due times and leases, and nothing else.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['users', 'user_tiers', 'leases'] LOOP
    EXECUTE format('GRANT SELECT ON slowwave.%I TO slowwave_dispatcher', table_name);
    EXECUTE format('CREATE POLICY dispatcher_rows ON slowwave.%I FOR SELECT TO slowwave_dispatcher USING (true)', table_name);
  END LOOP;
END
$$;
--> statement-breakpoint
GRANT UPDATE (enqueued_at) ON slowwave.user_tiers TO slowwave_dispatcher;
--> statement-breakpoint
CREATE POLICY dispatcher_marks ON slowwave.user_tiers FOR UPDATE TO slowwave_dispatcher USING (true) WITH CHECK (true);
