import { isDuplicate } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { DEFAULT_FILE, reportTwins } from '../../bench/twins-report.ts';
import { type LabelledPair, readPairs, scorePairs } from '../../bench/twins-score.ts';
import { readText } from './repository-files.ts';

const { pairs, unreadable } = readPairs(readText(DEFAULT_FILE));
const ofLabel = (label: string) => pairs.filter((pair) => pair.label === label);
/** "twin-de-01" is not English, "twin-when-01" is. */
const isForeign = ({ id }: LabelledPair) => /^[a-z]+-[a-z]{2}-\d+$/.test(id);

const pair = (id: string, label: LabelledPair['label'], kind = 'number'): LabelledPair => ({
  id,
  a: `${id} left`,
  b: `${id} right`,
  label,
  kind,
});
const jsonLines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const reportOf = (text: string, judge: (a: { content: string }) => boolean, args: string[] = []) =>
  reportTwins({ args: ['set.jsonl', ...args], read: () => text, judge });

describe('the labelled pairs', () => {
  it('are readable, enough of each label, and not only English', () => {
    expect(unreadable).toEqual([]);
    for (const label of ['twin', 'duplicate']) {
      const rows = ofLabel(label);
      expect(rows.length).toBeGreaterThanOrEqual(220);
      expect(rows.filter(isForeign).length).toBeGreaterThanOrEqual(30);
      expect(new Set(rows.map(({ kind }) => kind)).size).toBeLessThanOrEqual(12);
    }
  });

  it('hold no pair twice, under either label', () => {
    const keys = pairs.map(({ a, b }) => JSON.stringify([a, b].sort()));
    expect(new Set(keys).size).toBe(keys.length);
    expect(pairs.filter(({ a, b }) => a === b)).toEqual([]);
  });

  it('are told apart without a judge: no twin is merged', () => {
    const score = scorePairs(pairs, isDuplicate);
    expect(score.wrong.filter(({ label }) => label === 'twin')).toEqual([]);
    expect(score.holds).toBe(true);
  });
});

describe('the score', () => {
  const tens = (label: LabelledPair['label']) =>
    Array.from({ length: 10 }, (_, index) => pair(`${label}-${index}`, label));

  it('fails for a single merged twin', () => {
    const rows = [...tens('twin'), ...tens('duplicate')];
    const score = scorePairs(rows, ({ content }) => /^duplicate|^twin-3/.test(content));
    expect(score).toMatchObject({ twins: { pairs: 10, merged: 1 }, duplicates: { found: 10, share: 1 } });
    expect(score.wrong).toEqual([{ id: 'twin-3', label: 'twin', kind: 'number' }]);
    expect(score.holds).toBe(false);
  });

  it('tells which duplicates were missed', () => {
    const score = scorePairs(tens('duplicate'), ({ content }) => !/-0 /.test(content));
    expect(score).toMatchObject({ duplicates: { pairs: 10, found: 9, share: 0.9 }, holds: true });
    expect(score.wrong).toEqual([{ id: 'duplicate-0', label: 'duplicate', kind: 'number' }]);
  });

  it('counts an answer that depends on the order as the wrong one', () => {
    const oneWay = ({ content }: { content: string }) => content.endsWith('left');
    expect(scorePairs([pair('t', 'twin')], oneWay).wrong).toHaveLength(1);
    expect(scorePairs([pair('d', 'duplicate')], oneWay).wrong).toHaveLength(1);
  });

  it('keeps the labels of one kind apart', () => {
    const rows = [pair('d', 'duplicate', 'order'), pair('t', 'twin', 'order')];
    expect(scorePairs(rows, () => true).kinds).toEqual([
      { label: 'twin', kind: 'order', pairs: 1, merged: 1, apart: 0 },
      { label: 'duplicate', kind: 'order', pairs: 1, merged: 1, apart: 0 },
    ]);
  });

  it('asks nothing of a label without pairs', () => {
    expect(scorePairs([pair('t', 'twin')], () => false)).toMatchObject({
      duplicates: { share: null },
      holds: true,
    });
    expect(scorePairs([pair('d', 'duplicate')], () => true).holds).toBe(true);
  });
});

describe('the report', () => {
  const rows = [pair('t-1', 'twin'), pair('d-1', 'duplicate', 'order')];
  const right = ({ content }: { content: string }) => content.startsWith('d-');

  it('exits with 0 when the set holds and with 1 when it does not', () => {
    expect(reportOf(jsonLines(rows), right).code).toBe(0);
    expect(reportOf(jsonLines(rows), () => true).code).toBe(1);
    expect(reportOf(jsonLines(rows), () => false).code).toBe(0);
  });

  it('prints a table by kind, and ids but never texts of wrong pairs when asked', () => {
    const plain = reportOf(jsonLines(rows), () => true);
    expect(plain.out).toContain('number             1       1       0');
    expect(plain.out).toContain('twins merged: 1 of 1 (may be 0)');
    expect(plain.out.join('\n')).not.toContain('t-1');
    const listed = reportOf(jsonLines(rows), () => true, ['--list']).out.join('\n');
    expect(listed).toContain('wrong: t-1 (twin, number)');
    expect(listed).not.toMatch(/d-1|left|right/);
  });

  it('does not round up to the promise', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => pair(`d-${index}`, 'duplicate'));
    const missed = (count: number) => (a: { content: string }) =>
      Number(a.content.replace(/\D/g, '')) >= count;
    expect(reportOf(jsonLines(many), missed(100)).out.join('\n')).toContain('900 of 1000 = 90.0 %');
    expect(reportOf(jsonLines(many.slice(0, 999)), missed(100)).out.join('\n')).toContain('= 89.9 %');
  });

  it('gives the figures as JSON', () => {
    const { out } = reportOf(jsonLines(rows), right, ['--json']);
    expect(JSON.parse(out.join('\n'))).toMatchObject({
      file: 'set.jsonl',
      twins: { pairs: 1, merged: 0 },
      duplicates: { pairs: 1, found: 1, share: 1 },
      holds: true,
    });
  });

  it('refuses what it cannot read, by line and with the shape it expects', () => {
    const good = jsonLines(rows);
    const bad = [
      'not json',
      '[1]',
      'null',
      JSON.stringify({ ...pair('x', 'twin'), label: 'same' }),
      JSON.stringify({ ...pair('x', 'twin'), b: 7 }),
      JSON.stringify({ ...pair('x', 'twin'), a: ' ' }),
      JSON.stringify({ ...pair('x', 'twin'), kind: undefined }),
      JSON.stringify(pair('t-1', 'twin')),
    ];
    const { code, out, errors } = reportOf(`${good}\n\n${bad.join('\r\n')}\n`, right);
    expect(code).toBe(2);
    expect(out).toEqual([]);
    expect(errors).toEqual([
      'set.jsonl:4: no JSON object',
      'set.jsonl:5: no JSON object',
      'set.jsonl:6: no JSON object',
      'set.jsonl:7: "label" is neither "twin" nor "duplicate"',
      'set.jsonl:8: "b" is no text',
      'set.jsonl:9: "a" is no text',
      'set.jsonl:10: "kind" is no text',
      'set.jsonl:11: its "id" stands on line 1 already',
      expect.stringMatching(/^expected on every line: \{"id"/),
    ]);
  });

  it.each(['', '\n\n', '\uFEFF'])('refuses a set without pairs: %j', (text) => {
    expect(reportOf(text, right)).toMatchObject({
      code: 2,
      errors: ['set.jsonl:1: no pair at all', expect.any(String)],
    });
  });

  it('shows the first of very many unreadable lines and counts the rest', () => {
    const { errors } = reportOf('x\n'.repeat(50), right);
    expect(errors).toHaveLength(22);
    expect(errors[20]).toBe('and 30 more');
  });

  it('refuses unknown options, two files, and a file that is not there', () => {
    const run = (...args: string[]) =>
      reportTwins({
        args,
        read: () => {
          throw new Error('gone');
        },
        judge: () => true,
      });
    expect(run('--all')).toMatchObject({ code: 2, errors: [expect.stringContaining('usage')] });
    expect(run('a', 'b')).toMatchObject({ code: 2, errors: [expect.stringContaining('usage')] });
    expect(run('a')).toMatchObject({ code: 2, errors: ['a: cannot be read', expect.any(String)] });
  });

  it('reads the byte order mark and numeric ids of other tools', () => {
    const text = `\uFEFF${JSON.stringify({ ...pair('1', 'twin'), id: 1, similarity: 0.99 })}`;
    expect(readPairs(text)).toMatchObject({ pairs: [{ id: '1' }], unreadable: [] });
  });
});
