-- What the tables stand on: the vector type, the schema, the two roles and the decay formula.
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
--> statement-breakpoint
CREATE SCHEMA IF NOT EXISTS slowwave;
--> statement-breakpoint
-- Neither role logs in or owns a table. Roles belong to the whole server: another database may have made them already.
DO $$
DECLARE
  role_name text;
  -- From PostgreSQL 16 on, whoever creates a role is a member of it that may not step into it.
  -- And from then on a login need not have all the time what it steps into for one transaction.
  modern boolean := current_setting('server_version_num')::int >= 160000;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['slowwave_service', 'slowwave_dispatcher'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;
      END;
    END IF;
    IF NOT pg_catalog.pg_has_role(current_user, role_name, CASE WHEN modern THEN 'SET' ELSE 'MEMBER' END) THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name) || CASE WHEN modern THEN ' WITH INHERIT FALSE, SET TRUE' ELSE '' END;
    END IF;
  END LOOP;
END
$$;
--> statement-breakpoint
-- Share of prominence kept per day, by what the memory is.
CREATE FUNCTION slowwave.decay_rate(category text, memory_type text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE memory_type
    WHEN 'superseded' THEN 0.90
    WHEN 'dynamic_profile' THEN 0.99
    WHEN 'derived' THEN greatest(0.98,
      CASE category WHEN 'preference' THEN 0.995 WHEN 'fact' THEN 0.99 WHEN 'event' THEN 0.95
        WHEN 'relationship' THEN 0.998 ELSE 0.97 END)
    ELSE CASE category WHEN 'preference' THEN 0.995 WHEN 'fact' THEN 0.99 WHEN 'event' THEN 0.95
      WHEN 'relationship' THEN 0.998 ELSE 0.97 END
  END::double precision
$$;
--> statement-breakpoint
-- Every confirmation slows the decay.
CREATE FUNCTION slowwave.decay_stability(confirmations integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 1 + 0.35 * ln(1 + confirmations::double precision) / ln(2::double precision)
$$;
--> statement-breakpoint
-- Important facts and relationships never fade below this.
CREATE FUNCTION slowwave.decay_floor(category text, importance smallint, peak double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN importance >= 8 AND category IN ('fact', 'relationship') THEN least(0.2, peak) ELSE 0 END
$$;
--> statement-breakpoint
-- Prominence at an instant. STABLE and in plain SQL so that the planner can inline it.
CREATE FUNCTION slowwave.prominence(
  category text, memory_type text, importance smallint, confirmations integer,
  peak double precision, anchor_at timestamptz, demotion double precision, at timestamptz
) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN memory_type = 'static_profile' THEN 1.0 ELSE
    demotion * (
      slowwave.decay_floor(category, importance, peak)
      + (peak - slowwave.decay_floor(category, importance, peak))
        -- rate to the power of the days; held at e^-600, beyond which a double underflows and is refused.
        * exp(greatest(-600, ln(slowwave.decay_rate(category, memory_type))
            * greatest(0, date_part('epoch', at - anchor_at) / 86400 - 1) / slowwave.decay_stability(confirmations)))
    )
  END
$$;
--> statement-breakpoint
-- When prominence falls below a threshold: infinity when it never does, -infinity when it starts below. It stands in generated
-- columns, so it must be IMMUTABLE; it is, since seconds of the epoch do not depend on the session's time zone.
CREATE FUNCTION slowwave.crossing(
  threshold double precision, category text, memory_type text, importance smallint, confirmations integer,
  peak double precision, anchor_at timestamptz, demotion double precision
) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  floor_value double precision := slowwave.decay_floor(category, importance, peak);
  remaining double precision;
  days double precision;
BEGIN
  IF memory_type = 'static_profile' THEN
    RETURN 'infinity';
  END IF;
  IF demotion * peak < threshold THEN
    RETURN '-infinity';
  END IF;
  IF demotion * floor_value >= threshold THEN
    RETURN 'infinity';
  END IF;
  remaining := (threshold / demotion - floor_value) / (peak - floor_value);
  days := 1 + slowwave.decay_stability(confirmations)
    * ln(remaining) / ln(slowwave.decay_rate(category, memory_type));
  RETURN to_timestamp(date_part('epoch', anchor_at) + days * 86400);
END
$$;
