#!/bin/sh
# Run by the image of PostgreSQL when it makes its folder: the logins that docker-compose.yml uses.
set -eu
PGOPTIONS="-c slowwave.owner=slowwave_owner -c slowwave.owner_password=${POSTGRES_OWNER_PASSWORD:?} \
-c slowwave.service=slowwave -c slowwave.service_password=${POSTGRES_SERVICE_PASSWORD:?}"
export PGOPTIONS
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file /etc/slowwave/logins.sql
