-- The new tables are separated by tenant like all others.
ALTER TABLE slowwave.summary_embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
--> statement-breakpoint
DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY[
    'sessions', 'messages', 'session_summaries', 'summary_embeddings', 'goals', 'scheduled_items', 'recall_events', 'recall_hits',
    'feedback', 'user_profiles', 'model_answers', 'rem_verdicts', 'cold_memories', 'tenant_pauses'
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
-- Whole tiers are paused by the dispatcher, since that concerns no tenant; everybody may see it.
GRANT SELECT, INSERT, DELETE ON slowwave.tier_pauses TO slowwave_dispatcher;
--> statement-breakpoint
GRANT SELECT ON slowwave.tier_pauses TO slowwave_service;
--> statement-breakpoint
-- How sure a hypothesis still is: it fades by 3 % a day. Anything else keeps its confidence.
CREATE FUNCTION slowwave.hypothesis_confidence(
  hypothesis boolean, confidence double precision, created_at timestamptz, at timestamptz
) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN hypothesis
    THEN confidence * exp(ln(0.97::double precision) * least(10000, greatest(0, date_part('epoch', at - created_at) / 86400)))
    ELSE confidence END
$$;
