import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QUESTION_TYPES } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { type EvaluationSet, readEvaluationSet } from '../../apps/standalone/src/evaluation/read.ts';

const DATA = new URL('../../bench/memory/data/', import.meta.url);
const FILES = ['look', 'held-out'].flatMap((half) =>
  readdirSync(new URL(`${half}/`, DATA)).map((name) => [half, name] as const),
);

const having = (set: EvaluationSet, field: string): number =>
  set.memories.filter(({ metadata }) => field in metadata).length;

// Of the half that is held out nothing is shown but whether it has the form of the other.
describe.each(FILES)('the evaluation set %s/%s', (half, name) => {
  const read = () => readEvaluationSet([fileURLToPath(new URL(`${half}/${name}`, DATA))], 32_768);

  it('has notes of many months, of which a third says something again and a tenth something new of the same', async () => {
    const set = await read();
    const count = set.memories.length;
    expect(count).toBeGreaterThanOrEqual(300);
    expect(having(set, 'restates') / count).toBeGreaterThan(0.28);
    expect(having(set, 'updates') / count).toBeGreaterThan(0.08);
    expect(having(set, 'contradicts')).toBeGreaterThanOrEqual(5);
    expect(having(set, 'resembles')).toBeGreaterThanOrEqual(10);
    expect(having(set, 'planted')).toBeGreaterThanOrEqual(20);
    const dates = set.memories.map(({ date }) => date);
    expect((Math.max(...dates) - Math.min(...dates)) / 86_400_000).toBeGreaterThan(180);
    expect(new Set(set.memories.map(({ content }) => content)).size).toBe(count);
  });

  it('has at least fifteen questions of each type', async () => {
    const { questions } = await read();
    for (const type of QUESTION_TYPES)
      expect(questions.filter((question) => question.type === type).length).toBeGreaterThanOrEqual(15);
  });
});
