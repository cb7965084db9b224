import { readFile } from 'node:fs/promises';
import {
  appendMessages,
  confirmMemory,
  createGoal,
  createScheduledItem,
  type Database,
  loadImport,
  recall,
  recordFeedback,
} from '@slowwave/db';
import type { Models } from '@slowwave/models';
import type { StatementsSettings } from '@slowwave/worker';
import type { Logger } from 'pino';
import { createSimulation, type SimulatedRun } from '../simulation/simulation.ts';
import { readWeek, type WeekEvent } from './events.ts';

const MEMORIES = new URL('../../../../examples/memories.jsonl', import.meta.url);
const WEEK = new URL('../../../../examples/week.jsonl', import.meta.url);
const DAY_MS = 86_400_000;
/** Whose week of the example files is lived. */
export const WEEK_USER = { tenant: 'default', user: 'mara' } as const;
/**
 * The week of the example files, epoch ms. Its dates are fixed, so that every run puts the same requests to a model and recorded
 * answers fit them.
 */
export const WEEK_START = Date.UTC(2026, 10, 9);
export const WEEK_END = WEEK_START + 7 * DAY_MS;

export interface WeekOptions {
  database: Database;
  models: Models;
  logger: Logger;
  /** Default: a judge where the model can judge. */
  statements?: StatementsSettings;
  tenant: string;
  user: string;
  maxContentChars: number;
  onProgress: (text: string) => void;
}

/** Lives an example user's week under a virtual clock: the same schedules, steps and database as any user's. */
export async function liveWeek(options: WeekOptions): Promise<SimulatedRun[]> {
  const { database, models, logger, user } = options;
  const files = { memories: await readFile(MEMORIES, 'utf8'), week: await readFile(WEEK, 'utf8') };
  const { before, events } = readWeek(files, user, WEEK_START);
  await load(options, before, WEEK_START);
  const runs: SimulatedRun[] = [];
  const simulation = createSimulation({
    database,
    provider: models.provider,
    providers: models.providers,
    ...(options.statements ? { statements: options.statements } : {}),
    embedder: models.embedder,
    logger,
    start: WEEK_START,
    onRun: (run) => runs.push(run),
  });
  for (const event of events) {
    if (event.at > WEEK_END) break;
    const day = Math.floor((event.at - WEEK_START) / DAY_MS) + 1;
    options.onProgress(`${user}: living day ${day} of 7, ${runs.length} runs so far`);
    await simulation.advance(event.at);
    await carryOut(options, event);
  }
  await simulation.advance(WEEK_END);
  return runs;
}

async function load(options: WeekOptions, lines: string, at: number): Promise<void> {
  await loadImport(options.database, lines, {
    format: 'jsonl',
    defaults: {},
    at,
    maxContentChars: options.maxContentChars,
  });
}

async function carryOut(options: WeekOptions, event: WeekEvent): Promise<void> {
  const { database, models, tenant, user } = options;
  const { at } = event;
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
        }
      });
  }
}
