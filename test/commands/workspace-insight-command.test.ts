import type { Environment } from '@slowwave/config';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { addWorkspaceCommand } from '../../apps/standalone/src/workspace-command.ts';
import { writeCommand } from '../../apps/standalone/src/workspace-document-commands.ts';
import { auditCommand, insightsCommand } from '../../apps/standalone/src/workspace-insight-commands.ts';
import { workspaceRunsCommand } from '../../apps/standalone/src/workspace-run-commands.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

const TEXT = '## Decisions\n\n- Tests come before code, and both before lunch.\n';
const ANSWER = {
  summary: 'One was found.',
  insights: [{ category: 'pattern', content: 'Tests come first.' }],
};

async function* input(text: string): AsyncGenerator<string> {
  yield text;
}

const insights =
  (of: Parameters<typeof auditCommand>[1], more: object = {}) =>
  (context: CommandContext) =>
    insightsCommand(context, { ...of, now: false, force: false, timeoutMs: 60_000, ...more });

describe.each(COMMAND_WAYS)('what is said about insights %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way);
  });
  afterAll(() => stage?.close());

  it('before there are any, and why there are none', async () => {
    const of = await stage.newUser();
    await stage.run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
    expect((await stage.run(insights(of)))[0]).toContain('no insights yet');
    expect((await stage.refused(insights(of, { force: true }))).code).toBe(EXIT.config);
    for (const force of [false, true]) {
      expect(await stage.refused(insights(of, { now: true, force }))).toEqual({
        code: EXIT.failed,
        message: expect.stringContaining('switched off'),
      });
    }
    const report = await stage.printed((context, output) => auditCommand(context, of, output));
    expect(report).toMatch(/^# /);
    const [json] = await stage.run((context) => auditCommand(context, { ...of, json: true }));
    expect(JSON.parse(json!)).toMatchObject({ workingMemory: { exists: false } });
  });
});

const settingsOf = (model: FakeServer): Environment => ({
  SLOWWAVE_MODEL_PROVIDER: 'anthropic',
  SLOWWAVE_MODEL: 'fake',
  ANTHROPIC_API_KEY: 'sk-ant-of-the-tests',
  ANTHROPIC_BASE_URL: model.url,
});

type Of = Parameters<typeof auditCommand>[1];

async function ended(stage: CommandStage, of: Of, more: object = {}) {
  const { context, lines } = stage.context();
  const code = await insights(of, { now: true, ...more })(context);
  return { code, lines };
}

const write = (stage: CommandStage, of: Of) =>
  stage.run((context) => writeCommand(context, { ...of, file: 'MEMORY.md', append: false }, input(TEXT)));

/** A user with a workspace whose insights are on. */
async function owner(stage: CommandStage): Promise<Of> {
  const of = await stage.newUser();
  await stage.run((context) => addWorkspaceCommand(context, { ...of, documents: true, insights: true }));
  return of;
}

describe('slowwave workspace insights --now', () => {
  let model: FakeServer;
  let stage: CommandStage | null = null;
  beforeAll(async () => {
    model = await startMessagesServer({ kind: 'json', value: ANSWER });
  });
  afterEach(async () => {
    await stage?.close();
    stage = null;
    model.reset();
  });
  afterAll(() => model?.stop());

  it('does the light run itself in a folder that nobody serves', async () => {
    stage = await openCommandStage('in its folder', settingsOf(model));
    const of = await owner(stage);
    await write(stage, of);
    const good = await ended(stage, of);
    expect(good.lines).toEqual([expect.stringMatching(/^1 new insight \(run [0-9a-f-]{36}\)$/)]);
    expect([good.code, model.calls.length]).toEqual([EXIT.ok, 1]);
  });

  it('waits for the light run of a service, which asks the model once, and tells what came of it', async () => {
    const open = await openCommandStage('through the service', settingsOf(model));
    stage = open;
    const of = await owner(open);
    const empty = await ended(open, of);
    expect(empty.code).toBe(EXIT.failed);
    expect(empty.lines.join('\n')).toMatch(/^error: no insights: there is nothing in MEMORY\.md yet \(run /);
    await write(open, of);
    const good = await ended(open, of);
    expect(good.lines).toEqual([expect.stringMatching(/^1 new insight \(run [0-9a-f-]{36}\)$/)]);
    expect([good.code, model.calls.length]).toEqual([EXIT.ok, 1]);
    const text = await open.printed((context, output) =>
      insightsCommand(context, { ...of, now: false, force: false, timeoutMs: 1 }, output),
    );
    expect(text).toContain('Tests come first.');
    expect((await open.refused(insights(of, { now: true }))).message).toContain('"force"');
    const forced = await ended(open, { ...of, json: true }, { force: true });
    const outcome = JSON.parse(forced.lines[0]!) as { runId: string; run: { runId: string } };
    expect(outcome).toMatchObject({
      status: 'completed',
      step: { status: 'done' },
      run: { work: 'insights', status: 'completed', report: { counts: { added: 0, duplicates: 1 } } },
    });
    expect(outcome.run.runId).toBe(outcome.runId);
    const runs = await open.run((context) => workspaceRunsCommand(context, { ...of, limit: 20 }));
    expect(runs.filter((line) => line.includes('completed'))).toHaveLength(2);
  });
});
