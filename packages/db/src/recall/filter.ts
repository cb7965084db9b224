import type { MemoryCategory, MemoryType } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { wordArray } from '../arrays.ts';
import { instantOf } from '../instants.ts';

/** Which memories may answer; each field narrows. */
export interface RecallFilter {
  categories?: readonly MemoryCategory[] | undefined;
  memoryTypes?: readonly MemoryType[] | undefined;
  /** Said at or after, and before, this instant, epoch ms. A memory was said from the oldest to the newest of those it stands for. */
  saidAfter?: number | undefined;
  saidBefore?: number | undefined;
  /** Holds at this instant, by its own `validFrom` and `validTo`, epoch ms. */
  validAt?: number | undefined;
  /** 0 to 1 */
  minTrust?: number | undefined;
}

interface Owner {
  tenant: string;
  user: string;
}

/** Whether a memory m may stand for others: it was derived, or a merge confirmed it. */
const STANDS_FOR_OTHERS = sql`(m.memory_type = 'derived' or m.confirmations > 0)`;

/** The first and the last instant at which a memory m was said. */
const saidFrom = ({ tenant, user }: Owner): SQL =>
  sql`case when ${STANDS_FOR_OTHERS} then slowwave.said_from(${tenant}, ${user}, m.id) else m.document_date end`;
const saidTo = ({ tenant, user }: Owner): SQL =>
  // That of a derived memory is the newest already.
  sql`case when m.memory_type <> 'derived' and ${STANDS_FOR_OTHERS} then slowwave.said_to(${tenant}, ${user}, m.id)
    else m.document_date end`;

const msOf = (instant: SQL): SQL => sql`round(date_part('epoch', ${instant}) * 1000)`;
export const saidFromMs = (owner: Owner): SQL => msOf(saidFrom(owner));
export const saidToMs = (owner: Owner): SQL => msOf(saidTo(owner));

/** Whether a filter leaves anything out. */
export const hasFilter = ({
  categories,
  memoryTypes,
  saidAfter,
  saidBefore,
  validAt,
  minTrust,
}: RecallFilter) =>
  [categories, memoryTypes, saidAfter, saidBefore, validAt, minTrust].some((part) => part !== undefined);

/** Whether a filter lets a memory m through. */
export function filterOf({ filter, ...owner }: Owner & { filter: RecallFilter }): SQL {
  const { categories, memoryTypes, saidAfter, saidBefore, validAt, minTrust } = filter;
  const parts: SQL[] = [];
  if (categories) parts.push(sql`m.category = any(${wordArray(categories)})`);
  if (memoryTypes) parts.push(sql`m.memory_type = any(${wordArray(memoryTypes)})`);
  if (saidAfter !== undefined) parts.push(sql`${saidTo(owner)} >= ${instantOf(saidAfter)}`);
  if (saidBefore !== undefined) parts.push(sql`${saidFrom(owner)} < ${instantOf(saidBefore)}`);
  if (validAt !== undefined) {
    const at = instantOf(validAt);
    parts.push(sql`coalesce(m.valid_from <= ${at}, true) and coalesce(m.valid_to > ${at}, true)`);
  }
  if (minTrust !== undefined) parts.push(sql`m.trust >= ${minTrust}::float8`);
  return parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` and `)})`;
}
