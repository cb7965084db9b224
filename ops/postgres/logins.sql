-- The two logins of Slowwave, and what only a superuser may make for them; run once, by one, in the database that Slowwave will use.
-- Owner: runs the migrations and owns what they make. Service: the producer's and the workers'; it owns nothing, and may do no more than step
-- into the two roles, of which one sees a single tenant and the other when users are due.
--
-- Names and passwords are settings of the session (as by set_config): slowwave.owner, slowwave.owner_password, slowwave.service,
-- slowwave.service_password.
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
DO $$
DECLARE
  name text;
  owner text := current_setting('slowwave.owner');
  service text := current_setting('slowwave.service');
BEGIN
  FOREACH name IN ARRAY ARRAY['slowwave_service', 'slowwave_dispatcher'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
  -- Without inheriting: a login has the rights of a role while it has stepped into it, and at no other time.
  EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD %L',
    owner, current_setting('slowwave.owner_password'));
  EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD %L',
    service, current_setting('slowwave.service_password'));
  EXECUTE format('GRANT slowwave_service, slowwave_dispatcher TO %I, %I', owner, service);
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO %I', current_database(), owner);
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), service);
  REVOKE CREATE ON SCHEMA public FROM PUBLIC;
END
$$;
