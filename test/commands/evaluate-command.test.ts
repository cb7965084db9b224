import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, getUser, readEvaluation } from '@slowwave/db';
import type { EvaluationReport } from '@slowwave/fusion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { evaluateCommand } from '../../apps/standalone/src/evaluate-command.ts';
import { type CommandStage, openCommandStage, openScratch } from '../fixtures/command-stage.ts';
import { inScope } from '../scope.ts';

const CANARY = 'zebrafinch';

/** A person whose notes say everything twice, in other words the second time, and one thing anew. */
function linesOf(): object[] {
  const note = (id: string, date: string, content: string, metadata?: object) => ({
    id,
    user: 'ana',
    content,
    date,
    ...(metadata ? { metadata } : {}),
  });
  return [
    { kind: 'user', user: 'ana', timezone: 'Europe/Lisbon', quietStart: '01:00', quietEnd: '05:00' },
    note('a', '2026-03-01', `Ana keeps a ${CANARY} called Bruno in the kitchen.`),
    note('b', '2026-05-01', `In Ana's kitchen lives Bruno, her ${CANARY}.`, { restates: 'a' }),
    note('c', '2026-03-02', 'Ana pays 640 euros of rent every month.'),
    note('d', '2026-06-02', 'From June on the rent of Ana is 710 euros.'),
    note('e', '2026-04-10', 'Ana sailed to Berlenga with Rui yesterday.'),
    ...Array.from({ length: 12 }, (_, at) =>
      note(`s${at}`, '2026-04-11', `Ana said hello for the ${at + 2}th time.`),
    ),
    {
      kind: 'question',
      user: 'ana',
      type: 'single',
      question: 'Which animal is in the kitchen?',
      answers: [CANARY],
      evidence: [['a', 'b']],
    },
    {
      kind: 'question',
      user: 'ana',
      type: 'update',
      question: 'How much is the rent?',
      answers: ['710 euros'],
      evidence: ['d'],
      outdated: ['640'],
    },
    {
      kind: 'question',
      user: 'ana',
      type: 'temporal',
      question: 'When did she hear of Berlenga?',
      answers: ['2026-04-10'],
      evidence: ['e'],
    },
    { kind: 'question', user: 'ana', type: 'unanswerable', question: 'Which car does Rui drive to Porto?' },
  ];
}

/** With a copy of a migrated database in place of one that the command makes, which takes seconds. */
const onCopy = (context: CommandContext): CommandContext => ({ ...context, openScratch });
const SCRATCHES = inScope<[string, (context: CommandContext) => CommandContext]>({
  change: [['a copy', onCopy]],
  rest: [['a database that it makes', (context) => context]],
});

describe('slowwave evaluate', () => {
  let stage: CommandStage;
  let folder: string;
  const write = async (name: string, lines: object[]): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    return file;
  };
  beforeAll(async () => {
    stage = await openCommandStage('on the database', { SLOWWAVE_MODEL_PROVIDER: 'offline' });
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-evaluate-'));
  });
  afterAll(async () => {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const inDatabase = async <T>(of: (database: Database) => Promise<T>): Promise<T> => {
    const { context } = stage.context();
    return of(await context.open!(context.config, context.logger));
  };
  const published = (tenant: string) =>
    inDatabase((database) => database.withTenant(tenant, (tx) => readEvaluation(tx, tenant)));

  it.each(SCRATCHES)(
    'measures before and after nights in %s, beside what anybody could write, and leaves the data alone',
    async (_name, on) => {
      const file = await write('ana.jsonl', linesOf());
      const here = await stage.newUser();
      const out = path.join(folder, 'figures');
      const lines = await stage.run((context) =>
        evaluateCommand(on(context), {
          files: [file],
          nights: 1,
          out,
          answers: false,
          publish: false,
          tenant: 'default',
          json: true,
        }),
      );
      const report = JSON.parse(lines.join('')) as EvaluationReport;
      expect(report).toMatchObject({
        files: ['ana.jsonl'],
        users: 1,
        memories: 17,
        questions: { single: 1, update: 1, temporal: 1, unanswerable: 1 },
      });
      expect(report.stages.map(({ nights }) => nights)).toEqual([0, 1]);
      const [before] = report.stages;
      expect(before!.store).toMatchObject({ memories: 17, vectors: 17, superseded: 0 });
      expect(before!.store.duplicates).toEqual({ planted: 1, left: 1 });
      expect(report.stages.map(({ groups }) => groups)).toEqual([
        expect.objectContaining({ groups: 1, met: 0, requests: 0 }),
        expect.objectContaining({
          groups: 1,
          met: 1,
          byLanguage: { en: expect.objectContaining({ met: 1 }) },
        }),
      ]);
      const { recall } = before!.searches;
      expect(recall).toMatchObject({ recall10: 1, all10: 1, outdatedAbove: 0, rejected: 1 });
      expect(recall.answerWithin[1_500]).toBe(1);
      expect(recall.byType.temporal.answer1500).toBe(1);
      // The newest first: what was said last, whatever was asked.
      expect(before!.searches.newest.byType.update.recall10).toBe(1);
      expect(before!.digests.newest[1_000]!.lines).toBeGreaterThan(0);
      expect(JSON.parse(await readFile(path.join(out, 'evaluation.json'), 'utf8'))).toEqual(report);
      const picture = await readFile(path.join(out, 'recall.svg'), 'utf8');
      expect(picture.match(/<polyline /g)).toHaveLength(8);
      // Figures alone leave the set.
      expect(`${JSON.stringify(report)}${picture}`).not.toContain(CANARY);
      const found = (user: string) =>
        inDatabase((database) => database.withTenant('default', (tx) => getUser(tx, 'default', user)));
      expect([await found(here.user), await found('ana')]).toEqual([expect.anything(), null]);
      expect((await published('default')).evaluation).toBeNull();
    },
  );

  it('reads several files as one set, and prints tables for people', async () => {
    const lines = linesOf();
    const [memories, questions] = [
      await write(
        'memories.jsonl',
        lines.filter((line) => !('question' in line)),
      ),
      await write(
        'questions.jsonl',
        lines.filter((line) => 'question' in line),
      ),
    ];
    const printed = await stage.run((context) =>
      evaluateCommand(onCopy(context), {
        files: [memories, questions],
        nights: 0,
        answers: false,
        publish: false,
        tenant: 'default',
        json: false,
      }),
    );
    const text = printed.join('\n');
    expect(printed[0]).toBe(
      '1 users, 17 memories, questions: 1 single, 0 multi, 1 temporal, 1 update, 1 unanswerable',
    );
    for (const name of [
      'recall',
      'plain BM25',
      'cosine alone',
      'newest first',
      'RECALL 1,500',
      'DUPLICATES LEFT',
    ])
      expect(text).toContain(name);
    expect(text).not.toContain('after');
    expect(text).not.toContain(CANARY);
  });

  it.each([
    [
      'no question',
      (lines: object[]) => lines.filter((line) => !('question' in line)),
      'there is no question',
    ],
    [
      'evidence that is not there',
      (lines: object[]) => lines.filter((line) => !('id' in line && line.id === 'e')),
      'a question of ana names the evidence e',
    ],
    ['a line that cannot be read', (lines: object[]) => [...lines, { id: 1 }], 'bad.jsonl, line 23'],
  ])('refuses a set with %s', async (_name, change, message) => {
    const file = await write('bad.jsonl', change(linesOf()));
    const refused = await stage.refused((context) =>
      evaluateCommand(context, {
        files: [file],
        nights: 0,
        answers: false,
        publish: false,
        tenant: 'default',
        json: false,
      }),
    );
    expect(refused.message).toContain(message);
    expect(refused.message).not.toContain(CANARY);
  });

  it('says which file is not there', async () => {
    const refused = await stage.refused((context) =>
      evaluateCommand(context, {
        files: [path.join(folder, 'none.jsonl')],
        nights: 0,
        answers: false,
        publish: false,
        tenant: 'default',
        json: false,
      }),
    );
    expect(refused.message).toContain('none.jsonl');
  });

  it('publishes its report when it is asked to', async () => {
    const file = await write('published.jsonl', linesOf());
    const given = { files: [file], nights: 0, tenant: 'acme', json: true };
    const [line] = await stage.run((context) =>
      evaluateCommand(onCopy(context), { ...given, answers: false, publish: true }),
    );
    expect((await published('acme')).evaluation).toEqual(JSON.parse(line!));
  });

  it('does not have questions answered by what cannot answer', async () => {
    const file = await write('unanswered.jsonl', linesOf());
    const given = { files: [file], nights: 0, publish: false, tenant: 'default', json: true };
    await expect(
      stage.run((context) => evaluateCommand(context, { ...given, answers: true })),
    ).rejects.toThrow(/needs a language model/);
  });
});
