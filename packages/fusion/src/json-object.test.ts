import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../test/fixtures/code-point.ts';
import { findJsonObject } from './json-object.ts';

const KEYS = ['insights', 'summary'];
const find = (text: string) => findJsonObject(text, KEYS);

describe('findJsonObject', () => {
  it('finds it whatever strings it holds and whatever stands around it', () => {
    const around = fc.constantFrom(
      '',
      'Here:\n',
      '```json\n',
      '\n```\nDone.',
      '{an example} ',
      ' {"other": 1} ',
      '} ',
    );
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT }),
      fc.constantFrom('```', '{"', '}', '\\"', '"insights": ['),
    );
    fc.assert(
      fc.property(around, around, fc.array(text), text, (before, after, contents, summary) => {
        const value = { summary, insights: contents.map((content) => ({ content })) };
        expect(find(`${before}${JSON.stringify(value)}${after}`)).toEqual({ ok: true, value });
      }),
    );
  });

  it('takes no object inside of one that does not end for the answer', () => {
    const whole = JSON.stringify({ summary: 's', insights: [{ category: 'pattern', content: 'x' }] });
    expect(find(whole.slice(0, -2))).toEqual({ ok: false, problem: 'not_json' });
    expect(find('{'.repeat(100_000))).toEqual({ ok: false, problem: 'not_json' });
    expect(find('[1]')).toEqual({ ok: false, problem: 'not_json' });
  });

  it.each([
    ['prose with braces before it', 'Looking at {the notes}, {numbered from 1}: {"summary":"s"}'],
    ['prose with braces behind it', '{"summary":"s"}\nNote: I used {sources} as asked.'],
    ['prose with an open brace before it', 'I use { as a mark. {"summary":"s"}'],
    ['another object before it', '{"other":1} {"summary":"s"}'],
    ['itself once more', '{"summary":"s"}\n{ "summary": "s" }'],
  ])('%s: finds the object that has a key', (_name, text) => {
    expect(find(text)).toEqual({ ok: true, value: { summary: 's' } });
  });

  it('two objects with a key that differ: says ambiguous', () => {
    expect(find('{"summary":"a"} or rather {"summary":"b"}')).toEqual({ ok: false, problem: 'ambiguous' });
  });

  it('no object with a key: takes the one at the first brace', () => {
    expect(find('So: {"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('a text that is empty, too long: says so', () => {
    expect(find(' \n')).toEqual({ ok: false, problem: 'empty' });
    expect(find(`{"summary":"${'x'.repeat(600_000)}"}`)).toEqual({ ok: false, problem: 'too_long' });
  });
});
