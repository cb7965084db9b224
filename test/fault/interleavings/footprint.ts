import type { Database } from '@slowwave/db';
import { sql } from 'drizzle-orm';

/** What a statement may have to do with another connection's: tables, and how it takes part in them. */
export interface Footprint {
  /** Looked at, without a lock. */
  read: ReadonlySet<string>;
  /** Rows of these are held against whoever writes them, but not against others who hold them so. */
  shared: ReadonlySet<string>;
  /** Rows of these are written or locked against everybody. */
  exclusive: ReadonlySet<string>;
  /** Ends its transaction: what that wrote is seen, and its locks are free. */
  ends: boolean;
}

/** Foreign keys: the tables that a table refers to, and those that lose rows when it does. */
export interface References {
  parents: ReadonlyMap<string, readonly string[]>;
  children: ReadonlyMap<string, readonly string[]>;
}

export const NOTHING: Footprint = {
  read: new Set(),
  shared: new Set(),
  exclusive: new Set(),
  ends: false,
};

export async function readReferences(database: Database): Promise<References> {
  const keys = await database.asOwner((tx) =>
    tx.rows<{ child: string; parent: string }>(sql`
      select distinct c.relname as child, p.relname as parent from pg_constraint k
      join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
      where k.contype = 'f' and k.connamespace = 'slowwave'::regnamespace`),
  );
  const parents = new Map<string, string[]>();
  const children = new Map<string, string[]>();
  for (const { child, parent } of keys) {
    parents.set(child, [...(parents.get(child) ?? []), parent]);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  return { parents, children };
}

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((hit) => hit[1]!);

/**
 * What a statement touches, by the tables in its text: rather too much than too little. A row that is written is checked against those it
 * refers to, and a row that is deleted takes others with it.
 */
export function footprintOf(text: string, { parents, children }: References): Footprint {
  const all = namesIn(text, /slowwave\.(\w+)/g);
  const written = namesIn(text, /(?:insert\s+into|update)\s+slowwave\.(\w+)/gi);
  const deleted = namesIn(text, /delete\s+from\s+slowwave\.(\w+)/gi);
  const exclusive = new Set([...written, ...deleted]);
  const shared = new Set<string>();
  if (/for\s+(?:no\s+key\s+)?update/i.test(text)) for (const table of all) exclusive.add(table);
  if (/for\s+(?:key\s+)?share/i.test(text)) for (const table of all) shared.add(table);
  const gone = [...deleted];
  for (let table = gone.pop(); table !== undefined; table = gone.pop()) {
    for (const child of children.get(table) ?? []) {
      if (exclusive.has(child)) continue;
      exclusive.add(child);
      gone.push(child);
    }
  }
  for (const table of written) for (const parent of parents.get(table) ?? []) shared.add(parent);
  return { read: new Set(all), shared, exclusive, ends: false };
}

/** The end of a transaction that did all this. */
export function endOf(done: readonly Footprint[]): Footprint {
  return { ...together(done), read: new Set(), ends: true };
}

export function together(footprints: readonly Footprint[]): Footprint {
  const union = (of: (one: Footprint) => ReadonlySet<string>) =>
    new Set(footprints.flatMap((one) => [...of(one)]));
  return {
    read: union(({ read }) => read),
    shared: union(({ shared }) => shared),
    exclusive: union(({ exclusive }) => exclusive),
    ends: footprints.some(({ ends }) => ends),
  };
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  for (const table of one) if (other.has(table)) return true;
  return false;
};

/** A lock of one keeps the other waiting. */
const collide = (one: Footprint, other: Footprint): boolean =>
  meet(one.exclusive, other.exclusive) ||
  meet(one.exclusive, other.shared) ||
  meet(one.shared, other.exclusive);

/** The end of one decides what the other one sees. */
const shows = (end: Footprint, other: Footprint): boolean => end.ends && meet(end.exclusive, other.read);

/**
 * Whether the order of the two matters. It does not when neither waits for the other and neither sees what the other did: what is not
 * committed nobody else sees, so a plain read depends on commits alone; and two commits in a row leave the same behind either way.
 */
export function dependent(one: Footprint, other: Footprint): boolean {
  if (isPureEnd(one) && isPureEnd(other)) return false;
  return collide(one, other) || shows(one, other) || shows(other, one);
}

/** A commit that nobody waited for: it reads nothing. */
const isPureEnd = ({ ends, read }: Footprint): boolean => ends && read.size === 0;
