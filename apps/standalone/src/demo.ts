import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '@slowwave/config';
import {
  type BandCounts,
  countBands,
  type Database,
  type FusionView,
  getUser,
  type ImportSummary,
  listFusions,
  loadImport,
} from '@slowwave/db';
import { createRecording } from '@slowwave/models';
import { statementsOf, type WorkerEvent } from '@slowwave/worker';
import type { Logger } from 'pino';
import type { RunAnswer } from './client.ts';
import { outcomesOf, printBands, printFusions, printImport } from './print.ts';
import { askForRun, waitForRun } from './runs.ts';
import { type Service, startService } from './service.ts';
import type { SimulatedRun } from './simulation/simulation.ts';
import type { Terminal } from './terminal.ts';
import { liveWeek, WEEK_USER } from './week/live.ts';
import { readWeekAnswers, replayed, WEEK_STATEMENTS } from './week/models.ts';
import { tellWeek } from './week/story.ts';

const EXAMPLES = new URL('../../../examples/memories.jsonl', import.meta.url);
const RUN_LIMIT_MS = 10 * 60_000;

interface DemoContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
}

/**
 * The demonstration: one example user's week under a virtual clock, a deep consolidation of the others through the real queue and
 * workers, and the service left running. @returns the running service
 */
export async function runDemo({ config, logger, terminal }: DemoContext): Promise<Service> {
  const progress = createProgress(terminal);
  // A configured language model answers for itself.
  const isReplayed = config.model.provider === 'offline';
  terminal.progress('opening the embedded database');
  let week: SimulatedRun[] | null = null;
  const service = await startService({
    config,
    logger,
    serve: true,
    onEvent: progress.take,
    async prepare({ database, models }) {
      if (await isKnown(database)) return;
      const onProgress = (text: string) => terminal.progress(text);
      const { maxMemoryChars: maxContentChars } = config;
      const recording = isReplayed ? createRecording(await readWeekAnswers()) : null;
      week = await liveWeek({
        database,
        models: recording ? replayed(models, recording) : models,
        logger,
        ...(recording ? { statements: WEEK_STATEMENTS } : statementsOf(config)),
        ...WEEK_USER,
        maxContentChars,
        onProgress,
      });
    },
  });
  terminal.line(`Models: ${service.models.description}`);
  if (isReplayed) {
    const note = (text: string) => terminal.line(terminal.dim(`  ${text}`));
    note(
      `${WEEK_USER.user}'s week replays recorded answers of a large language model; no model is called and nothing is spent`,
    );
    note(
      'everything else is joined by the offline provider, which needs no key: only what repeats word for word',
    );
  }
  try {
    await tell(service, week, terminal);
    const summary = await loadExamples(service, config, terminal);
    for (const target of summary.users) {
      if (week === null || target.user !== WEEK_USER.user) await consolidate(service, target, terminal);
    }
    printNext(terminal, service, config);
    return service;
  } catch (error) {
    await service.close();
    throw error;
  }
}

const isKnown = async (database: Database): Promise<boolean> =>
  (await database.withTenant(WEEK_USER.tenant, (tx) => getUser(tx, WEEK_USER.tenant, WEEK_USER.user))) !==
  null;

async function tell({ database }: Service, runs: SimulatedRun[] | null, terminal: Terminal): Promise<void> {
  if (runs === null) {
    terminal.line(
      `${WEEK_USER.user}'s week was lived when this folder was new; delete the folder to see it again`,
    );
    return;
  }
  await tellWeek(database, terminal, { ...WEEK_USER, runs });
}

async function loadExamples(service: Service, config: Config, terminal: Terminal): Promise<ImportSummary> {
  const summary = await loadImport(service.database, await readFile(EXAMPLES, 'utf8'), {
    format: 'jsonl',
    defaults: {},
    at: Date.now(),
    maxContentChars: config.maxMemoryChars,
    shiftToNow: true,
    onProgress: ({ lines, inserted }) =>
      terminal.progress(`loading example memories: ${lines} lines, ${inserted} new`),
  });
  terminal.line(`Examples from ${fileURLToPath(EXAMPLES)}:`);
  terminal.line(
    terminal.dim(`  dates moved by ${summary.shiftedDays} days, as if the newest memory were of today`),
  );
  printImport(terminal, summary, { allProblems: false });
  terminal.line();
  return summary;
}

/** Turns what the worker does into a moving line. */
function createProgress(terminal: Terminal) {
  let clusters = 0;
  function words(event: WorkerEvent): string | null {
    if (event.type === 'embedded') return `embedding, ${event.count} memories so far`;
    if (event.type === 'step_started') return `${event.step} (step ${event.index + 1} of ${event.steps})`;
    if (event.type !== 'fusion') return null;
    if (event.event.type === 'planned') clusters = event.event.clusters;
    if (event.event.type === 'cluster_started')
      return `fusing cluster ${event.event.index + 1} of ${clusters}`;
    return null;
  }
  return {
    take(event: WorkerEvent): void {
      const text = words(event);
      if (text && event.tier === 'deep') terminal.progress(`${event.user}: ${text}`);
    },
  };
}

interface Target {
  tenant: string;
  user: string;
}

const bandsOf = ({ database }: Service, { tenant, user }: Target): Promise<BandCounts> =>
  database.withTenant(tenant, (tx) => countBands(tx, { tenant, user, at: Date.now() }));

/** One deep run of one user, told from before to after. */
async function consolidate(service: Service, target: Target, terminal: Terminal): Promise<void> {
  const { tenant, user } = target;
  const before = await bandsOf(service, target);
  const asked = await askForRun(service, { ...target, tier: 'deep' }, Date.now());
  if (!asked) return;
  const run = await waitForRun(service.database, { ...target, runId: asked.runId }, RUN_LIMIT_MS);
  const after = await bandsOf(service, target);
  terminal.line(terminal.bold(`${user}: deep consolidation ${run.status}`));
  terminal.line(printBands('  before:', before));
  terminal.line(printBands('  after: ', after));
  const earlier = await service.database.withTenant(tenant, (tx) =>
    listFusions(tx, { tenant, user, limit: 200 }),
  );
  printAllFusions(terminal, run, earlier);
  terminal.line();
}

function printAllFusions(terminal: Terminal, run: RunAnswer, all: FusionView[]): void {
  const now = run.fusions ?? [];
  printFusions(terminal, now);
  const earlier = all.filter(
    (fusion) => fusion.status === 'applied' && !now.some((other) => other.key === fusion.key),
  );
  if (earlier.length > 0) terminal.line(terminal.dim(`  fused in an earlier run: ${earlier.length}`));
  printFusions(terminal, earlier, outcomesOf(now).made.length);
}

function printNext(terminal: Terminal, service: Service, config: Config): void {
  const { url, token } = service.http ?? { url: '', token: '' };
  const folder = config.database.kind === 'embedded' ? config.database.dataDir : '';
  terminal.line(terminal.bold(`Slowwave is running at ${url}`));
  terminal.line(`  Bull Board       ${url}/board`);
  terminal.line(`  operator token   ${token}`);
  terminal.line(`  data folder      ${folder} (delete it to start over)`);
  terminal.line();
  terminal.line('Try next, in another terminal in this folder:');
  const prefix = folder === '.slowwave' ? '' : `SLOWWAVE_DATA_DIR=${folder} `;
  terminal.line(`  ${prefix}npx slowwave consolidate --user kenji --tier sleep --wait`);
  terminal.line(`  ${prefix}npx slowwave status --user kenji`);
  terminal.line('  printf "Zoe keeps bees\\nZoe sold honey at the market\\n" > notes.txt');
  terminal.line(`  ${prefix}npx slowwave import notes.txt --user zoe`);
  terminal.line(`  curl -H 'Authorization: Bearer ${token}' ${url}/v1/users/mara`);
  terminal.line(
    '  SLOWWAVE_MODEL_PROVIDER=anthropic SLOWWAVE_MODEL=… ANTHROPIC_API_KEY=… npx slowwave demo   (a real model)',
  );
  terminal.line();
  terminal.line('Ctrl-C stops it; nothing is lost.');
}
