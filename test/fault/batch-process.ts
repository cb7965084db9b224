/** Message batches in a process of its own, which ends at a place. Its only argument is BatchProcessSettings, as JSON. */
import { openServer } from '@slowwave/db';
import type { BatchFailpoint } from '@slowwave/worker';
import { createStage, MINUTE } from '../fixtures/batches.ts';

export interface BatchProcessSettings {
  databaseUrl: string;
  /** Base URL of the fake provider. */
  modelUrl: string;
  tenant: string;
  user: string;
  /** What it takes for the time, epoch ms. */
  at: number;
  place: BatchFailpoint;
}

/** Of a process that did not come by its place. */
const NOT_REACHED = 7;

async function main(): Promise<void> {
  const { databaseUrl, modelUrl, tenant, user, at, place } = JSON.parse(
    process.argv[2] ?? '{}',
  ) as BatchProcessSettings;
  const database = await openServer({ url: databaseUrl, poolSize: 4, connectTimeoutMs: 60_000 });
  const stage = createStage(database, { url: modelUrl }, tenant);
  stage.clock.at = at;
  const end = (name: BatchFailpoint) => {
    if (name !== place) return;
    process.kill(process.pid, 'SIGKILL');
    return new Promise<void>(() => {});
  };
  if (place === 'after-collect') {
    await stage.night(user, { onCollect: async () => end('after-collect') });
  }
  const keeper = stage.keeper({ failpoints: end });
  await keeper.beat();
  stage.clock.at += MINUTE;
  await keeper.beat();
  process.exit(NOT_REACHED);
}

void main();
