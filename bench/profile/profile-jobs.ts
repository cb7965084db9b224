import { Session } from 'node:inspector/promises';
import type { LLMProvider } from '@slowwave/fusion';
import type { WorkerEvent } from '@slowwave/worker';
import { Redis } from 'ioredis';
import { createSleepModel } from '../../test/fakes/sleep-model.ts';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { seedSession } from '../../test/fixtures/tier-runs.ts';
import { fadedMemories, seedPerson } from '../stage/people.ts';
import { plantedEmbedder } from '../stage/planted.ts';
import { type AskedRun, startRunner } from '../stage/runs.ts';
import { isFrame, recordStatements } from '../stage/statements.ts';
import { type CpuProfile, type FoldedProfile, foldProfile } from './fold.ts';
import type { ProfileOptions } from './options.ts';
import { type Span, unionMs } from './spans.ts';
import { measureStored, type StoredTable } from './stored.ts';

const TENANT = 'profiled';
const CLUSTERS = 3;
const WARM_UPS = 2;
const TOP = 10;
const SAMPLE_MICROSECONDS = 200;
const HOUR_MS = 3_600_000;
const TALK = ['I moved to Dublin in May.', 'Good to know.', 'The flat is near the canal.', 'I see.'];

/** Of one job, the mean of all that were profiled. Times in ms. */
export interface ProfileFigures {
  /** From the wake-up to the end of the job. */
  wallMs: number;
  steps: { step: string; ms: number }[];
  database: { statements: number; roundTrips: number; transactions: number; waitingMs: number };
  model: { calls: number; waitingMs: number };
  /** Scripts that the queue ran in Redis. */
  queueScripts: number;
  /** Of the process, profiler included. */
  cpuMs: number;
  profile: FoldedProfile;
  stored: StoredTable[];
}

/** The model and the embedder of this bench work in this process; in service they are somewhere else. */
const isStandIn = (url: string): boolean =>
  /\/test\/fakes\/|\/bench\/stage\/planted|\/packages\/models\/src\/offline/.test(url);

function timed(provider: LLMProvider, spans: Span[]): LLMProvider {
  return {
    ...provider,
    async complete(request) {
      const from = performance.now();
      try {
        return await provider.complete(request);
      } finally {
        spans.push([from, performance.now()]);
      }
    },
  };
}

async function scriptsRun(redis: Redis): Promise<number> {
  const info = await redis.info('commandstats');
  return [...info.matchAll(/cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

/** Runs jobs of a tier, each for a user whom the tier has not seen yet, and says where their time went. */
export async function profileJobs(backend: BackendFixture, options: ProfileOptions): Promise<ProfileFigures> {
  const { tier, memories, dimensions, jobs, again } = options;
  const { database } = backend;
  const at = Date.now();
  const modelSpans: Span[] = [];
  const stepSpans = new Map<string, number>();
  let stepBegan = 0;
  const onStep = (event: WorkerEvent): void => {
    if (event.type === 'step_started') stepBegan = performance.now();
    if (event.type === 'step_ended') {
      stepSpans.set(event.step, (stepSpans.get(event.step) ?? 0) + performance.now() - stepBegan);
    }
  };
  const runner = await startRunner(
    backend,
    {
      provider: timed(createSleepModel().provider, modelSpans),
      embedder: plantedEmbedder(dimensions),
      now: () => at,
    },
    onStep,
  );
  const redis = new Redis(backend.queueUrl!);
  const session = new Session();
  try {
    const asked: AskedRun[] = [];
    for (let n = 0; n < WARM_UPS + jobs; n += 1) {
      const user = `user-${n}`;
      const person = fadedMemories(user, { memories, clusters: CLUSTERS, at });
      await seedPerson(database, { tenant: TENANT, user, at, ...person });
      await seedSession(database, { tenant: TENANT, user, id: 's', texts: TALK, endedAt: at - 3 * HOUR_MS });
      if (tier !== 'light') await runner.run({ tenant: TENANT, user, tier: 'light' });
      if (again) await runner.run({ tenant: TENANT, user, tier });
      asked.push(await runner.ask({ tenant: TENANT, user, tier }));
    }
    for (const run of asked.splice(0, WARM_UPS)) await runner.carryOut(run);

    const recording = recordStatements(database.pool!);
    modelSpans.length = 0;
    stepSpans.clear();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
    const scriptsBefore = await scriptsRun(redis);
    await session.post('Profiler.start');
    const cpuBefore = process.cpuUsage();
    const begun = performance.now();
    for (const run of asked) await runner.carryOut(run);
    const wallMs = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpuBefore);
    const { profile } = await session.post('Profiler.stop');
    const scripts = (await scriptsRun(redis)) - scriptsBefore;
    const sent = recording.take();
    recording.stop();
    const each = (total: number): number => total / jobs;
    const folded = foldProfile(profile as CpuProfile, { standIn: isStandIn, top: TOP });
    const ms = <T extends { ms: number }>(parts: T[]): T[] =>
      parts.map((part) => ({ ...part, ms: each(part.ms) }));
    const waits = sent.flatMap(({ sentMs, answeredMs }): Span[] =>
      sentMs === undefined || answeredMs === undefined ? [] : [[sentMs, answeredMs]],
    );
    return {
      wallMs: each(wallMs),
      steps: [...stepSpans].map(([step, total]) => ({ step, ms: each(total) })),
      database: {
        statements: each(sent.filter((statement) => !isFrame(statement)).length),
        roundTrips: each(sent.length),
        transactions: each(sent.filter(({ text }) => /^\s*begin\b/i.test(text)).length),
        waitingMs: each(unionMs(waits)),
      },
      model: { calls: each(modelSpans.length), waitingMs: each(unionMs(modelSpans)) },
      queueScripts: each(scripts),
      cpuMs: each((user + system) / 1_000),
      profile: {
        sampledMs: each(folded.sampledMs),
        cpuMs: each(folded.cpuMs),
        byOwner: ms(folded.byOwner),
        functions: ms(folded.functions),
      },
      stored: await measureStored(database),
    };
  } finally {
    session.disconnect();
    redis.disconnect();
    await runner.close();
  }
}
