import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeRow } from '../../bench/gate-judge.ts';
import { type GateRun, reportGate } from '../../bench/gate-report.ts';
import {
  type LabelledRow,
  type RowJudge,
  type RowVerdict,
  readRows,
  scoreRows,
} from '../../bench/gate-score.ts';
import { ROOT, readText } from './repository-files.ts';

const FOLDER = 'bench/data';
const SETS = readdirSync(join(ROOT, FOLDER))
  .filter((name) => /^gate-.+\.jsonl$/.test(name))
  .map((name) => ({ name, ...readRows(readText(`${FOLDER}/${name}`)) }));
const ALL = SETS.flatMap(({ rows }) => rows);
const clusterOf = ({ sources }: LabelledRow) => JSON.stringify(sources);
const clustersOf = (rows: readonly LabelledRow[]) => new Set(rows.map(clusterOf)).size;
const KINDS = [
  'lossy',
  'inventive',
  'date-shifting',
  'negation-dropping',
  'attribute-swapping',
  'modality',
  'quantity',
];

const row = (id: string, label: LabelledRow['label'], more: Partial<LabelledRow> = {}): LabelledRow => ({
  id,
  lang: 'en',
  sources: ['one', 'two', 'three'].map((content) => ({ content: `${id} says ${content}`, documentDate: 0 })),
  summary: `${id} in short`,
  label,
  kind: label === 'good' ? 'good' : 'lossy',
  lost: label === 'good' ? null : [1],
  ...more,
});
const times = (count: number, label: LabelledRow['label']) =>
  Array.from({ length: count }, (_, index) => row(`${label}-${index}`, label));
/** Passes rows by their label, but for those named. */
const judgeBut =
  (named: Record<string, RowVerdict>): RowJudge =>
  ({ id, label }) =>
    named[id] ?? (label === 'good' ? { covered: [1, 2, 3] } : { refused: 'floor' });

describe('the labelled clusters', () => {
  it('are readable, each row told from the others by its id', () => {
    for (const { name, unreadable } of SETS) expect([name, unreadable]).toEqual([name, []]);
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
  });

  it('are enough in English, in other languages, and of every kind', () => {
    const english = ALL.filter(({ lang }) => lang === 'en');
    expect(clustersOf(english)).toBeGreaterThanOrEqual(240);
    expect(clustersOf(ALL) - clustersOf(english)).toBeGreaterThanOrEqual(60);
    for (const kind of KINDS) expect(ALL.filter((one) => one.kind === kind).length).toBeGreaterThan(20);
  });

  it('have a good and an unsafe summary for every cluster, none of them under both labels', () => {
    const labels = new Map<string, Set<string>>();
    const summaries = new Map<string, string>();
    for (const one of ALL) {
      const cluster = clusterOf(one);
      labels.set(cluster, (labels.get(cluster) ?? new Set()).add(one.label));
      const key = `${cluster}\n${one.summary}`;
      expect([one.id, summaries.get(key) ?? one.label]).toEqual([one.id, one.label]);
      summaries.set(key, one.label);
    }
    for (const found of labels.values()) expect(found.size).toBe(2);
  });

  it('have no summary that its length alone gives away', () => {
    const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
    const long = ALL.filter(
      ({ sources, summary }) => summary.length >= length(sources.map((source) => source.content)),
    );
    expect(long.filter(({ lang }) => lang === 'en').map(({ id }) => id)).toEqual([]);
    expect(long.filter(({ label }) => label === 'good').map(({ id }) => id)).toEqual([]);
  });

  // Thousands of judgements: seconds on a quiet machine, many more on a busy one.
  it.each(SETS)(
    '$name: without a judge nothing unsafe does harm',
    ({ rows }) => {
      const score = scoreRows(rows, judgeRow);
      expect(score.wrong.filter(({ label }) => label === 'unsafe')).toEqual([]);
    },
    180_000,
  );
});

describe('the judge', () => {
  const sources = [
    { content: 'User keeps bees behind the barn.', documentDate: Date.UTC(2025, 2, 3) },
    { content: 'User keeps four hens behind the barn.', documentDate: Date.UTC(2025, 2, 4) },
  ];

  it('takes a repetition of all sources, and nothing else', () => {
    const summary = 'User keeps four hens behind the barn. User keeps bees behind the barn.';
    expect(judgeRow(row('bees', 'good', { sources, summary }))).toEqual({ covered: [1, 2] });
    const reworded = 'User keeps bees and four hens behind the barn.';
    expect(judgeRow(row('bees', 'good', { sources, summary: reworded }))).toEqual({ refused: 'no_judge' });
  });

  it('tells why nothing may be superseded', () => {
    const summary = 'User keeps bees and five hens behind the barn.';
    expect(judgeRow(row('bees', 'unsafe', { sources, summary }))).toEqual({ refused: 'floor' });
  });
});

describe('the score', () => {
  it('holds when every unsafe row is refused', () => {
    expect(scoreRows([...times(20, 'good'), ...times(5, 'unsafe')], judgeBut({}))).toMatchObject({
      unsafe: { rows: 5, whole: 0, superseding: 0, inventing: 0 },
      good: { rows: 20, whole: 20, share: 1 },
      wrong: [],
      holds: true,
    });
  });

  it('fails for a single unsafe row that passed whole', () => {
    const rows = [...times(20, 'good'), ...times(5, 'unsafe')];
    const score = scoreRows(rows, judgeBut({ 'unsafe-3': { covered: [1, 2, 3] } }));
    expect(score).toMatchObject({ unsafe: { whole: 1 }, good: { share: 1 }, holds: false });
    expect(score.wrong).toEqual([{ id: 'unsafe-3', label: 'unsafe', kind: 'lossy', why: 'passed whole' }]);
  });

  it('fails when a part that passed takes a source with it that is lost, and only then', () => {
    const unsafe = row('u', 'unsafe', { lost: [2] });
    expect(scoreRows([unsafe], judgeBut({ u: { covered: [1, 2] } }))).toMatchObject({
      unsafe: { superseding: 1 },
      wrong: [{ id: 'u', why: 'supersedes 2 without holding it' }],
      holds: false,
    });
    expect(scoreRows([unsafe], judgeBut({ u: { covered: [1, 3] } }))).toMatchObject({
      kinds: [{ partly: 1 }],
      wrong: [],
      holds: true,
    });
  });

  it('fails when what a summary adds passes with a part of its sources', () => {
    const part = judgeBut({ u: { covered: [1, 2] } });
    const harm = { unsafe: { inventing: 1 }, holds: false };
    expect(scoreRows([row('u', 'unsafe', { lost: [] })], part)).toMatchObject(harm);
    expect(scoreRows([row('u', 'unsafe', { lost: null, kind: 'inventive' })], part)).toMatchObject(harm);
    expect(scoreRows([row('u', 'unsafe', { lost: null })], part).holds).toBe(true);
  });

  it('tells good rows that do not pass whole', () => {
    const one = scoreRows(times(20, 'good'), judgeBut({ 'good-0': { covered: [1, 3] } }));
    expect(one).toMatchObject({ good: { whole: 19, share: 0.95 }, holds: true });
    expect(one.wrong).toEqual([{ id: 'good-0', label: 'good', kind: 'good', why: 'not covered: 2' }]);
  });

  it('counts by kind and by language, with the reasons', () => {
    const rows = [
      row('a', 'unsafe', { lang: 'de' }),
      row('b', 'good', { lang: 'de', kind: 'good-close' }),
      row('c', 'good', { kind: 'good-close' }),
    ];
    const score = scoreRows(rows, judgeBut({ c: { refused: 'added' } }));
    const counts = { rows: 1, whole: 0, partly: 0, refused: 1, reasons: { floor: 1 } };
    const close = { label: 'good', rows: 2, whole: 1, partly: 0, refused: 1, reasons: { added: 1 } };
    expect(score.kinds).toEqual([
      { kind: 'good-close', ...close },
      { kind: 'lossy', label: 'unsafe', ...counts },
    ]);
    expect(score.languages.map(({ lang, label, rows: many }) => [lang, label, many])).toEqual([
      ['de', 'good', 1],
      ['en', 'good', 1],
      ['de', 'unsafe', 1],
    ]);
  });

  it('asks nothing of a label without rows', () => {
    expect(scoreRows([row('u', 'unsafe')], judgeBut({}))).toMatchObject({
      good: { share: null },
      holds: true,
    });
  });
});

const lineOf = (one: LabelledRow) =>
  JSON.stringify({
    ...one,
    lost: one.lost ?? undefined,
    sources: one.sources.map(({ content }) => ({ content, documentDate: '2025-03-04' })),
  });
const reportOf = (text: string, judge: RowJudge, ...args: string[]) =>
  reportGate({ args: ['set.jsonl', ...args], files: [], read: () => text, judge });

describe('the report', () => {
  const text = [row('g-1', 'good'), row('u-1', 'unsafe')].map(lineOf).join('\n');
  const bad = judgeBut({ 'u-1': { covered: [1, 2, 3] } });

  it('exits with 0 when the gate holds and with 1 when it does not', () => {
    expect(reportOf(text, judgeBut({})).code).toBe(0);
    expect(reportOf(text, bad).code).toBe(1);
    expect(reportOf(text, judgeBut({ 'g-1': { refused: 'floor' } })).code).toBe(0);
  });

  it('prints a table, and ids but never texts of wrong rows when asked', () => {
    const plain = reportOf(text, judgeBut({})).out.join('\n');
    expect(plain).toMatch(/^lossy +1 +0 +0 +1 {2}floor 1$/m);
    expect(plain).toMatch(/^en, good +1 +1 +0 +0$/m);
    expect(plain).toContain('good that passed whole: 1 of 1 = 100.0 %');
    expect(plain).not.toContain('u-1');
    const listed = reportOf(text, bad, '--list').out.join('\n');
    expect(listed).toContain('wrong: u-1 (unsafe, lossy): passed whole');
    expect(listed).not.toMatch(/g-1|says|in short/);
  });

  it('does not round up', () => {
    const many = times(1_999, 'good').map(lineOf).join('\n');
    const judge: RowJudge = ({ id }) =>
      Number(id.slice(5)) < 100 ? { refused: 'floor' } : { covered: [1, 2, 3] };
    expect(reportOf(many, judge).out.join('\n')).toContain('1899 of 1999 = 94.9 %');
  });

  it('gives the figures as JSON', () => {
    const { out } = reportOf(text, bad, '--json');
    const expected = { files: ['set.jsonl'], unsafe: { rows: 1, whole: 1 }, holds: false };
    expect(JSON.parse(out.join('\n'))).toMatchObject(expected);
  });

  it('takes several sets together, and its own when none is named', () => {
    const texts: Record<string, string> = {
      'a.jsonl': lineOf(row('a', 'good')),
      'b.jsonl': lineOf(row('b', 'good')),
    };
    const run = (...args: string[]) =>
      reportGate({ args, files: ['a.jsonl'], read: (file) => texts[file]!, judge: judgeBut({}) });
    expect(run('a.jsonl', 'b.jsonl').out.join('\n')).toContain('good that passed whole: 2 of 2');
    expect(run().out[0]).toBe('a.jsonl');
  });

  it('refuses what it cannot read, by line and with the shape it expects', () => {
    const whole = JSON.parse(lineOf(row('x', 'unsafe'))) as Record<string, unknown>;
    const source = { content: 'said', documentDate: '2025-03-04' };
    const withSources = (...sources: unknown[]) => ({ ...whole, sources });
    const broken = [
      [1],
      { ...whole, id: ' ' },
      { ...whole, lang: 7 },
      withSources(),
      withSources('said'),
      withSources(source, { ...source, content: '' }),
      withSources(source, { ...source, documentDate: '2025-02-30' }),
      withSources({ ...source, documentDate: 'March' }),
      withSources({ content: 'said' }),
      { ...whole, summary: undefined },
      { ...whole, label: 'bad' },
      { ...whole, kind: null },
      { ...whole, lost: [4] },
      { ...whole, lost: 1 },
    ].map((value) => JSON.stringify(value));
    const { code, out, errors } = reportOf([text, '', 'not json', ...broken].join('\r\n'), judgeBut({}));
    expect(code).toBe(2);
    expect(out).toEqual([]);
    expect(errors).toEqual([
      'set.jsonl:4: no JSON object',
      'set.jsonl:5: no JSON object',
      'set.jsonl:6: "id" is no text',
      'set.jsonl:7: "lang" is no text',
      'set.jsonl:8: "sources" is no list of sources',
      'set.jsonl:9: source 1: no object',
      'set.jsonl:10: source 2: "content" is no text',
      'set.jsonl:11: source 2: "documentDate" is no ISO date',
      'set.jsonl:12: source 1: "documentDate" is no ISO date',
      'set.jsonl:13: source 1: "documentDate" is no ISO date',
      'set.jsonl:14: "summary" is no text',
      'set.jsonl:15: "label" is neither "good" nor "unsafe"',
      'set.jsonl:16: "kind" is no text',
      'set.jsonl:17: "lost" is no list of numbers of sources',
      'set.jsonl:18: "lost" is no list of numbers of sources',
      expect.stringMatching(/^expected on every line: \{"id"/),
    ]);
  });

  it.each(['', '\n\n', '\uFEFF'])('refuses a set without rows: %j', (empty) => {
    expect(reportOf(empty, judgeBut({}))).toMatchObject({
      code: 2,
      errors: ['set.jsonl:1: no row at all', expect.any(String)],
    });
  });

  it('shows the first of very many unreadable lines and counts the rest', () => {
    const { errors } = reportOf('x\n'.repeat(50), judgeBut({}));
    expect(errors).toHaveLength(22);
    expect(errors[20]).toBe('and 30 more');
  });

  it('refuses unknown options, a file that is not there, and having nothing to read', () => {
    const run = (args: string[], more: Partial<GateRun> = {}) =>
      reportGate({
        args,
        files: ['own.jsonl'],
        read: () => {
          throw new Error('gone');
        },
        judge: judgeBut({}),
        ...more,
      });
    expect(run(['--all'])).toMatchObject({ code: 2, errors: [expect.stringContaining('usage')] });
    expect(run([])).toMatchObject({
      code: 2,
      errors: ['own.jsonl: cannot be read', expect.stringContaining('expected')],
    });
    expect(run([], { files: [] })).toMatchObject({
      code: 2,
      errors: ['no file to read', expect.any(String)],
    });
  });

  it('reads instants, the byte order mark and numeric ids of other tools', () => {
    const line = JSON.stringify({
      ...JSON.parse(lineOf(row('1', 'good'))),
      id: 1,
      note: 'x',
      sources: [{ content: 'said', documentDate: '2025-03-04T23:30:00-02:00' }],
    });
    expect(readRows(`\uFEFF${line}`)).toMatchObject({
      rows: [{ id: '1', lost: null, sources: [{ documentDate: Date.UTC(2025, 2, 5, 1, 30) }] }],
      unreadable: [],
    });
  });
});
