import { type SQL, sql } from 'drizzle-orm';
import { type IdColumn, listIdColumns, listOwned, listTextColumns } from './catalogue.ts';
import { isPlantedFor, PLANTED, plantedIn } from './facts.ts';
import type { Invariant, Look } from './types.ts';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** No row of a user points to a row of another one, belongs to nobody, or holds a word that was planted for somebody else. */
export const noCrossUser: Invariant = async (look) => [
  ...(await strangeIds(look)),
  ...(await orphans(look)),
  ...(await strangeWords(look)),
];

const all = (parts: SQL[]): SQL => sql.join(parts, sql` union all `);

/** An id in a row of one user that is the id of a row of another user, and of none of the same. */
async function strangeIds(look: Look): Promise<string[]> {
  const columns = await listIdColumns(look);
  const owners = columns.filter(
    ({ table, column, how }) =>
      how === 'id' && (column === 'id' || (table === 'fusions' && column === 'key')),
  );
  const found = await look.rows<{ detail: string }>(sql`
    with owner as materialized (${all(owners.map(ownersOf))}), used as materialized (${all(columns.map((of) => usesOf(look, of)))})
    select format('%s/%s: %s rows of %s have the id of something of %s/%s', u.tenant, u.user_id, count(*), u.place, max(o.tenant),
      max(o.user_id)) as detail
    from used u join owner o on o.id = u.id and (o.tenant, o.user_id) <> (u.tenant, u.user_id)
    where not exists (select 1 from owner w where w.id = u.id and w.tenant = u.tenant and w.user_id = u.user_id)
    group by u.tenant, u.user_id, u.place`);
  return found.map(({ detail }) => detail);
}

function ownersOf({ table, column, userColumn }: IdColumn): SQL {
  return sql`select tenant, ${sql.identifier(userColumn)} as user_id, ${sql.identifier(column)}::text as id
    from slowwave.${sql.identifier(table)} where ${sql.identifier(userColumn)} is not null`;
}

function usesOf({ mine }: Look, { table, column, how, userColumn }: IdColumn): SQL {
  const value = sql`t.${sql.identifier(column)}`;
  const head = (id: SQL) =>
    sql`select t.tenant, t.${sql.identifier(userColumn)} as user_id, ${`${table}.${column}`}::text as place, ${id} as id
      from slowwave.${sql.identifier(table)} t`;
  const whose = sql`where ${mine('t')} and t.${sql.identifier(userColumn)} is not null`;
  switch (how) {
    case 'id':
      return sql`${head(sql`${value}::text`)} ${whose} and ${value} is not null`;
    case 'list':
      return sql`${head(sql`i.id::text`)} cross join lateral unnest(${value}) as i(id) ${whose}`;
    case 'words':
      return sql`${head(sql`i.found[1]`)} cross join lateral regexp_matches(${value}::text, ${ID}, 'g') as i(found) ${whose}`;
  }
}

/** Rows of users who are not there. */
async function orphans(look: Look): Promise<string[]> {
  const tables = (await listOwned(look)).filter(({ userColumn }) => userColumn === 'user_id');
  const found = await look.rows<{ detail: string }>(
    all(
      tables.map(
        ({ name }) => sql`
          select format('%s/%s: %s rows of %s belong to nobody', t.tenant, t.user_id, count(*), ${name}::text) as detail
          from slowwave.${sql.identifier(name)} t left join slowwave.users u on u.tenant = t.tenant and u.id = t.user_id
          where ${look.mine('t')} and t.user_id is not null and u.id is null
          group by t.tenant, t.user_id`,
      ),
    ),
  );
  return found.map(({ detail }) => detail);
}

/** Planted words in rows of anybody but the one they were planted for. */
async function strangeWords(look: Look): Promise<string[]> {
  const owned = await listOwned(look);
  const columns = (await listTextColumns(look)).filter(({ schema }) => schema === 'slowwave');
  const tables = owned.flatMap(({ name, userColumn }) => {
    const held = columns.filter(({ table, column }) => table === name && column !== userColumn);
    return userColumn !== null && held.length > 0 ? [{ name, userColumn, held }] : [];
  });
  const found = await look.rows<{ tenant: string; user: string; table: string; planted: string }>(
    all(
      tables.map(
        ({ name, userColumn, held }) => sql`
          select distinct t.tenant, t.${sql.identifier(userColumn)} as "user", ${name}::text as table, i.found[1] as planted
          from slowwave.${sql.identifier(name)} t
          cross join lateral regexp_matches(concat_ws(' ', ${sql.join(
            held.map(({ column }) => sql`t.${sql.identifier(column)}::text`),
            sql`, `,
          )}), ${PLANTED}, 'g') as i(found)
          where ${look.mine('t')} and t.${sql.identifier(userColumn)} is not null`,
      ),
    ),
  );
  const strange = found.flatMap(({ tenant, user, table, planted }) =>
    plantedIn(planted).every((word) => isPlantedFor({ tenant, user }, word))
      ? []
      : [`${tenant}/${user}: ${table}`],
  );
  return [...new Set(strange)].map((where) => `${where} holds a word that was planted for somebody else`);
}
