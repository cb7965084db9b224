import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverFixture } from '../fixtures/databases.ts';
import { inScope } from '../scope.ts';
import { EVERY_NAME, EVERY_STATE, OTHER_PLACES, type Place, SAME_STATES } from './failpoints/places.ts';
import { endAndGoOn, type Shared, warmUpOnce } from './failpoints/stage.ts';
import { CANARY } from './failpoints/user.ts';
import { type Bundles, bundle } from './storm/bundle.ts';

let folder: string;
let bundles: Bundles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slowwave-failpoints-'));
  bundles = await bundle({ folder, entries: { worker: 'test/fault/worker-process.ts' } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const QUEUES = inScope<[Shared['kind'], readonly Place[]]>({
  change: [['redis', EVERY_STATE]],
  rest: [
    ['redis', [...SAME_STATES, ...OTHER_PLACES]],
    ['postgres', EVERY_NAME],
  ],
});

describe.each(QUEUES)('a worker that is killed, its queue on %s', (kind, places) => {
  let fixture: Shared['fixture'];

  beforeAll(async () => {
    fixture = await serverFixture({ poolSize: 20 });
    await warmUpOnce({ kind, fixture, bundles, folder });
  }, 240_000);
  afterAll(() => fixture?.drop());

  const titled = places.map((place) => [`${place.name} ${place.nth}, ${place.way}`, place] as const);
  it.concurrent.each(titled)('%s', { timeout: 240_000 }, (_title, place) =>
    endAndGoOn({ kind, fixture, bundles, folder }, place),
  );

  it('says no word of a memory', async () => {
    const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    expect(logs.length).toBeGreaterThan(0);
    for (const log of logs) expect(await readFile(join(folder, log), 'utf8')).not.toContain(CANARY);
  });
});
