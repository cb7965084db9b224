import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { consolidateCommand } from '../../apps/standalone/src/consolidate-command.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { explain } from '../../apps/standalone/src/explain.ts';
import { importCommand } from '../../apps/standalone/src/import-command.ts';
import { previewCommand } from '../../apps/standalone/src/preview-command.ts';
import { decideCommand, modeCommand, reviewsCommand } from '../../apps/standalone/src/review-commands.ts';
import { type CommandStage, openCommandStage, type Way } from '../fixtures/command-stage.ts';
import { inScope } from '../scope.ts';

/** Each in two sentences of which one is the same: the offline provider joins what repeats. */
const SHARED = 'The bakery stands at the corner of Cork harbour.';
const FACTS = ['sells rye bread', 'bakes in a brick oven', 'has a blue door'];

/** The facts as lines of an import, each an extension of the one before. */
function factLines(): string {
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
  return lines.join('\n');
}

/** Without a service, a run is done in the process that asks for it: on the folder, which each command opens. */
const WAYS = inScope<Way>({ change: ['through the service'], rest: ['in its folder'] });

describe.each(WAYS)('previews and reviews %s', (way) => {
  let stage: CommandStage;

  beforeAll(async () => {
    stage = await openCommandStage(way);
    const file = path.join(stage.folder, 'facts.jsonl');
    await writeFile(file, factLines());
    const given = { file, tenant: 'default', format: 'jsonl' as const, json: false };
    const [line] = await stage.run((context) => importCommand(context, given));
    expect(line).toContain('3 memories new, 0 unchanged, 2 relations');
  });
  afterAll(() => stage?.close());

  const OF = { tenant: 'default', user: 'ana', json: false };
  async function run(
    command: (context: CommandContext) => Promise<number>,
  ): Promise<{ code: number; lines: string[] }> {
    const { context, lines } = stage.context();
    try {
      return { code: await command(context), lines };
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
