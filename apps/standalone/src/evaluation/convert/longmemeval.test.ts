import { describe, expect, it } from 'vitest';
import { converted, linesOf } from '../../../../../test/fixtures/converted-samples.ts';

const said = (role: string, content: unknown, has_answer?: boolean) => ({ role, content, has_answer });

/** An invented history: the sessions are out of order, and one begins with the assistant. */
const sample = (more: object = {}) => ({
  question_id: 'q_1',
  question_type: 'multi-session',
  question: 'How many plants do I have?',
  answer: 5,
  question_date: '2023/05/30 (Tue) 02:21',
  haystack_session_ids: ['b', 'a', 'c'],
  haystack_dates: ['2023/05/21 (Sun) 10:00', '2023/05/20 (Sat) 02:21', '2023/05/22 (Mon) 11:00'],
  haystack_sessions: [
    [said('user', 'I bought two ferns.', true), said('assistant', 'Ferns like shade.', false)],
    [said('user', 'I have three cacti.', true), said('assistant', 'Good.'), said('user', 'Thanks!', false)],
    [said('assistant', 'Welcome back.'), said('user', 'Hello.')],
  ],
  answer_session_ids: ['a', 'b'],
  ...more,
});

describe('LongMemEval', () => {
  it('makes a memory of each turn of the user, in the order in which it was said', async () => {
    const { summary, files } = await converted('longmemeval', [sample()]);
    const { memories, questions } = linesOf(files.get('q_1.jsonl')!);
    expect(memories.map(({ id, date, content, source }) => [id, date, content, source])).toEqual([
      ['session-2/turn-1', '2023-05-20T02:21:00.000Z', 'I have three cacti.', 'user'],
      ['session-2/turn-3', '2023-05-20T02:21:02.000Z', 'Thanks!', 'user'],
      ['session-1/turn-1', '2023-05-21T10:00:00.000Z', 'I bought two ferns.', 'user'],
      ['session-3/turn-2', '2023-05-22T11:00:01.000Z', 'Hello.', 'user'],
    ]);
    expect(questions).toEqual([
      {
        kind: 'question',
        user: 'q_1',
        type: 'multi',
        question: 'How many plants do I have?',
        answers: ['5'],
        evidence: [['session-1/turn-1'], ['session-2/turn-1']],
      },
    ]);
    expect(summary).toMatchObject({ unit: 'turn', samples: 1, memories: 4, problemCount: 0, skipped: {} });
  });

  it('makes a memory of each round where that is asked for', async () => {
    const { files } = await converted('longmemeval', [sample()], { unit: 'round' });
    const { memories, questions } = linesOf(files.get('q_1.jsonl')!);
    expect(memories.map(({ id, content }) => [id, content])).toEqual([
      ['session-2/round-1', 'User: I have three cacti.\n\nAssistant: Good.'],
      ['session-2/round-3', 'User: Thanks!'],
      ['session-1/round-1', 'User: I bought two ferns.\n\nAssistant: Ferns like shade.'],
      ['session-3/round-1', 'Assistant: Welcome back.'],
      ['session-3/round-2', 'User: Hello.'],
    ]);
    expect(questions[0]!.evidence).toEqual([['session-1/round-1'], ['session-2/round-1']]);
  });

  it.each([
    ['q_1', 'single-session-user', 'single'],
    ['q_1', 'single-session-preference', 'single'],
    ['q_1', 'temporal-reasoning', 'temporal'],
    ['q_1', 'knowledge-update', 'multi'],
    ['q_1_abs', 'knowledge-update', 'unanswerable'],
  ])('asks %s of the type %s as %s', async (question_id, question_type, type) => {
    const { summary } = await converted('longmemeval', [sample({ question_id, question_type })]);
    expect(summary.questions).toEqual({ [type]: 1 });
  });

  it('needs rounds for what the assistant said', async () => {
    const session = [said('user', 'Name a tree.'), said('assistant', 'The oak.', true)];
    const one = sample({
      question_type: 'single-session-assistant',
      haystack_sessions: [session],
      haystack_dates: ['2023/05/20 (Sat) 02:21'],
    });
    const turns = await converted('longmemeval', [one]);
    expect(turns.summary).toMatchObject({ samples: 0, skipped: { said_by_assistant: 1, no_questions: 1 } });
    const rounds = await converted('longmemeval', [one], { unit: 'round' });
    expect(rounds.summary).toMatchObject({ samples: 1, questions: { single: 1 } });
  });

  it.each([
    ['haystack_sessions', { haystack_sessions: undefined }, 'is missing'],
    ['haystack_sessions', { haystack_sessions: undefined, conversation: {} }, 'is missing'],
    ['haystack_dates[2]', { haystack_dates: ['2023/05/21', '2023/05/20'] }, 'expected a date'],
    ['haystack_dates[0]', { haystack_dates: ['2023/02/30 (Thu) 10:00'] }, 'expected a date'],
    ['haystack_sessions[0]', { haystack_sessions: ['x'] }, 'expected a list of turns'],
    ['haystack_sessions[0][0]', { haystack_sessions: [[said('system', 'x')]] }, 'expected a turn'],
    ['haystack_sessions[0][0].content', { haystack_sessions: [[said('user', {})]] }, 'expected a text'],
    ['question_type', { question_type: 'other' }, 'expected one of single-session-user'],
    ['question_type', { question_type: 'constructor' }, 'expected one of'],
    ['question_type', { question_type: { toString: null } }, 'expected one of'],
    ['question', { question: ' ' }, 'has no text'],
  ])('says that %s is wrong', async (field, change, message) => {
    const { summary } = await converted('longmemeval', [sample(change)]);
    expect(summary.samples).toBe(0);
    expect(summary.problems).toEqual([
      { file: 'set.json', sample: 1, field, message: expect.stringContaining(message) },
    ]);
  });

  it.each([
    ['no_answer', { answer: null }],
    ['no_evidence', { haystack_sessions: [[said('user', 'Hi.')]], haystack_dates: ['2023/05/20 02:21'] }],
  ])('leaves out a question for %s', async (reason, change) => {
    const { summary } = await converted('longmemeval', [sample(change)]);
    expect(summary).toMatchObject({ samples: 0, problemCount: 0, skipped: { [reason]: 1 } });
  });
});
