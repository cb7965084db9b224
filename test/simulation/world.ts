import {
  appendMessages,
  confirmMemory,
  createGoal,
  createScheduledItem,
  type Database,
  ensureUsers,
  insertMemories,
  markLightDue,
  type NewMemory,
  recall,
  recordFeedback,
} from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import type { Person } from './people.ts';
import { memoriesOf } from './people.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

export const TENANT = 'simulated';

/** What happens around the service while it runs: people write, talk, ask, plan and judge. */
export interface World {
  /** Everything that falls on the day that begins then, epoch ms. */
  live(day: number): Promise<void>;
}

interface Resident {
  person: Person;
  index: number;
  /** By document date. */
  memories: NewMemory[];
  written: number;
}

const SUBJECTS = [
  'the garden',
  'the flat',
  'the bicycle',
  'the choir',
  'the garage',
  'the allotment',
  'the kitchen',
];

/** The world of some people, from `start` (epoch ms) on. Deterministic: the same people live the same days. */
export async function createWorld(
  database: Database,
  embedder: Embedder,
  input: { people: Person[]; start: number; days: number },
): Promise<World> {
  const { people, start, days } = input;
  const users = people.map(({ user, timezone, quietStart, quietEnd }) => ({
    tenant: TENANT,
    user,
    timezone,
    quietStart,
    quietEnd,
  }));
  await database.withTenant(TENANT, (tx) => ensureUsers(tx, users, start));
  const residents: Resident[] = people.map((person, index) => ({
    person,
    index,
    memories: memoriesOf(person, index, { start, days }).sort((a, b) => a.documentDate - b.documentDate),
    written: 0,
  }));
  return {
    async live(day) {
      for (const resident of residents) await liveOne(database, embedder, resident, { day, start });
    },
  };
}

async function liveOne(
  database: Database,
  embedder: Embedder,
  resident: Resident,
  { day, start }: { day: number; start: number },
): Promise<void> {
  const { person, index } = resident;
  const { user } = person;
  const number = Math.round((day - start) / DAY_MS);
  const noon = day + 12 * HOUR_MS;
  const scope = { tenant: TENANT, user };
  await write(database, resident, noon);
  // Each person on other days, so that no day is like another.
  const turn = number + index;
  if (turn % 9 === 0) await talk(database, scope, turn, noon);
  if (turn % 13 === 0) {
    const asked = resident.memories[turn % Math.max(1, resident.written)];
    if (asked)
      await recall(database, embedder, { ...scope, query: asked.content.slice(0, 80), at: noon, limit: 3 });
  }
  if (turn % 17 === 0) await confirmOne(database, scope, resident, noon);
  await database.withTenant(TENANT, async (tx) => {
    if (turn % 40 === 0) {
      await createGoal(tx, {
        ...scope,
        title: `Finish ${SUBJECTS[turn % SUBJECTS.length]}`,
        dueAt: noon + 9 * DAY_MS,
        at: noon,
      });
    }
    if (turn % 30 === 0) {
      await createScheduledItem(tx, {
        ...scope,
        kind: 'reminder',
        content: 'Call back',
        dueAt: noon + DAY_MS,
        at: noon,
      });
    }
    if (turn % 8 === 0) {
      await recordFeedback(tx, { ...scope, kind: turn % 3 === 0 ? 'dismissed' : 'accepted', at: noon });
    }
  });
}

async function write(database: Database, resident: Resident, at: number): Promise<void> {
  const due = resident.memories.slice(resident.written).filter(({ documentDate }) => documentDate <= at);
  if (due.length === 0) return;
  resident.written += due.length;
  await database.withTenant(TENANT, async (tx) => {
    await insertMemories(tx, { tenant: TENANT, memories: due, at });
    await markLightDue(tx, TENANT, [resident.person.user], at);
  });
}

/** A conversation of six messages about the same few subjects. */
async function talk(
  database: Database,
  { tenant, user }: { tenant: string; user: string },
  turn: number,
  at: number,
): Promise<void> {
  const subject = SUBJECTS[turn % SUBJECTS.length]!;
  const other = SUBJECTS[(turn + 2) % SUBJECTS.length]!;
  const lines = [
    ['user', `I spent the whole morning working on ${subject} and it still looks unfinished.`],
    ['assistant', `What is left to do about ${subject}?`],
    ['user', `Mostly painting and cleaning, and afterwards ${other} needs attention as well.`],
    ['assistant', 'Shall we plan that for the weekend?'],
    ['user', 'Yes please, mornings suit me best. Can you remind me about the paint?'],
    ['assistant', 'I will bring it up again.'],
  ] as const;
  await database.withTenant(tenant, (tx) =>
    appendMessages(tx, {
      tenant,
      user,
      session: { id: `talk-${turn}` },
      messages: lines.map(([role, content], position) => ({
        role,
        content,
        saidAt: at + position * MINUTE_MS,
      })),
      at: at + lines.length * MINUTE_MS,
    }),
  );
}

async function confirmOne(
  database: Database,
  { tenant, user }: { tenant: string; user: string },
  resident: Resident,
  at: number,
): Promise<void> {
  const externalId = resident.memories[(resident.written * 7) % Math.max(1, resident.written)]?.externalId;
  if (!externalId) return;
  await database.withTenant(tenant, (tx) => confirmMemory(tx, { tenant, user, id: externalId, at }));
}
