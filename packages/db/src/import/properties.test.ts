import { CATEGORIES, ORIGINS, VISIBILITIES } from '@slowwave/fusion';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { type ImportedLine, type ImportOptions, parseImport } from './parse.ts';
import { PROBLEM_CODES } from './problems.ts';
import { IMPORT_MEMORY_TYPES, IMPORT_RELATION_TYPES, lineOf, type MemoryRecord } from './record.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const defaults = { user: 'someone', date: NOW, category: 'fact' } as const;

async function read(
  input: string | Iterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedLine[]> {
  const lines: ImportedLine[] = [];
  for await (const line of parseImport(input, { defaults, now: NOW, ...options })) lines.push(line);
  return lines;
}

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() !== '' && !/[\p{Cc}\p{Surrogate}\u2028\u2029]|^\.\.?$/u.test(text));
const content = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  .filter((text) => text.trim() !== '' && !text.includes('\u0000') && !/\p{Surrogate}/u.test(text));
const score = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => (value === 0 ? 0 : value));
const instant = fc.integer({
  min: Date.parse('0001-01-01T00:00:00Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
});
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
/** JSON as a file can hold it (it has no -0), without what is refused: NUL, half surrogates, numbers that were rounded. */
const storable = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
  .map((value) => JSON.stringify(value))
  .filter((text) => !/\\u0000|\\ud[89a-f]|\d{16}|e\+|\p{Surrogate}/iu.test(text))
  .map((text): unknown => JSON.parse(text));

const memory: fc.Arbitrary<MemoryRecord> = fc
  .record({
    kind: fc.constant('memory' as const),
    tenant: name,
    user: name,
    externalId: name,
    content,
    category: fc.constantFrom(...CATEGORIES),
    memoryType: fc.constantFrom(...IMPORT_MEMORY_TYPES),
    importance: fc.integer({ min: 1, max: 10 }),
    confidence: score,
    trust: score,
    source: fc.constantFrom(...ORIGINS),
    session: optional(name),
    visibility: fc.constantFrom(...VISIBILITIES),
    date: fc.integer({ min: Date.UTC(1971), max: NOW }),
    eventDate: optional(instant),
    validFrom: optional(instant),
    validTo: optional(instant),
    expiresAt: optional(instant),
    relations: fc.uniqueArray(
      fc.record({ type: fc.constantFrom(...IMPORT_RELATION_TYPES), target: name, confidence: score }),
      { maxLength: 5, selector: (relation) => `${relation.type} ${relation.target}` },
    ),
    metadata: fc.dictionary(name, storable, { maxKeys: 4, noNullPrototype: true }),
  })
  .filter(({ validFrom, validTo }) => validFrom === null || validTo === null || validFrom <= validTo)
  .filter(({ relations, externalId }) => relations.every(({ target }) => target !== externalId));

/** Lines of every sort: good ones, good ones with one field spoilt, other JSON, and noise. */
const anyLine: fc.Arbitrary<string> = fc.oneof(
  memory.map(lineOf),
  fc
    .tuple(
      memory,
      fc.constantFrom('content', 'category', 'date', 'relations', 'metadata', 'id'),
      fc.jsonValue(),
    )
    .map(([record, field, value]) => JSON.stringify({ ...JSON.parse(lineOf(record)), [field]: value })),
  fc.json(),
  fc.string({ unit: CODE_POINT }),
  fc.constantFrom(
    '',
    ' ',
    '\r',
    '{',
    '{}',
    '[]',
    '{"kind":"user"}',
    '{"kind":"user","user":"u","timezone":"X/Y"}',
  ),
);
const anyFile = fc.array(anyLine, { maxLength: 12 }).map((lines) => lines.join('\n'));

const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
};

/** Numbers of the lines that may say something, counted in another way than the parser counts. */
const writtenLines = (text: string, format: string): number[] =>
  text
    .split('\n')
    .flatMap((line, index) => ((format === 'text' ? /[\p{L}\p{N}]/u : /\S/).test(line) ? [index + 1] : []));

test('a valid record is the same after a round trip', async () => {
  await fc.assert(
    fc.asyncProperty(memory, async (record) => {
      const lines = await read(lineOf(record));
      expect(lines).toEqual([{ ok: true, line: 1, record, duplicateOf: null, unknown: [] }]);
    }),
  );
});

test('bytes of any kind never throw, and each reason has a known code', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        anyFile.map((text) => new TextEncoder().encode(text)),
      ),
      fc.constantFrom('auto', 'jsonl', 'text'),
      async (bytes, format) => {
        for (const line of await read([bytes], { format })) {
          if (line.ok) continue;
          expect(PROBLEM_CODES).toContain(line.reason.code);
          expect(line.reason.problems.length).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('every written line is accounted for once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, fc.constantFrom('jsonl', 'text'), async (text, format) => {
      const lines = await read(text, { format });
      expect(lines.map((line) => line.line)).toEqual(writtenLines(text, format));
    }),
    { numRuns: 300 },
  );
});

test('where a stream is cut into chunks does not matter, and neither does the memory it reuses', async () => {
  const places = fc.array(fc.nat(), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(anyFile, places, async (text, cuts) => {
      const bytes = new TextEncoder().encode(text);
      function* reused(): Generator<Uint8Array> {
        const memory = new Uint8Array(bytes.length);
        for (const chunk of cut(bytes, cuts)) {
          memory.fill(0x0a);
          memory.set(chunk);
          yield memory.subarray(0, chunk.length);
        }
      }
      const whole = await read([bytes]);
      expect(await read(reused())).toEqual(whole);
      expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
    }),
  );
});

test('a text and its bytes are read alike', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyFile.filter((text) => !/\p{Surrogate}/u.test(text)),
      async (text) => {
        expect(await read([new TextEncoder().encode(text)])).toEqual(await read(text));
      },
    ),
  );
});
