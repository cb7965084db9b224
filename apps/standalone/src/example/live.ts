import { readFile } from 'node:fs/promises';
import {
  appendMessages,
  confirmMemory,
  createGoal,
  createScheduledItem,
  type Database,
  getMemory,
  loadImport,
  pauseUser,
  type RecallResult,
  recall,
  recordFeedback,
  reportConflicts,
} from '@slowwave/db';
import type { Models } from '@slowwave/models';
import type { StatementsSettings } from '@slowwave/worker';
import type { Logger } from 'pino';
import { createSimulation } from '../simulation/simulation.ts';
import { type DayEvent, readDays } from './events.ts';

const MEMORIES = new URL('../../../../examples/memories.jsonl', import.meta.url);
const DAYS = new URL('../../../../examples/days.jsonl', import.meta.url);
const DAY_MS = 86_400_000;
export const EXAMPLE_TENANT = 'default';
const QUESTION_LIMIT = 5;

/** One of the example people, and the question whose answer is looked at before and after their days. */
export interface Person {
  user: string;
  /** When the lived days begin, epoch ms. */
  start: number;
  question: string;
}

/** When the days of all people end, epoch ms. */
export const DAYS_END = Date.UTC(2026, 10, 15);
/**
 * The people of the example files, and their days. The dates are fixed, so that every run puts the same requests to a model and recorded
 * answers fit them.
 */
export const PEOPLE: readonly Person[] = [
  { user: 'mara', start: DAYS_END - 2 * DAY_MS, question: 'When does Mara want to be called?' },
  { user: 'kenji', start: DAYS_END - DAY_MS, question: 'What does the sushi chain charge for lunch?' },
  { user: 'aicha', start: DAYS_END - DAY_MS, question: 'When does Aïcha write best?' },
  { user: 'tom', start: DAYS_END - DAY_MS, question: 'What must happen before the hip operation?' },
];

export interface LiveOptions {
  database: Database;
  models: Models;
  logger: Logger;
  /** Default: a judge where the model can judge. */
  statements?: StatementsSettings;
  people: readonly Person[];
  maxContentChars: number;
  onProgress: (text: string) => void;
}

/** What recall found for the question of each person before their days, best first. */
export type FoundBefore = ReadonlyMap<string, RecallResult[]>;

/** Lives the days of example people under a virtual clock: the same schedules, steps and database as any user's. */
export async function liveDays(options: LiveOptions): Promise<FoundBefore> {
  const { database, models, logger, people } = options;
  const files = { memories: await readFile(MEMORIES, 'utf8'), days: await readFile(DAYS, 'utf8') };
  const events = people.flatMap(({ user, start }) => readDays(files, user, start));
  events.sort((one, other) => one.at - other.at);
  const before = new Map<string, RecallResult[]>();
  const simulation = createSimulation({
    database,
    provider: models.provider,
    providers: models.providers,
    ...(options.statements ? { statements: options.statements } : {}),
    embedder: models.embedder,
    logger,
    start: Math.min(...people.map(({ start }) => start)),
  });
  for (const event of events) {
    if (event.at > DAYS_END) break;
    options.onProgress(`living ${dayOf(event.at)}`);
    await simulation.advance(event.at);
    await carryOut(options, event);
    const person = people.find(({ user, start }) => user === event.user && start === event.at);
    if (person && !before.has(person.user))
      before.set(person.user, await askQuestion(options, person, event.at));
  }
  await simulation.advance(DAYS_END);
  return before;
}

/** Pauses all tiers of the people: what comes after their days has no recorded answer. */
export async function pausePeople(database: Database): Promise<void> {
  for (const { user } of PEOPLE) {
    await database.withTenant(EXAMPLE_TENANT, (tx) => pauseUser(tx, { tenant: EXAMPLE_TENANT, user }));
  }
}

/** What recall finds for the question of a person, by words alone: at the beginning no memory has a vector. Nothing of it is recorded. */
export function askQuestion(
  { database, models }: Pick<LiveOptions, 'database' | 'models'>,
  { user, question }: Person,
  at: number,
): Promise<RecallResult[]> {
  return recall(database, models.embedder, {
    ...{ tenant: EXAMPLE_TENANT, user, query: question, at, limit: QUESTION_LIMIT },
    byWordsAlone: true,
    silent: true,
  });
}

/** A day in UTC, such as "9 Nov". */
export const dayOf = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' }).format(at);

async function load(options: LiveOptions, lines: string, at: number): Promise<void> {
  await loadImport(options.database, lines, {
    format: 'jsonl',
    defaults: {},
    at,
    maxContentChars: options.maxContentChars,
  });
}

async function carryOut(options: LiveOptions, event: DayEvent): Promise<void> {
  const { database, models } = options;
  const { at, user } = event;
  const tenant = EXAMPLE_TENANT;
  const scope = { tenant, user, at };
  switch (event.kind) {
    case 'memories':
      return load(options, event.lines, at);
    case 'recall':
      await recall(database, models.embedder, { ...scope, query: event.query, limit: 5 });
      return;
    default:
      await database.withTenant(tenant, async (tx) => {
        switch (event.kind) {
          case 'message': {
            const { role, content, session } = event;
            return appendMessages(tx, {
              ...scope,
              session: { id: session },
              messages: [{ role, content, saidAt: at }],
            });
          }
          case 'goal':
            return createGoal(tx, { ...scope, externalId: event.id, title: event.title, dueAt: event.due });
          case 'reminder': {
            const { id, content, due } = event;
            return createScheduledItem(tx, {
              ...scope,
              externalId: id,
              kind: 'reminder',
              content,
              dueAt: due,
            });
          }
          case 'feedback':
            return recordFeedback(tx, { ...scope, kind: event.verdict });
          case 'confirm':
            return confirmMemory(tx, { ...scope, id: event.memory });
          case 'disagree': {
            const { slot } = event;
            const [a, b] = [
              await getMemory(tx, { ...scope, id: event.a }),
              await getMemory(tx, { ...scope, id: event.b }),
            ];
            if (!a || !b) throw new Error(`unknown memories ${event.a} and ${event.b}`);
            const pairs = [{ a: a.id, b: b.id, kind: 'contradictory' as const, slot }];
            return reportConflicts(tx, { ...scope, runId: null, source: 'person', pairs });
          }
        }
      });
  }
}
