import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CODE_POINT } from '../../../../../test/fixtures/code-point.ts';
import { converted } from '../../../../../test/fixtures/converted-samples.ts';
import { runsInScope } from '../../../../../test/scope.ts';
import { readEvaluationSet } from '../read.ts';
import { FORMATS } from './convert.ts';
import { CONVERT_FORMATS, type ConvertFormat } from './sample.ts';

const MAX_CONTENT_CHARS = 100;

/** Mostly what is expected, now and then anything. */
const mostly = <Value>(value: fc.Arbitrary<Value>, weight = 20): fc.Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });
const text = fc.oneof(
  fc.lorem({ maxCount: 6, mode: 'sentences' }),
  fc.string({ unit: CODE_POINT }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '__proto__'),
  fc.integer(),
);
const name = fc.oneof(fc.constantFrom('conv-1', 'con', 'a/b', '../x', '.'), fc.string({ minLength: 1 }));
const list = (value: fc.Arbitrary<unknown>) => mostly(fc.array(value, { maxLength: 4 }), 60);

const turnId = fc
  .tuple(fc.constantFrom('D', 'D:', 'd'), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 4 }))
  .map(([start, session, turn]) => `${start}${session}:${turn}`);
const evidence = fc.oneof(
  turnId,
  fc.tuple(turnId, turnId).map((ids) => ids.join('; ')),
  fc.constant('D'),
);
const spokenDate = mostly(
  fc.constantFrom('1:56 pm on 8 May, 2023', '12:00 am on 31 December, 2023', '9:09 am on 1 Jun 2023'),
  60,
);
const turns = list(
  mostly(
    fc.record({ speaker: text, dia_id: mostly(turnId), text, blip_caption: text }, { requiredKeys: [] }),
    80,
  ),
);
const observations = mostly(
  fc.dictionary(text.map(String), list(mostly(fc.tuple(text, fc.oneof(evidence, list(evidence))), 80))),
  60,
);
const locomo = fc.record(
  {
    sample_id: name,
    conversation: mostly(
      fc.record(
        {
          session_1: turns,
          session_1_date_time: spokenDate,
          session_2: turns,
          session_2_date_time: spokenDate,
          session_3_date_time: spokenDate,
        },
        { requiredKeys: ['session_1_date_time', 'session_2_date_time'] },
      ),
    ),
    observation: mostly(fc.record({ session_1_observation: observations }, { requiredKeys: [] })),
    qa: list(
      mostly(
        fc.record(
          {
            question: text,
            answer: text,
            evidence: list(evidence),
            category: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant('2')),
          },
          { requiredKeys: ['question', 'category'] },
        ),
      ),
    ),
  },
  { requiredKeys: ['conversation'] },
);

const messages = list(
  mostly(
    fc.record({ role: fc.constantFrom('user', 'assistant'), content: text, has_answer: fc.boolean() }),
    80,
  ),
);
const writtenDate = mostly(
  fc.constantFrom('2023/05/20 (Sat) 02:21', '2023/05/21 (Sun) 23:59', '2024/2/29'),
  60,
);
const longmemeval = fc.record(
  {
    question_id: fc.tuple(name, fc.constantFrom('', '_abs')).map((parts) => parts.join('')),
    question_type: mostly(fc.constantFrom('single-session-user', 'multi-session', 'knowledge-update')),
    question: mostly(text),
    answer: mostly(text),
    haystack_dates: fc.tuple(writtenDate, writtenDate, writtenDate, writtenDate),
    haystack_sessions: list(messages),
  },
  { requiredKeys: ['question', 'question_type', 'haystack_dates', 'haystack_sessions'] },
);
const samples: Record<ConvertFormat, fc.Arbitrary<unknown>> = { locomo, longmemeval };

it.each(CONVERT_FORMATS.flatMap((format) => FORMATS[format].units.map((unit) => [format, unit] as const)))(
  'whatever a file of %s holds, each set of %ss that is written can be read',
  async (format, unit) => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(mostly(samples[format]), { minLength: 1, maxLength: 4 }), async (given) => {
        // Entries that are no objects end the file; the reader of samples is tested by itself.
        const objects = given.filter(
          (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
        );
        let read = {};
        const { summary } = await converted(format, objects, {
          unit,
          maxContentChars: MAX_CONTENT_CHARS,
          check: async (files) => {
            let memories = 0;
            for (const file of files) {
              const set = await readEvaluationSet([file], MAX_CONTENT_CHARS);
              expect(set.questions.length).toBeGreaterThan(0);
              memories += set.memories.length;
            }
            read = { samples: files.length, memories };
          },
        });
        expect(read).toEqual({ samples: summary.samples, memories: summary.memories });
        written += summary.samples;
      }),
      { numRuns: runsInScope({ change: 40, rest: 150 }) },
    );
    // The property is empty where nothing is ever written.
    expect(written).toBeGreaterThan(0);
  },
  60_000,
);
