import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, loadImport } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from './anywhere.ts';
import { consolidateCommand } from './consolidate-command.ts';
import { EXIT, explain } from './exit.ts';
import { previewCommand } from './preview-command.ts';
import { decideCommand, modeCommand, reviewsCommand } from './review-commands.ts';
import { openDatabase, type Service, startService } from './service.ts';
import type { Terminal } from './terminal.ts';

const logger = pino({ level: 'silent' });
/** Each in two sentences of which one is the same: the offline provider joins what repeats. */
const SHARED = 'The bakery stands at the corner of Cork harbour.';
const FACTS = ['sells rye bread', 'bakes in a brick oven', 'has a blue door'];

/** A terminal whose lines are kept. */
function keptTerminal(): { terminal: Terminal; lines: string[] } {
  const lines: string[] = [];
  const same = (text: string) => text;
  const terminal: Terminal = {
    line: (text = '') => void lines.push(text),
    error: (text) => void lines.push(`error: ${text}`),
    progress: () => {},
    clear: () => {},
    bold: same,
    dim: same,
    columns: null,
  };
  return { terminal, lines };
}

async function addFacts(database: Database): Promise<void> {
  const date = new Date(Date.now() - 90 * 86_400_000).toISOString();
  const lines = FACTS.map((fact, i) =>
    JSON.stringify({
      user: 'ana',
      id: `f${i}`,
      content: `${SHARED} It ${fact}.`,
      category: 'fact',
      date,
      ...(i > 0 ? { relations: [{ type: 'EXTENDS', target: `f${i - 1}` }] } : {}),
    }),
  );
  const summary = await loadImport(database, lines.join('\n'), {
    format: 'jsonl',
    defaults: { tenant: 'default' },
    at: Date.now(),
    maxContentChars: 1_000,
  });
  expect([summary.inserted, summary.relations]).toEqual([3, 2]);
}

describe.each(['on the folder', 'through the service'])('previews and reviews %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave reviews '));
    config = readConfig({
      SLOWWAVE_DATA_DIR: path.join(folder, 'data'),
      SLOWWAVE_HTTP_PORT: '0',
      SLOWWAVE_MODEL_PROVIDER: 'offline',
    });
    if (way === 'through the service') {
      service = await startService({ config, logger, serve: true });
      await addFacts(service.database);
    } else {
      const database = await openDatabase(config, logger);
      await addFacts(database);
      await database.close();
    }
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const OF = { tenant: 'default', user: 'ana', json: false };
  async function run(
    command: (context: CommandContext) => Promise<number>,
  ): Promise<{ code: number; lines: string[] }> {
    const { terminal, lines } = keptTerminal();
    try {
      return { code: await command({ config, logger, terminal }), lines };
    } catch (error) {
      const { message, code } = explain(error);
      return { code, lines: [message] };
    }
  }
  const mode = (to: 'auto' | 'review' | 'off') => run((context) => modeCommand(context, { ...OF, mode: to }));
  const preview = (json = false) =>
    run((context) => previewCommand(context, { ...OF, json, tier: 'deep', timeoutMs: 60_000 }));
  const reviews = (json = false) => run((context) => reviewsCommand(context, { ...OF, json }));
  const decide = (action: 'approve' | 'reject', key: string, user = 'ana') =>
    run((context) => decideCommand(context, { ...OF, action, key, user, by: 'zoe' }));

  it('shows first, asks then, and does what was said', async () => {
    expect(await mode('review')).toEqual({
      code: EXIT.ok,
      lines: [expect.stringMatching(/^ana: review; fusions wait for a decision/)],
    });

    const seen = await preview();
    expect(seen.code).toBe(EXIT.ok);
    expect(seen.lines[0]).toMatch(/^preview .* of deep: completed; nothing was changed$/);
    expect(seen.lines.slice(1, 2)).toEqual(['  1. 3 → 1 [fact]']);
    for (const fact of FACTS) expect(seen.lines).toContain(`       - ${SHARED} It ${fact}.`);
    const added = seen.lines.filter((line) => line.startsWith('       + '));
    expect(added).toHaveLength(1);
    const told = JSON.parse((await preview(true)).lines[0]!);
    expect(told).toMatchObject({
      tier: 'deep',
      status: 'completed',
      merges: [],
      fusions: [{ verdict: 'ok' }],
    });
    const { content } = told.fusions[0].derived;
    expect(added[0]).toBe(`       + ${content.replaceAll('\n', '\n         ')}`);
    expect((await reviews()).lines).toEqual(['nothing waits for a decision']);

    const target = { ...OF, tier: 'deep' as const, wait: true, timeoutMs: 60_000 };
    const ran = await run((context) => consolidateCommand(context, target));
    expect(ran.lines.join('\n')).toContain('1. review: 3 sources stay as they are');
    const waiting = await reviews();
    expect(waiting.lines[0]).toMatch(/^3 → 1 of ana, deep, proposed 20.*Z, waits until 20.*Z$/);
    expect(waiting.lines).toContain(added[0]);
    const listed = JSON.parse((await reviews(true)).lines[0]!);
    expect(listed).toMatchObject({ tenant: 'default', reviews: [{ kind: 'fusion', user: 'ana' }] });
    const { key } = listed.reviews[0];
    expect(waiting.lines).toContain(`  ${key}`);

    expect(await decide('approve', key, 'ben')).toEqual({
      code: EXIT.failed,
      lines: ['there is no such fusion of this user'],
    });
    expect(await decide('reject', 'abc')).toMatchObject({ code: EXIT.config });
    const applied = await decide('approve', key);
    expect(applied).toEqual({
      code: EXIT.ok,
      lines: [expect.stringMatching(/^applied: 3 superseded by /)],
    });
    expect((await decide('approve', key)).lines[0]).toMatch(/^it was applied before: /);
    expect(await decide('reject', key)).toEqual({
      code: EXIT.failed,
      lines: ['the fusion is applied already: to take it back, undo it'],
    });

    expect(await mode('off')).toMatchObject({ code: EXIT.ok });
    const off = await preview();
    expect([off.code, off.lines[0]]).toEqual([
      EXIT.failed,
      expect.stringMatching(/^nothing is fused for (ana|this user)/),
    ]);
  });

  it('knows no strangers', async () => {
    const who = { ...OF, user: 'nobody' };
    const stranger = await run((context) => modeCommand(context, { ...who, mode: 'auto' }));
    expect(stranger.code).not.toBe(EXIT.ok);
    expect(stranger.lines[0]).toMatch(/no( such)? user/);
  });
});
