import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EvaluationReport } from '@slowwave/fusion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateCommand } from '../../apps/standalone/src/evaluate-command.ts';
import { evaluateConvertCommand } from '../../apps/standalone/src/evaluate-convert-command.ts';
import type { ConvertSummary } from '../../apps/standalone/src/evaluation/convert/convert.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { type CommandStage, openCommandStage, openScratch } from '../fixtures/command-stage.ts';

const CANARY = 'zebrafinch';

/** Invented: a person who gets a bird, and later another one. */
const history = (question_id: string, more: object = {}) => ({
  question_id,
  question_type: 'single-session-user',
  question: 'Which bird do I keep?',
  answer: CANARY,
  question_date: '2023/06/01 (Thu) 10:00',
  haystack_dates: ['2023/05/20 (Sat) 02:21'],
  haystack_sessions: [
    [
      { role: 'user', content: `I keep a ${CANARY} in the kitchen.`, has_answer: true },
      { role: 'assistant', content: 'How nice!', has_answer: false },
      { role: 'user', content: 'Which seeds are good?', has_answer: false },
    ],
  ],
  ...more,
});

describe('slowwave evaluate convert', () => {
  let stage: CommandStage;
  let folder: string;
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  beforeAll(async () => {
    stage = await openCommandStage('on the database', { SLOWWAVE_MODEL_PROVIDER: 'offline' });
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-convert-'));
  });
  afterAll(async () => {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('writes sets that slowwave evaluate measures', async () => {
    const from = await file('s.json', JSON.stringify([history('a'), history('b_abs')]));
    const out = path.join(folder, 'sets');
    const printed = await stage.run((context) =>
      evaluateConvertCommand(context, { paths: [from], from: 'longmemeval', out, json: false }),
    );
    expect(printed).toEqual([
      `1 file of longmemeval: 2 samples in ${out}, with 4 memories (one for each turn) and 2 questions: 1 single, 1 unanswerable`,
    ]);
    const files = (await readdir(out)).sort().map((name) => path.join(out, name));
    const lines = await stage.run((context) =>
      evaluateCommand(
        { ...context, openScratch },
        {
          files,
          nights: 0,
          answers: false,
          publish: false,
          tenant: 'default',
          json: true,
        },
      ),
    );
    const report = JSON.parse(lines.join('')) as EvaluationReport;
    expect(report).toMatchObject({ users: 2, memories: 4, questions: { single: 1, unanswerable: 1 } });
    expect(report.stages[0]!.searches.recall.recall10).toBe(1);
  });

  it('is named where slowwave evaluate is given such a file itself', async () => {
    const from = await file('s.json', JSON.stringify([history('a')], null, 2));
    const refused = await stage.refused((context) =>
      evaluateCommand(context, {
        files: [from],
        nights: 0,
        answers: false,
        publish: false,
        tenant: 'default',
        json: false,
      }),
    );
    expect(refused.message).toContain('s.json, line 1: ');
    expect(refused.message).toContain('slowwave evaluate convert');
  });

  it('writes the same again', async () => {
    const from = await file('s.json', JSON.stringify([history('a')]));
    const out = path.join(folder, 'again');
    const convert = () =>
      stage.run((context) =>
        evaluateConvertCommand(context, { paths: [from], from: 'longmemeval', out, json: true }),
      );
    const first = await convert();
    const text = await readFile(path.join(out, 'a.jsonl'), 'utf8');
    expect(await convert()).toEqual(first);
    expect(await readFile(path.join(out, 'a.jsonl'), 'utf8')).toBe(text);
  });

  it('takes a folder, and says which sample and field is wrong without its text', async () => {
    const inside = path.join(folder, 'downloaded');
    await mkdir(inside, { recursive: true });
    await file('downloaded/1.json', JSON.stringify(history('a')));
    await file(
      'downloaded/2.json',
      JSON.stringify([history('b', { haystack_dates: [CANARY] }), history('c')]),
    );
    await file('downloaded/README.md', CANARY);
    const out = path.join(folder, 'mended');
    const { context, lines } = stage.context();
    const code = await evaluateConvertCommand(context, {
      paths: [inside],
      from: 'longmemeval',
      unit: 'round',
      out,
      json: false,
    });
    expect(code).toBe(EXIT.refusedLines);
    expect(lines).toEqual([
      expect.stringMatching(/^2 files of longmemeval: 2 samples .* with 4 memories \(one for each round\)/),
      expect.stringMatching(/^error: {3}2\.json, sample 1, haystack_dates\[0\]: expected a date and time/),
    ]);
    expect(lines.join('')).not.toContain(CANARY);
    expect((await readdir(out)).sort()).toEqual(['a.jsonl', 'c.jsonl']);
  });

  it('does not end well where nothing was converted', async () => {
    const from = await file('none.json', '[]');
    const { context, lines } = stage.context();
    const out = path.join(folder, 'none');
    const code = await evaluateConvertCommand(context, { paths: [from], from: 'locomo', out, json: true });
    expect(code).toBe(EXIT.refusedLines);
    expect(JSON.parse(lines.join('')) as ConvertSummary).toMatchObject({ samples: 0, problemCount: 0 });
  });

  it.each([
    ['a file that is not there', 'gone.json', {}, 'there is no file'],
    ['a folder without files', '.', {}, 'holds no files that end in .json'],
    ['an archive', 'a.zip', {}, 'give the unpacked .json file'],
    ['a unit of the other format', 'a.json', { unit: 'observation' as const }, 'expected turn or round'],
    ['a file that ends early', 'b.json', {}, 'download it again'],
  ])('refuses %s', async (_what, name, more, message) => {
    const empty = path.join(folder, 'refused');
    await mkdir(empty, { recursive: true });
    await file('refused/a.zip', 'PK\u0003\u0004');
    if (name !== '.') await file('refused/a.json', '[]');
    else await rm(path.join(empty, 'a.json'), { force: true });
    if (name === 'b.json') await file('refused/b.json', '[{"question_id":"a"');
    else await rm(path.join(empty, 'b.json'), { force: true });
    const refused = await stage.refused((context) =>
      evaluateConvertCommand(context, {
        paths: [path.join(empty, name)],
        from: 'longmemeval',
        out: path.join(folder, 'refused-out'),
        json: false,
        ...more,
      }),
    );
    expect(refused.code).toBe(EXIT.config);
    expect(refused.message).toContain(message);
  });
});
