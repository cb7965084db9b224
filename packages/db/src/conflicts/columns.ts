import type { ConflictPair, ConflictSide, ConflictType } from '@slowwave/fusion';
import { localDay } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { msOf } from '../instants.ts';
import { lookup } from '../lookups.ts';
import type { CONFLICT_SETTLERS, CONFLICT_SOURCES, CONFLICT_STATUSES } from '../schema/conflicts.ts';

export type ConflictStatus = (typeof CONFLICT_STATUSES)[number];
/** Who said first that the two may disagree. */
export type ConflictSource = (typeof CONFLICT_SOURCES)[number];
/** Who settled it. */
export type ConflictSettler = (typeof CONFLICT_SETTLERS)[number];

/** Whose conflicts. */
export interface Owner {
  tenant: string;
  user: string;
}

/** A conflict as the code that settles it reads it. */
export interface StoredPair extends ConflictPair {
  status: ConflictStatus;
  type: ConflictType | null;
  slot: string;
  confidence: number;
  /** Both are latest and say what was compared. */
  alive: boolean;
}

const memoryOf = (side: SQL): SQL =>
  lookup(
    sql`select * from slowwave.memories m where m.tenant = c.tenant and m.user_id = c.user_id and m.id = ${side}`,
  );

/** The memories of a conflict called c, as rows called a and b. */
export const JOIN_SIDES: SQL = sql`${memoryOf(sql`c.a_id`)} a ${memoryOf(sql`c.b_id`)} b`;

/** Whether both sides of a conflict, joined as above, are latest and still say what was compared. */
export const SIDES_ALIVE: SQL = sql.raw(
  '(a.is_latest and b.is_latest and a.content_hash = c.a_hash and b.content_hash = c.b_hash)',
);

function sideOf(alias: 'a' | 'b'): SQL {
  const at = (column: string): SQL => msOf(`${alias}.${column}`);
  const m = (column: string): SQL => sql.raw(`${alias}.${column}`);
  return sql`jsonb_build_object('id', ${m('id')}, 'contentHash', ${m('content_hash')}, 'version', ${m('version')},
    'content', ${m('content')}, 'memoryType', ${m('memory_type')}, 'origin', ${m('origin')}, 'visibility', ${m('visibility')},
    'trust', ${m('trust')}, 'documentDate', ${at('document_date')}, 'eventDate', ${at('event_date')},
    'validFrom', ${at('valid_from')}, 'validTo', ${at('valid_to')}, 'workspace', ${m('workspace')},
    'archived', ${m('archived_at')} is not null)`;
}

/** The columns of a StoredPair, of a conflict called c joined with its sides. */
export const PAIR_COLUMNS: SQL = sql`c.id, c.status, c.type, coalesce(c.slot, '') as slot,
  coalesce(c.confidence, 0) as confidence, ${SIDES_ALIVE} as alive, ${sideOf('a')} as a, ${sideOf('b')} as b`;

/** Adds the days on which the two were said where the user lives. @param timezone an IANA name */
export function withDays<Pair extends ConflictPair>(pair: Pair, timezone: string): Pair {
  return { ...pair, a: withDay(pair.a, timezone), b: withDay(pair.b, timezone) };
}

function withDay(side: ConflictSide, timezone: string): ConflictSide {
  const documentDay = localDay(side.documentDate, timezone);
  return documentDay === null ? side : { ...side, documentDay };
}
