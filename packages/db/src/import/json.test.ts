import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINE_DEPTH, readJson } from './json.ts';
import { linesOfBytes, linesOfText } from './lines.ts';

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);

describe('readJson', () => {
  it('reads what the parser reads, and says of the rest that it is not valid', () => {
    const texts = fc.oneof(fc.json({ maxDepth: 5 }), fc.string({ unit: fc.constantFrom(...'[]{}"\\,:1a') }));
    fc.assert(
      fc.property(texts, (text) => {
        let expected: unknown;
        try {
          expected = { value: JSON.parse(text) };
        } catch {
          expected = { code: 'invalid_json', message: 'the line is not valid JSON' };
        }
        expect(readJson(text)).toEqual(expected);
      }),
    );
  });

  it('refuses what nests deeper than 64 levels, valid or not, and nothing that does not', () => {
    const deep = { code: 'too_deep', message: 'the line is nested more than 64 levels deep' };
    expect(readJson(nested(LINE_DEPTH))).toHaveProperty('value');
    for (const text of [
      nested(65),
      nested(65, '{"a":', '1}'),
      '['.repeat(65),
      `{"a":"]]","b":${nested(64)}}`,
    ])
      expect(readJson(text)).toEqual(deep);
    // Brackets within strings, behind every kind of escape, and beside each other do not count.
    const strings = JSON.stringify([`${'['.repeat(100)}"`, '\\', `\\"${'{'.repeat(100)}`]);
    expect(readJson(strings)).toEqual({ value: JSON.parse(strings) });
    expect(readJson(`[${Array(100).fill('[]').join(',')}]`)).toHaveProperty('value');
  });

  it('looks at no more of a line than it needs to refuse it', () => {
    // What the parser takes seconds and gigabytes for.
    expect(readJson('['.repeat(40_000_000))).toHaveProperty('code', 'too_deep');
  });
});

describe('lines of which some may be longer', () => {
  const limits = { lineBytes: 100, lines: 10, longer: { start: '{"kind":"document', lineBytes: 300 } };
  const long = (kind: string, length: number) => `{"kind":"${kind}"`.padEnd(length, '.');
  const text = [
    long('document', 300),
    long('memory', 101),
    long('document-version', 301),
    long('memory', 100),
  ].join('\n');
  const expected = [
    { line: 1, bytes: 300 },
    { line: 2, limit: '100', start: '{"kind":"memory"' },
    { line: 3, limit: '300', start: '{"kind":"document-version"' },
    { line: 4, bytes: 100 },
  ];

  it.each([1, 7, 64, 1_000])('are told apart by how they begin, in pieces of %i bytes', async (size) => {
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const read = [];
    for await (const line of linesOfBytes(pieces, limits)) read.push(line);
    expect(read).toEqual([...linesOfText(text, limits)]);
    for (const [i, line] of read.entries()) {
      const { line: number, bytes: length, limit, start } = expected[i]!;
      expect(line.line).toBe(number);
      if ('text' in line) expect(line.text.length).toBe(length);
      else {
        expect(line.problem).toMatchObject({ code: 'line_too_long' });
        expect(line.problem.message).toContain(`the limit is ${limit}`);
        expect(line.start).toContain(start!);
      }
    }
  });
});
