import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { createFolder } from './folder.ts';
import { warmUp } from './processes.ts';
import { createSlots } from './slots.ts';
import {
  GRACE_MS,
  type Opened,
  openModel,
  openStage,
  paceOf,
  type Stage,
  type StageOptions,
  TICKS,
  WARM_UP_MS,
  workerAt,
} from './stage.ts';

const ENTRY = 'embedded';
const ENTRIES = { [ENTRY]: 'test/fault/embedded-process.ts' };
/** Beyond the grace time, for closing the database. */
const CLOSE_MS = 60_000;
/** Opening a folder takes so many times as long as connecting to a server. */
const OPENING = 2;

/** Everything in one process on a folder; the model is the only thing outside of it. */
export const openEmbeddedStage = (options: StageOptions): Promise<Stage> =>
  openStage((opened) => open(options, opened));

async function open(options: StageOptions, opened: Opened): Promise<Stage> {
  const { logs, model, liar, way } = await openModel(options, opened);
  const folder = createFolder(join(options.folder, 'data'));
  await folder.open();
  await folder.close();
  const settingsAt = (pace: number) => ({
    ...workerAt(pace),
    ...TICKS,
    folder: folder.path,
    modelUrl: way.url,
    batches: options.batches,
    concurrency: 1,
    // One that ends the only process again and again leaves nothing to see.
    poison: false,
    stuckMs: 0,
  });
  const bundles = await bundle({ folder: options.folder, entries: ENTRIES, plugins: options.plugins ?? [] });
  const log = join(logs, `${ENTRY}.log`);
  const pace = paceOf((await warmUp(bundles, ENTRY, settingsAt(1), { log, limitMs: WARM_UP_MS })) / OPENING);
  if (pace > 1) options.say(`this machine is busy or slow: everything gets ${pace} times as long`);
  const workers = createSlots([ENTRY], {
    bundles,
    entry: ENTRY,
    settings: settingsAt(pace),
    logs,
    spares: 1,
    onEnd: options.onEnd,
  });
  opened.push(() => workers.stop());
  let isOurs = false;
  return {
    kind: 'embedded',
    database: folder.database,
    queues: folder.queues,
    keys: null,
    servers: null,
    ways: { model: way },
    model,
    liar,
    workers,
    producers: null,
    logs,
    // Each look stops the service.
    lookEveryMs: 6_000 * pace,
    pace,
    async start() {
      workers.start();
    },
    async enter() {
      await workers.hold(GRACE_MS * pace + CLOSE_MS);
      await folder.open();
      isOurs = true;
    },
    async leave() {
      isOurs = false;
      await folder.close();
      workers.release();
    },
    async dispose() {
      if (isOurs) await folder.close().catch(() => {});
      await opened.closeAll();
    },
  };
}
