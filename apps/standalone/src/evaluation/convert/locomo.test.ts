import { describe, expect, it } from 'vitest';
import { converted, linesOf } from '../../../../../test/fixtures/converted-samples.ts';

/** An invented conversation, with every slip that the published file has. */
const sample = () => ({
  sample_id: 'conv-1',
  conversation: {
    speaker_a: 'Ines',
    speaker_b: 'Tom',
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [
      { speaker: 'Ines', dia_id: 'D1:1', text: 'Hi Tom!' },
      {
        speaker: 'Tom',
        dia_id: 'D1:2',
        text: 'I bought a kayak.',
        blip_caption: 'a red kayak',
        img_url: ['x'],
      },
      { speaker: 'Ines', dia_id: 'D1:3', text: 'I moved to Braga last week.' },
    ],
    session_2_date_time: '12:05 am on 12 June, 2023',
    session_2: [
      { speaker: 'Tom', dia_id: 'D2:1', text: 'My kayak leaks.' },
      { speaker: 'Ines', dia_id: 'D2:2', text: 'Two cats live with me now.' },
    ],
    session_3_date_time: '1:00 pm on 1 July, 2023',
  },
  observation: {
    session_1_observation: {
      Tom: [['Tom bought a kayak.', 'D1:2']],
      Ines: [
        ['Ines moved to Braga.', ['D1:3']],
        ['Ines left her old town.', 'D1:1, D1:3'],
      ],
    },
    session_2_observation: { Tom: [['The kayak of Tom leaks.', 'D2:1']] },
  },
  qa: [
    { question: 'What did Tom buy?', answer: 'a kayak', evidence: ['D1:2'], category: 4 },
    { question: 'What is wrong with it?', answer: 'it leaks', evidence: ['D1:2; D2:1'], category: 1 },
    { question: 'When did Ines move?', answer: 2023, evidence: ['D:1:03', 'D'], category: 2 },
    { question: 'Would Tom like a lake?', answer: 'Likely yes', evidence: ['D1:2', 'D2:1'], category: 3 },
    { question: 'What did Ines buy?', adversarial_answer: 'a kayak', evidence: ['D1:2'], category: 5 },
    { question: 'How many cats?', answer: 2, evidence: ['D2:2'], category: 4 },
    { question: 'What did Tom buy?', answer: 'a kayak', evidence: ['D1:2'], category: 4 },
    { question: 'Which boat?', answer: 'x', evidence: ['D2:9'], category: 4 },
    { question: 'Which car?', answer: 'x', evidence: ['D'], category: 4 },
    { question: 'Which town?', answer: 'x', evidence: [], category: 3 },
    { question: 'Which name?', evidence: ['D1:2'], category: 4 },
  ],
});

describe('LoCoMo', () => {
  it('makes a memory of each observation, in the order in which it was said', async () => {
    const { summary, files } = await converted('locomo', [sample()]);
    expect([...files.keys()]).toEqual(['conv-1.jsonl']);
    const { users, memories, questions } = linesOf(files.get('conv-1.jsonl')!);
    expect(users).toEqual([{ kind: 'user', user: 'conv-1', timezone: 'UTC' }]);
    expect(memories.map(({ id, date, content }) => [id, date, content])).toEqual([
      ['session-1/observation-1', '2023-05-08T13:56:01.000Z', 'Tom bought a kayak.'],
      ['session-1/observation-2', '2023-05-08T13:56:02.000Z', 'Ines moved to Braga.'],
      ['session-1/observation-3', '2023-05-08T13:56:02.000Z', 'Ines left her old town.'],
      ['session-2/observation-1', '2023-06-12T00:05:00.000Z', 'The kayak of Tom leaks.'],
    ]);
    const [kayak, leak] = [['session-1/observation-1'], ['session-2/observation-1']];
    expect(questions.map(({ type, answers, evidence }) => [type, answers, evidence])).toEqual([
      ['single', ['a kayak'], [kayak]],
      ['multi', ['it leaks'], [kayak, leak]],
      ['temporal', ['2023'], [['session-1/observation-2', 'session-1/observation-3']]],
      ['multi', ['Likely yes'], [kayak, leak]],
      ['unanswerable', undefined, undefined],
    ]);
    expect(summary).toMatchObject({
      unit: 'observation',
      samples: 1,
      memories: 4,
      questions: { single: 1, multi: 2, temporal: 1, unanswerable: 1 },
      skipped: { not_observed: 1, repeated_question: 1, unknown_evidence: 2, no_evidence: 1, no_answer: 1 },
      problemCount: 0,
    });
    // What invites a mistake is not an answer.
    expect(files.get('conv-1.jsonl')).not.toContain('adversarial');
  });

  it('makes a memory of each turn where that is asked for, or where nothing was observed', async () => {
    const { files, summary } = await converted('locomo', [sample()], { unit: 'turn' });
    const { memories, questions } = linesOf(files.get('conv-1.jsonl')!);
    expect(memories.map(({ id, content }) => [id, content])).toEqual([
      ['D1:1', 'Ines: Hi Tom!'],
      ['D1:2', 'Tom: I bought a kayak. [photo: a red kayak]'],
      ['D1:3', 'Ines: I moved to Braga last week.'],
      ['D2:1', 'Tom: My kayak leaks.'],
      ['D2:2', 'Ines: Two cats live with me now.'],
    ]);
    expect(questions.find(({ question }) => question === 'How many cats?')).toMatchObject({
      answers: ['2'],
      evidence: [['D2:2']],
    });
    expect(summary.skipped).not.toHaveProperty('not_observed');
    const bare = await converted('locomo', [{ ...sample(), observation: {} }]);
    expect(bare.files).toEqual(files);
  });

  it('cuts a long turn into memories of which any is evidence', async () => {
    const long = sample();
    long.conversation.session_1[1]!.text = 'Tom said a lot. '.repeat(20);
    const { files } = await converted('locomo', [long], { unit: 'turn', maxContentChars: 120 });
    const { memories, questions } = linesOf(files.get('conv-1.jsonl')!);
    expect(memories.every(({ content }) => content.length <= 120)).toBe(true);
    expect(memories.filter(({ content }) => content.startsWith('Tom: Tom said a lot.'))).toHaveLength(3);
    expect(questions[0]!.evidence).toEqual([['D1:2', 'D1:2/2', 'D1:2/3', 'D1:2/4']]);
  });

  it.each([
    ['conversation', { conversation: undefined }, 'is missing'],
    ['conversation', { conversation: undefined, haystack_sessions: [] }, '--from longmemeval'],
    ['sample_id', { sample_id: 'a\nb' }, 'expected a name'],
    [
      'conversation.session_1_date_time',
      { conversation: { session_1: [{}], session_1_date_time: '8 May' } },
      'expected a date',
    ],
    ['conversation.session_1', { conversation: { session_1: 'x' } }, 'expected a list'],
    [
      'conversation.session_1[0].text',
      {
        conversation: {
          session_1: [{ text: ['x'] }],
          session_1_date_time: '13:00 pm on 8 May, 2023',
        },
      },
      'expected a date',
    ],
  ])('leaves out a sample with a wrong %s', async (field, change, message) => {
    const good = { ...sample(), sample_id: 'conv-2' };
    const { summary, files } = await converted('locomo', [{ ...sample(), ...change }, good]);
    expect([...files.keys()]).toEqual(['conv-2.jsonl']);
    expect(summary.problems).toEqual([
      { file: 'set.json', sample: 1, field: expect.any(String), message: expect.stringContaining(message) },
    ]);
    if (message !== 'expected a date') expect(summary.problems[0]!.field).toBe(field);
  });

  it('leaves out a question of a wrong shape alone', async () => {
    const qa = [...sample().qa, 'what?', { question: 'Why?', category: 9 }, { question: [], category: 5 }];
    const { summary } = await converted('locomo', [{ ...sample(), qa }]);
    expect(summary.samples).toBe(1);
    expect(summary.problems.map(({ field }) => field)).toEqual(['qa[11]', 'qa[12]', 'qa[13]']);
  });

  it('takes the first of two samples with one id', async () => {
    const { summary } = await converted('locomo', [sample(), sample()]);
    expect(summary).toMatchObject({ samples: 1, problemCount: 1, problems: [{ sample: 2, field: '' }] });
  });
});
