import { expect, it } from 'vitest';
import { scoreDigest } from './digest.ts';
import type { EvaluatedText, EvaluationQuestion } from './questions.ts';

const note = (id: string, content: string): EvaluatedText => ({
  content,
  days: ['2026-03-01'],
  standsFor: [{ id, text: content }],
});
const asked = (answer: string, evidence: string): EvaluationQuestion => ({
  question: '?',
  answers: [answer],
  evidence: [[evidence]],
  outdated: [],
  type: 'single',
});

it('an answer is held by one line that comes from its evidence', () => {
  const texts = [note('a', 'Ana sails in Porto.'), note('b', 'Ben keeps seven bees in Leeds.')];
  const questions = [asked('Porto', 'a'), asked('seven bees', 'b'), asked('Leeds', 'a')];
  expect(scoreDigest(texts, questions, 1_000)).toEqual({ lines: 2 / 3, words: 1 });
  expect(scoreDigest(texts, questions, 20)).toEqual({ lines: 1 / 3, words: 1 / 3 });
});

it('a list of words is no line, and what nothing answers is not asked', () => {
  const list = note('a', 'porto '.repeat(50));
  const unanswerable: EvaluationQuestion = {
    ...asked('x', 'a'),
    answers: [],
    evidence: [],
    type: 'unanswerable',
  };
  expect(scoreDigest([list], [asked('Porto', 'a'), unanswerable], 1_000)).toEqual({ lines: 0, words: 0 });
  expect(scoreDigest([], [], 1_000)).toEqual({ lines: 0, words: 0 });
});

it('a long text is read sentence by sentence', () => {
  const long = note('a', `Ana sails in Porto. ${'She talks about the sea and the wind. '.repeat(9)}`);
  expect(scoreDigest([long], [asked('Porto', 'a')], 1_000).lines).toBe(1);
});
