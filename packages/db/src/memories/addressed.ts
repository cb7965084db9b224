import { type SQL, sql } from 'drizzle-orm';
import { owned } from '../fusions/scope.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id itself when it is one of ours by its form, null when it can only be the writer's own. */
export function uuidOrNull(id: string): string | null {
  return UUID.test(id) ? id : null;
}

/** The id of the memory that somebody means: by our id first, else by the writer's own. An SQL value, null for nobody's. */
export function addressed(of: { tenant: string; user: string; id: string }): SQL {
  return sql`coalesce(
    (select i.id from slowwave.memories i where ${owned(of, 'i')} and i.id = ${uuidOrNull(of.id)}::uuid),
    (select e.id from slowwave.memories e where ${owned(of, 'e')} and e.external_id = ${of.id}))`;
}
