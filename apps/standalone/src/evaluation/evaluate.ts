import { type Database, loadImport, migrate, openEmbedded, readUsage } from '@slowwave/db';
import type { EvaluationReport, StageFigures } from '@slowwave/fusion';
import { dollarsOfNanos, type Models } from '@slowwave/models';
import type { BudgetOptions, StatementsSettings, WorkerLimits } from '@slowwave/worker';
import type { Logger } from 'pino';
import { createSimulation } from '../simulation/simulation.ts';
import { followGroups } from './groups.ts';
import type { EvaluationSet } from './read.ts';
import { measureStage } from './stage.ts';

const DAY_MS = 86_400_000;
/** The clock begins so long after the newest memory. */
const AFTER_MS = 3_600_000;
/** How often the virtual clock looks for users who are due; every run still happens within this of its time. */
const TICK_MS = 300_000;

export interface EvaluationOptions {
  set: EvaluationSet;
  files: string[];
  models: Models;
  logger: Logger;
  /** Simulated nights of all tiers; 0 measures what is there. */
  nights: number;
  maxContentChars: number;
  /** The bounds of the configuration: of each run, and of what may be spent. */
  /** Also have the model answer the questions, and grade the answers: up to two requests for each question and stage. */
  answers?: boolean;
  limits?: WorkerLimits;
  /** Default: a judge where the model can judge. */
  statements?: StatementsSettings;
  budget?: BudgetOptions;
  /** Opens the migrated, empty database that is measured and closed afterwards. Default: one that is made in memory. */
  openScratch?: () => Promise<Database>;
  /** @param share of a count that goes up quickly: 0 to 1; absent for what is worth a line of its own */
  onProgress: (text: string, share?: number) => void;
}

/** Measures a set before and after simulated nights, on an embedded database in memory that is made for it and thrown away. */
export async function evaluate(options: EvaluationOptions): Promise<EvaluationReport> {
  const { set, files, models, logger, nights, maxContentChars, onProgress } = options;
  const { provider, providers, embedder } = models;
  onProgress('making an embedded database');
  const database = await (options.openScratch ?? makeScratch)();
  try {
    const start = set.newest + AFTER_MS;
    await loadImport(database, set.lines, { format: 'jsonl', defaults: {}, at: start, maxContentChars });
    const followed = await followGroups(database, set, embedder.model);
    let runs = 0;
    const simulation = createSimulation({
      database,
      provider,
      providers,
      embedder,
      logger,
      start,
      tickMs: TICK_MS,
      ...(options.limits ? { limits: options.limits } : {}),
      ...(options.statements ? { statements: options.statements } : {}),
      ...(options.budget ? { budget: options.budget } : {}),
      ...(followed ? { tierSteps: followed.tierSteps, onEvent: followed.onEvent } : {}),
      onRun: () => {
        runs += 1;
      },
    });
    onProgress('embedding');
    await simulation.advance(start + TICK_MS);
    const measure = async (nightsSoFar: number): Promise<StageFigures> => {
      const figures = await measureStage({
        database,
        embedder,
        set,
        nights: nightsSoFar,
        at: simulation.now(),
        answerer: options.answers ? provider : null,
        onProgress,
      });
      return followed ? { ...figures, groups: followed.tracker.figures() } : figures;
    };
    const stages = [await measure(0)];
    for (let night = 1; night <= nights; night += 1) {
      onProgress(`night ${night} of ${nights}`);
      await simulation.advance(start + night * DAY_MS);
    }
    if (nights > 0) stages.push(await measure(nights));
    const tenants = [...new Set(set.questions.map(({ tenant }) => tenant))];
    let costNanos = 0n;
    for (const tenant of tenants) {
      const usage = await database.withTenant(tenant, (tx) =>
        readUsage(tx, { tenant, user: undefined, since: 0 }),
      );
      costNanos += BigInt(usage.total.costNanos);
    }
    return {
      version: 1,
      files,
      users: new Set(set.questions.map(({ tenant, user }) => JSON.stringify([tenant, user]))).size,
      memories: set.memories.length,
      questions: countBy(set.questions.map(({ type }) => type)),
      model: provider?.model ?? 'none',
      embedder: embedder.model,
      stages,
      costDollars: dollarsOfNanos(costNanos),
      runs,
    };
  } finally {
    await database.close();
  }
}

async function makeScratch(): Promise<Database> {
  const database = await openEmbedded({ dataDir: null });
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
