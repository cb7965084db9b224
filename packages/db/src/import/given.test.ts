import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GivenMemory, readGiven } from './given.ts';
import { parseImport } from './parse.ts';

const AT = Date.UTC(2026, 5, 15);
const RULES = { tenant: 't', user: 'ana', at: AT, maxContentChars: 200 };
const read = (...given: GivenMemory[]) => readGiven(given, RULES);

describe('memories that a caller gives', () => {
  it('get the defaults of a line of an import', () => {
    expect(read({ content: 'Ana skis.' })).toMatchObject([
      {
        ok: true,
        sameAs: null,
        record: { tenant: 't', user: 'ana', category: 'fact', importance: 5, date: AT, source: 'import' },
      },
    ]);
  });

  it('are told of under the names that they were given under', () => {
    const told = (given: GivenMemory) => {
      const [item] = read(given);
      return item?.ok === false ? item.reason.problems.map(({ field, message }) => [field, message]) : [];
    };
    expect(told({ content: 'x', documentDate: AT + 2 * 86_400_000 })).toEqual([
      ['documentDate', 'documentDate lies more than a day in the future; it says when the memory was said'],
    ]);
    expect(told({ content: 'x', documentDate: AT / 1_000 })).toEqual([
      [
        'documentDate',
        'documentDate lies before 1971; it says when the memory was said, in epoch milliseconds and not in seconds',
      ],
    ]);
    expect(told({ content: 'x', externalId: 'a\u0007', eventDate: 1.5 })).toEqual([
      ['externalId', 'externalId holds a control character or a line break'],
      [
        'eventDate',
        'eventDate must be an instant in epoch milliseconds, a whole number in the years 1 to 9999',
      ],
    ]);
  });

  it('readGiven: the user . or .., of the request or of one memory, is refused', () => {
    const problems = [
      readGiven([{ content: 'x' }], { ...RULES, user: '..' }),
      readGiven([{ content: 'x' }], { ...RULES, tenant: '.' }),
      read({ content: 'x', user: '.' }),
      read({ content: 'x', externalId: '..' }),
    ].map(([item]) => (item?.ok === false ? [item.reason.code, item.reason.field] : item));
    expect(problems).toEqual([
      ['not_allowed', 'user'],
      ['not_allowed', 'tenant'],
      ['not_allowed', 'user'],
      ['not_allowed', 'externalId'],
    ]);
  });

  it('are the records that the same words on a line of an import make', async () => {
    const date = fc.integer({ min: Date.UTC(1), max: AT });
    const said = fc.integer({ min: Date.UTC(1971), max: AT });
    // As JSON has it, which knows no negative zero.
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const given = fc.record({
      externalId: fc.option(fc.string({ minLength: 1, maxLength: 20 })),
      content: fc.string({ maxLength: 210, unit: 'grapheme' }),
      importance: fc.option(fc.integer({ min: -1, max: 12 })),
      documentDate: fc.option(said),
      eventDate: fc.option(date),
      validFrom: fc.option(date),
      validTo: fc.option(date),
      metadata: fc.option(fc.dictionary(fc.string({ maxLength: 5 }), json)),
    });
    const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
    await fc.assert(
      fc.asyncProperty(given, async (memory) => {
        const { externalId, documentDate, eventDate, validFrom, validTo, ...rest } = memory;
        const line = {
          ...rest,
          id: externalId,
          date: isoOf(documentDate),
          eventDate: isoOf(eventDate),
          validFrom: isoOf(validFrom),
          validTo: isoOf(validTo),
        };
        const [item] = read(memory);
        const lines = parseImport(JSON.stringify(line), {
          format: 'jsonl',
          defaults: { tenant: 't', user: 'ana', date: AT, category: 'fact' },
          now: AT,
          limits: { contentChars: 200 },
        });
        for await (const parsed of lines) {
          expect(item?.ok).toBe(parsed.ok);
          if (parsed.ok && item?.ok) expect(item.record).toEqual(parsed.record);
          if (!parsed.ok && item?.ok === false) expect(item.reason.code).toBe(parsed.reason.code);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('say which earlier one they repeat', () => {
    const items = read(
      { content: 'x' },
      { content: 'x' },
      { content: 'y', externalId: 'a' },
      { content: 'z', externalId: 'a' },
    );
    expect(items.map((item) => (item.ok ? item.sameAs : item.reason.code))).toEqual([
      null,
      0,
      null,
      'id_reused',
    ]);
  });
});
