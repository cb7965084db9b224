CREATE INDEX "cold_memories_superseded_by" ON "slowwave"."cold_memories" USING btree ("tenant","user_id",(memory->>'superseded_by'));--> statement-breakpoint
-- When a memory and everything that it stands for were said: the sources it was derived from, and duplicates that were merged into it,
-- however many times, also those that were moved to the cold table. What an edit or a settled conflict replaced says something else.
CREATE FUNCTION slowwave.said_at(owner_tenant text, owner_user text, memory uuid) RETURNS TABLE (at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE said (id) AS (
    SELECT memory
    UNION
    SELECT part.id FROM said CROSS JOIN LATERAL (
      SELECT r.target_id AS id FROM slowwave.relations r
      WHERE r.tenant = owner_tenant AND r.user_id = owner_user AND r.source_id = said.id AND r.relation_type = 'DERIVES'
      UNION ALL
      SELECT m.id FROM slowwave.memories m
      WHERE m.tenant = owner_tenant AND m.user_id = owner_user AND m.superseded_by = said.id AND EXISTS (
        SELECT 1 FROM slowwave.fusion_sources s
        WHERE s.tenant = owner_tenant AND s.user_id = owner_user AND s.memory_id = m.id AND s.superseded)
      UNION ALL
      SELECT c.id FROM slowwave.cold_memories c
      WHERE c.tenant = owner_tenant AND c.user_id = owner_user AND c.memory->>'superseded_by' = said.id::text
        AND c.fusion_sources @> '[{"superseded": true}]'
    ) part
  )
  SELECT m.document_date FROM said JOIN slowwave.memories m
    ON m.tenant = owner_tenant AND m.user_id = owner_user AND m.id = said.id
  UNION ALL
  SELECT (c.memory->>'document_date')::timestamptz FROM said JOIN slowwave.cold_memories c
    ON c.tenant = owner_tenant AND c.user_id = owner_user AND c.id = said.id
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION slowwave.said_from(owner_tenant text, owner_user text, memory uuid) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT min(at) FROM slowwave.said_at(owner_tenant, owner_user, memory)
$$;
--> statement-breakpoint
CREATE FUNCTION slowwave.said_to(owner_tenant text, owner_user text, memory uuid) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT max(at) FROM slowwave.said_at(owner_tenant, owner_user, memory)
$$;
