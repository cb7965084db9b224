import { readConfig } from '@slowwave/config';
import { readJudgeExam } from '@slowwave/db';
import { EXAM } from '@slowwave/fusion';
import { createLogger } from '@slowwave/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, UsageError } from '../../apps/standalone/src/exit.ts';
import { checkJudgeCommand } from '../../apps/standalone/src/judge-command.ts';
import { requestOf } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { Behaviour, FakeServer } from '../fakes/scripted-server.ts';
import { answerStatements, type Judgement, type ShownItem } from '../fakes/statement-model.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';

/** Good statements of the exam, and as many unsafe ones. */
const OF_EACH = EXAM.length / 2;

const labelOf = ({ statement, sources }: ShownItem) =>
  EXAM.find((item) => item.statement === statement && item.sources.some((text) => text === sources[0]!.text))
    ?.label;

describe('slowwave judge check', () => {
  let fixture: DatabaseFixture;
  let server: FakeServer;
  let judge: (item: ShownItem) => Judgement;
  let failure: Behaviour | null = null;

  beforeAll(async () => {
    fixture = await serverFixture();
    server = await startMessagesServer(async (call): Promise<Behaviour> => {
      if (failure) return failure;
      const text = requestOf(call)
        .messages.map(({ content }) => content)
        .join('\n');
      return {
        kind: 'text',
        text: JSON.stringify(answerStatements(text, { write: () => null, judge }).answer()),
      };
    });
  });
  afterAll(async () => {
    await server?.stop();
    await fixture?.drop();
  });

  const environment = () => ({
    DATABASE_URL: fixture.url!,
    SLOWWAVE_MODEL_PROVIDER: 'anthropic',
    SLOWWAVE_MODEL: 'writer',
    SLOWWAVE_JUDGE_MODEL: 'examinee',
    ANTHROPIC_API_KEY: 'key-of-a-test',
    ANTHROPIC_BASE_URL: server.url,
  });
  async function check(more: Record<string, string> = {}, given: { json: boolean } = { json: false }) {
    const lines: string[] = [];
    const terminal = {
      line: (text = '') => lines.push(text),
      error: () => {},
      progress: () => {},
      clear: () => {},
      columns: null,
      bold: (text: string) => text,
      dim: (text: string) => text,
    };
    const config = readConfig({ ...environment(), ...more });
    const context = { config, logger: createLogger('silent'), terminal, remote: null };
    const code = await checkJudgeCommand(context, given);
    return { code, text: lines.join('\n') };
  }
  const stored = () => fixture.database.asDispatcher((tx) => readJudgeExam(tx, 'examinee'));

  it('asks the model that judges, and keeps that it passed', async () => {
    judge = (item) => (labelOf(item) === 'good' ? 'same' : 'changed');
    const before = server.calls.length;
    const { code, text } = await check();
    expect(code).toBe(EXIT.ok);
    expect(text).toContain(`good statements accepted:   ${OF_EACH} of ${OF_EACH}`);
    expect(text).toContain('examinee passed');
    const asked = server.calls.slice(before);
    expect(asked).toHaveLength(16);
    expect(asked.every(({ json }) => json?.model === 'examinee')).toBe(true);
    expect(await stored()).toMatchObject({ passed: true, goodAccepted: OF_EACH, unsafeAccepted: 0 });
  });

  it('keeps that it failed, and names what it was wrong about', async () => {
    judge = () => 'same';
    const { code, text } = await check();
    expect(code).toBe(EXIT.failed);
    expect(text).toContain(`unsafe statements accepted: ${OF_EACH} of ${OF_EACH}`);
    expect(text).toContain(EXAM.find(({ label }) => label === 'unsafe')!.statement);
    expect(await stored()).toMatchObject({ passed: false, unsafeAccepted: OF_EACH });
    const json = await check({}, { json: true });
    expect(JSON.parse(json.text)).toMatchObject({
      model: 'examinee',
      passed: false,
      unsafeAccepted: OF_EACH,
    });
  });

  it('keeps nothing when the model does not answer, and says what to do', async () => {
    const before = await stored();
    failure = { kind: 'error', status: 401 };
    const { code, text } = await check();
    failure = null;
    expect(code).toBe(EXIT.failed);
    expect(text).toContain('was not taken');
    expect(await stored()).toEqual(before);
  });

  it('says what is missing where no language model is configured', async () => {
    const terminal = { line: () => {}, error: () => {}, progress: () => {}, clear: () => {}, columns: null };
    const context = {
      config: readConfig({ DATABASE_URL: fixture.url! }),
      logger: createLogger('silent'),
      terminal: { ...terminal, bold: (text: string) => text, dim: (text: string) => text },
      remote: null,
    };
    await expect(checkJudgeCommand(context, { json: false })).rejects.toThrow(UsageError);
    await expect(checkJudgeCommand(context, { json: false })).rejects.toThrow(/SLOWWAVE_MODEL_PROVIDER/);
  });
});
