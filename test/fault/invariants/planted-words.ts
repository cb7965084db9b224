import { TEXT_RULES } from '@slowwave/db';
import { type SQL, sql } from 'drizzle-orm';
import { Redis } from 'ioredis';
import { contentOf } from '../../fixtures/search.ts';
import { listOwned, listTextColumns } from './catalogue.ts';
import { PLANTED, plantedIn } from './facts.ts';
import type { Invariant, Look } from './types.ts';

/** What a column of these rules holds says nothing of what anybody remembers. */
const WORDLESS = /^(?:identifier|code|report|common|tombstone|successor|unlinked)$/;
const KEYS_AT_ONCE = 200;

/**
 * Planted words stand where memories may be, and nowhere else: not in other columns, not in the tables of the queue, not in Redis, not in
 * what the processes print.
 */
export const wordsStay: Invariant = async (look, { logs = [] }) => [
  ...(await strayColumns(look)),
  ...(await strayKeys(look)),
  ...logs.flatMap((log, i) =>
    plantedIn(log).length === 0
      ? []
      : [`what was printed holds ${plantedIn(log).length} planted words (log ${i})`],
  ),
];

async function strayColumns(look: Look): Promise<string[]> {
  const owned = new Set((await listOwned(look)).map(({ name }) => name));
  const columns = await listTextColumns(look);
  const searched = columns.flatMap(({ schema, table, column }): SQL[] => {
    const rule = schema === 'slowwave' ? TEXT_RULES[`${table}.${column}`] : undefined;
    if (rule !== undefined && !WORDLESS.test(rule)) return [];
    // Rows of other batches are theirs to judge; what belongs to nobody is everybody's.
    const whose = schema === 'slowwave' && owned.has(table) ? look.mine('t') : sql`true`;
    return [
      sql`select format('%s rows of %s hold a planted word', count(*), ${`${schema}.${table}.${column}`}::text) as detail
        from ${sql.identifier(schema)}.${sql.identifier(table)} t
        where ${whose} and t.${sql.identifier(column)}::text ~ ${PLANTED} having count(*) > 0`,
    ];
  });
  const found = await look.rows<{ detail: string }>(sql.join(searched, sql` union all `));
  return found.map(({ detail }) => detail);
}

/** Keys of the queue whose name or value holds a planted word. */
async function strayKeys({ redis }: Look): Promise<string[]> {
  if (redis === null) return [];
  const client = new Redis(redis.url, { lazyConnect: true });
  await client.connect();
  try {
    const stray: string[] = [];
    for await (const keys of client.scanStream({ match: `${redis.prefix}*`, count: KEYS_AT_ONCE })) {
      const held = await Promise.all(
        (keys as string[]).map(async (key) => ({ key, value: JSON.stringify(await contentOf(client, key)) })),
      );
      stray.push(
        ...held.flatMap(({ key, value }) => (plantedIn(`${key} ${value}`).length === 0 ? [] : [key])),
      );
    }
    // The key itself might hold the word.
    const kinds = stray.map((key) =>
      key.split(':').slice(0, 3).join(':').replace(new RegExp(PLANTED, 'g'), '…'),
    );
    return [...new Set(kinds)].map((kind) => `keys of Redis under ${kind} hold a planted word`);
  } finally {
    client.disconnect();
  }
}
