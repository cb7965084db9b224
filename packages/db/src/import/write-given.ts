import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { contentHashOf, stableId } from '../ids.ts';
import { requireCount } from '../input-error.ts';
import { type InsertResult, insertRelations } from '../memories/insert.ts';
import { type GivenMemory, type GivenRules, type ReadMemory, readGiven } from './given.ts';
import type { MemoryRecord } from './record.ts';
import { relationsOf, writeRecords } from './write.ts';

/** Memories in one call at most. */
export const GIVEN_MEMORIES_MAX = 500;

/** What became of one memory that was given. */
export type GivenOutcome =
  /** `known`: it stood there already, with the same content; nothing was written. */
  | { status: 'written' | 'known'; user: string; externalId: string; id: string }
  /** The message says what was wrong and what was expected, and repeats nothing of the memory. */
  | {
      status: 'refused';
      user: string | null;
      externalId: string | null;
      code: string;
      field: string | null;
      message: string;
    };

export interface GivenResult {
  /** In the order in which the memories were given. */
  outcomes: GivenOutcome[];
  usersCreated: number;
  relations: number;
  /** Relations that were not written, since their target is not there. */
  unresolvedRelations: number;
}

/**
 * Writes memories that a caller gives, as an import writes its lines: users who are missing are created, what stands there already
 * stays, what was forgotten stays so, and light becomes due. One that cannot be kept is refused and the others are written. The number
 * of statements does not depend on the number of memories.
 * @param input.memories at most GIVEN_MEMORIES_MAX
 * @throws InputError `too_many`
 */
export async function writeGiven(
  tx: Transaction,
  input: GivenRules & { memories: readonly GivenMemory[] },
): Promise<GivenResult> {
  requireCount(input.memories, 'memories', GIVEN_MEMORIES_MAX);
  const { tenant, at } = input;
  const read = readGiven(input.memories, input);
  const records = read.flatMap((item) => (item.ok && item.sameAs === null ? [item.record] : []));
  if (records.length === 0) {
    const judge = createJudge(tenant, { existing: [], forgotten: [] }, []);
    return { outcomes: read.map(judge), usersCreated: 0, relations: 0, unresolvedRelations: 0 };
  }
  const result = await writeRecords(tx, {
    tenant,
    users: [],
    memories: records,
    learnedFrom: 'conversation',
    at,
  });
  const outcomes = read.map(createJudge(tenant, result, await findNamed(tx, tenant, records)));
  const kept = new Set(
    outcomes.flatMap((outcome) => (outcome.status === 'refused' ? [] : [nameOf(outcome)])),
  );
  const relations = records.filter((record) => kept.has(nameOf(record))).flatMap(relationsOf);
  const { inserted, unresolved } = await insertRelations(tx, { tenant, relations, at });
  return {
    outcomes,
    usersCreated: result.usersCreated,
    relations: inserted,
    unresolvedRelations: unresolved.length,
  };
}

const nameOf = ({ user, externalId }: { user: string; externalId: string }): string =>
  JSON.stringify([user, externalId]);

interface NamedMemory {
  user: string;
  externalId: string;
  id: string;
  contentHash: string;
}

/** The memories that stand under the records' names by now, whoever wrote them. */
function findNamed(
  tx: Transaction,
  tenant: string,
  records: readonly MemoryRecord[],
): Promise<NamedMemory[]> {
  const names = JSON.stringify(records.map(({ user, externalId }) => ({ user, externalId })));
  return tx.rows(sql`
    select m.user_id as "user", m.external_id as "externalId", m.id, m.content_hash as "contentHash"
    from jsonb_to_recordset(${names}::jsonb) as n("user" text, "externalId" text)
    join slowwave.memories m on m.tenant = ${tenant} and m.user_id = n."user" and m.external_id = n."externalId"`);
}

/** Tells of one memory after the other what became of it. */
function createJudge(
  tenant: string,
  { existing, forgotten }: Pick<InsertResult, 'existing' | 'forgotten'>,
  named: readonly NamedMemory[],
): (item: ReadMemory) => GivenOutcome {
  const before = new Map(existing.map((memory) => [nameOf(memory), memory]));
  const gone = new Set(forgotten.map(nameOf));
  const here = new Map(named.map((memory) => [nameOf(memory), memory]));
  return (item) => {
    if (!item.ok) {
      const { user, externalId, reason } = item;
      return {
        status: 'refused',
        user,
        externalId,
        code: reason.code,
        field: reason.field,
        message: reason.message,
      };
    }
    const { record, sameAs } = item;
    const { user, externalId } = record;
    const name = nameOf(record);
    if (gone.has(name)) return { status: 'refused', user, externalId, ...FORGOTTEN };
    const stored = here.get(name);
    const known = before.get(name);
    const same = stored ? stored.contentHash === contentHashOf(record.content) : known?.sameContent === true;
    if (!same) return { status: 'refused', user, externalId, ...TAKEN };
    const status = known || sameAs !== null ? 'known' : 'written';
    // In cold storage it stands under the id that it would be written with.
    const id = stored?.id ?? stableId(record.date, tenant, user, externalId);
    return { status, user, externalId, id };
  };
}

const FORGOTTEN = {
  code: 'forgotten',
  field: 'externalId',
  message:
    'the memory of this id was forgotten and is not written again; to keep it after all, give it another externalId',
};
const TAKEN = {
  code: 'id_taken',
  field: 'externalId',
  message:
    'a memory with this externalId is stored with another content and was left as it is; edit that one, or give this one another externalId',
};
