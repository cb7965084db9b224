import { describe, expect, it } from 'vitest';
import type { EvaluatedText, EvaluationQuestion } from './questions.ts';
import { figuresOf, scoreQuestion } from './score.ts';

const note = (id: string, content: string, day = '2026-03-01'): EvaluatedText => ({
  content,
  days: [day],
  standsFor: [{ id, text: content }],
});
const question = (more: Partial<EvaluationQuestion> = {}): EvaluationQuestion => ({
  question: 'Where does Ana sail?',
  answers: ['in Porto'],
  evidence: [['a']],
  outdated: [],
  type: 'single',
  ...more,
});
const OTHERS = Array.from({ length: 12 }, (_, at) => note(`other${at}`, `Ben likes soup number ${at}`));

describe('scoreQuestion', () => {
  it('counts evidence by place and by budget', () => {
    const score = scoreQuestion(question(), [...OTHERS.slice(0, 5), note('a', 'Ana sails in Porto')]);
    expect(score).toMatchObject({ recall5: 0, recall10: 1, all10: 1, reciprocalRank: 1 / 6 });
    expect(score.recallWithin).toEqual({ 500: 1, 1500: 1, 4000: 1 });
    const long = note('b', 'word '.repeat(290));
    const late = scoreQuestion(question(), [long, note('a', `Ana sails in Porto ${'or not '.repeat(20)}`)]);
    expect(late.recallWithin).toEqual({ 500: 1, 1500: 0, 4000: 1 });
  });

  it('needs every part of the evidence, and of each any alternative', () => {
    const asked = question({ type: 'multi', evidence: [['a', 'b'], ['c']] });
    expect(scoreQuestion(asked, [note('b', 'one')])).toMatchObject({ recall10: 0.5, all10: 0 });
    expect(scoreQuestion(asked, [note('b', 'one'), note('c', 'two')])).toMatchObject({
      recall10: 1,
      all10: 1,
    });
  });

  it('lets a derived memory stand for a source only with the words of the answer that the source had', () => {
    const source = { id: 'a', text: 'Ana sails in Porto on Sundays' };
    const derived = (content: string): EvaluatedText => ({ content, days: [], standsFor: [source] });
    const kept = scoreQuestion(question(), [derived('Ana sails near Porto')]);
    expect(kept).toMatchObject({ recall10: 1, plainRecall10: 1 });
    const lost = scoreQuestion(question(), [derived('Ana goes sailing')]);
    expect(lost).toMatchObject({ recall10: 0, plainRecall10: 1 });
  });

  it('finds words of the answer in all texts together, and in the days on which they were said', () => {
    const asked = question({ answers: ['on 3 May 2026 in Porto'], type: 'temporal' });
    const score = scoreQuestion(asked, [note('a', 'Ana sailed', '2026-05-03'), note('b', 'in Porto')]);
    expect(score.answerWithin[1_500]).toBe(1);
    // The year is that of the day on which it was said.
    expect(scoreQuestion(asked, [note('b', 'in Porto')]).answerWithin[1_500]).toBe(1 / 2);
    expect(
      scoreQuestion({ ...asked, answers: ['never', '2026-05-03'] }, [note('a', '', '2026-05-03')])
        .answerWithin[500],
    ).toBe(1);
  });

  it('says of updates whether an outdated value stands above the current one', () => {
    const asked = question({ type: 'update', answers: ['5 mg'], outdated: ['2 mg'] });
    const [old, current, both] = [
      note('o', 'takes 2 mg'),
      note('c', 'takes 5 mg'),
      note('b', '5 mg, no longer 2 mg'),
    ];
    expect(scoreQuestion(asked, [old, current]).outdatedAbove).toBe(true);
    expect(scoreQuestion(asked, [current, old]).outdatedAbove).toBe(false);
    expect(scoreQuestion(asked, [both, old]).outdatedAbove).toBe(false);
    expect(scoreQuestion(asked, [old]).outdatedAbove).toBe(true);
    expect(scoreQuestion(asked, OTHERS).outdatedAbove).toBe(false);
  });

  it('says of what nothing answers whether a text would pass for an answer', () => {
    const asked = question({
      type: 'unanswerable',
      question: "What is the name of Ben's boat?",
      answers: [],
      evidence: [],
    });
    expect(scoreQuestion(asked, OTHERS)).toMatchObject({ rejected: true, recall10: null });
    expect(scoreQuestion(asked, [note('x', 'Ben forgot the name of a boat')]).rejected).toBe(false);
  });

  it('reads scripts without spaces by pairs of signs', () => {
    const asked = question({ answers: ['福岡市'] });
    expect(scoreQuestion(asked, [note('a', '彼は福岡市に住む')]).answerWithin[500]).toBe(1);
    expect(scoreQuestion(asked, [note('a', '彼は東京に住む')]).answerWithin[500]).toBe(0);
  });
});

describe('figuresOf', () => {
  it('is the mean over the questions that a figure is of', () => {
    const found = scoreQuestion(question(), [note('a', 'Ana sails in Porto')]);
    const missed = scoreQuestion(question(), OTHERS);
    const none = scoreQuestion(question({ type: 'unanswerable', answers: [], evidence: [] }), OTHERS);
    const figures = figuresOf([found, missed, none]);
    expect(figures).toMatchObject({ recall10: 0.5, all10: 0.5, outdatedAbove: null, rejected: 1 });
    expect(figures.byType.single).toMatchObject({ questions: 2, recall10: 0.5 });
    expect(figures.byType.update.recall10).toBeNull();
    expect(figuresOf([]).recall10).toBeNull();
  });
});
