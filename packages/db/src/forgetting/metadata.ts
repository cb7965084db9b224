import { sql } from 'drizzle-orm';
import { nameArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** A value without any of the names, wherever they stand in it; undefined when it is one of them. */
export function withoutNames(value: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return names.has(value) ? undefined : value;
  if (Array.isArray(value)) {
    return value.map((each) => withoutNames(each, names)).filter((each) => each !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const left = withoutNames(each, names);
    return left === undefined ? [] : [[key, left] as const];
  });
  return Object.fromEntries(kept);
}

/** Takes the ids of what is forgotten out of the metadata of memories that stay, cold ones included. */
export async function forgetNames(tx: Transaction, of: Owner, { reach }: Plan): Promise<void> {
  const names = new Set([...reach.why.keys(), ...reach.keys]);
  const ids = nameArray(reach.why.keys());
  const naming = (metadata: string) => sql`exists (
    select 1 from regexp_matches((${sql.raw(metadata)})::text, ${UUID}::text, 'g') as found where found[1] = any(${ids}))`;
  const rows = await tx.rows<{ id: string; cold: boolean; metadata: unknown }>(sql`
    select m.id, false as cold, m.metadata from slowwave.memories m
    where ${owned(of, 'm')} and m.metadata <> '{}' and not m.id::text = any(${ids}) and ${naming('m.metadata')}
    union all
    select c.id, true, c.memory->'metadata' from slowwave.cold_memories c
    where ${owned(of, 'c')} and not c.id::text = any(${ids}) and ${naming("c.memory->'metadata'")}`);
  if (rows.length === 0) return;
  const left = rows.map(({ id, cold, metadata }) => ({
    id,
    cold,
    metadata: withoutNames(metadata, names) ?? {},
  }));
  await tx.rows(sql`
    with left_over as (
      select * from jsonb_to_recordset(${JSON.stringify(left)}::jsonb) as r(id uuid, cold boolean, metadata jsonb)
    ), hot as (
      update slowwave.memories m set metadata = l.metadata from left_over l
      where ${owned(of, 'm')} and m.id = l.id and not l.cold
    )
    update slowwave.cold_memories c set memory = jsonb_set(c.memory, '{metadata}', l.metadata) from left_over l
    where ${owned(of, 'c')} and c.id = l.id and l.cold`);
}
