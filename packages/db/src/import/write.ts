import type { LearnedFrom } from '@slowwave/fusion';
import type { Transaction } from '../database.ts';
import { type InsertResult, insertMemories, type NewMemory, type NewRelation } from '../memories/insert.ts';
import { markLightDue, setUserSettings } from '../scheduling/settings.ts';
import { ensureUsers, USERS_PER_CALL_MAX } from '../scheduling/users.ts';
import type { MemoryRecord, UserRecord } from './record.ts';

/** What one batch writes: records of one tenant, their users first. */
export interface RecordBatch {
  tenant: string;
  users: readonly UserRecord[];
  memories: readonly MemoryRecord[];
  learnedFrom: LearnedFrom;
  /** Epoch ms. */
  at: number;
}

/** Writes users and memories, and wakes the light tier of those who got something new. Relations are left to whoever called. */
export async function writeRecords(
  tx: Transaction,
  batch: RecordBatch,
): Promise<InsertResult & { usersCreated: number }> {
  const { tenant, memories, learnedFrom, at } = batch;
  const usersCreated = await writeUsers(tx, batch);
  const written = await insertMemories(tx, {
    tenant,
    memories: memories.map((record) => newMemoryOf(record, learnedFrom)),
    at,
  });
  if (written.inserted > 0) {
    await markLightDue(tx, tenant, [...new Set(memories.map(({ user }) => user))], at);
  }
  return { ...written, usersCreated };
}

/** A record's relations, by the ids that its writer gave. */
export function relationsOf({ user, externalId, relations }: MemoryRecord): NewRelation[] {
  return relations.map(({ type, target, confidence }) => ({
    user,
    sourceExternalId: externalId,
    targetExternalId: target,
    relationType: type,
    confidence,
  }));
}

async function writeUsers(
  tx: Transaction,
  { tenant, users, memories, at }: Pick<RecordBatch, 'tenant' | 'users' | 'memories' | 'at'>,
): Promise<number> {
  const quiet = ({ timezone, quietStart, quietEnd }: UserRecord) => ({
    ...(timezone === null ? {} : { timezone }),
    ...(quietStart === null || quietEnd === null ? {} : { quietStart, quietEnd }),
  });
  const described = new Map(users.map((record) => [record.user, quiet(record)]));
  const names = [...new Set([...described.keys(), ...memories.map((record) => record.user)])];
  let made = 0;
  for (let start = 0; start < names.length; start += USERS_PER_CALL_MAX) {
    const page = names.slice(start, start + USERS_PER_CALL_MAX);
    made += await ensureUsers(
      tx,
      page.map((user) => ({ tenant, user, ...described.get(user) })),
      at,
    );
  }
  // New users have their settings already.
  if (made === names.length) return made;
  for (const [user, settings] of described) await setUserSettings(tx, { tenant, user, ...settings, at });
  return made;
}

function newMemoryOf(record: MemoryRecord, learnedFrom: LearnedFrom): NewMemory {
  const { source, date, tenant: _tenant, kind: _kind, relations: _relations, ...rest } = record;
  return { ...rest, origin: source, documentDate: date, workspace: null, learnedFrom };
}
