-- The new tables are separated by tenant like all others.
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['conflicts', 'tombstones'] LOOP
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
-- Who said something never changes: what an assistant or a tool made cannot be turned into something that the user said.
CREATE FUNCTION slowwave.keep_origin() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the origin of a memory never changes' USING ERRCODE = 'check_violation', CONSTRAINT = 'memories_origin_kept';
END
$$;
--> statement-breakpoint
CREATE TRIGGER memories_origin_kept BEFORE UPDATE OF origin ON slowwave.memories
FOR EACH ROW WHEN (OLD.origin IS DISTINCT FROM NEW.origin) EXECUTE FUNCTION slowwave.keep_origin();
