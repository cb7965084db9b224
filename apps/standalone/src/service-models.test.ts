import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Environment, readConfig } from '@slowwave/config';
import { createLogger } from '@slowwave/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedService } from '../../../test/fixtures/command-stage.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slowwave start '));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The lines that a service logs until it has started. */
async function logOf(environment: Environment): Promise<{ msg: string; [field: string]: unknown }[]> {
  const lines: string[] = [];
  const config = readConfig({
    SLOWWAVE_DATA_DIR: path.join(folder, 'data'),
    SLOWWAVE_HTTP_PORT: '0',
    ...environment,
  });
  const service = await startEmbeddedService(
    config,
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  await service.close();
  return lines.map((line) => JSON.parse(line));
}

describe('the start of a service', () => {
  it('says once what the offline embedder cannot do, and which one can', async () => {
    const log = await logOf({});
    const said = log.filter((line) => JSON.stringify(line).includes('SLOWWAVE_EMBEDDER=local'));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatchObject({
      msg: 'slowwave starting',
      models: expect.stringMatching(/offline embedder.*neither synonyms nor what other languages call/),
    });
    expect(log.filter(({ missing }) => missing !== undefined)).toEqual([]);
  });

  it('says what the local embedder lacks, with the commands that help', async () => {
    const log = await logOf({ SLOWWAVE_EMBEDDER: 'local', SLOWWAVE_EMBEDDING_DIR: folder });
    const missing = log.flatMap((line) => (line.missing === undefined ? [] : [line.missing]));
    expect(missing).toContainEqual(
      expect.stringMatching(/files of the model .*: slowwave models pull Xenova/),
    );
  });
});
