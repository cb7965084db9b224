-- Which memories are close is separated by tenant like the memories themselves.
ALTER TABLE slowwave.closeness ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE slowwave.closeness FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON slowwave.closeness TO slowwave_service;
--> statement-breakpoint
CREATE POLICY tenant_rows ON slowwave.closeness FOR ALL TO slowwave_service
  USING (tenant = current_setting('slowwave.tenant', true))
  WITH CHECK (tenant = current_setting('slowwave.tenant', true));
