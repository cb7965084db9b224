import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, tableLines, widthOf } from './table.ts';
import { barOf } from './terminal.ts';

describe('widths on a terminal', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['한글', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🐕', 2],
    ['ｆｕｌｌ', 8],
    ['a\u200bb', 2],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('cuts between characters, and says that something is left out', () => {
    expect(cutTo('日本語', 6)).toBe('日本語');
    expect(cutTo('日本語', 5)).toBe('日本…');
    expect(cutTo('日本語', 4)).toBe('日…');
    expect(cutTo('family 👩‍👩‍👧!', 9)).toBe('family …');
  });

  it('never takes more room than there is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (text, columns) => {
          expect(widthOf(cutTo(text, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('tables', () => {
  const rows = [
    ['01890000-0000-7000-8000-0000000000aa', 'ana', 'done'],
    ['2', '日本語の人', 'failed for want of a model'],
  ];

  it('stand in columns, however wide their characters are', () => {
    expect(
      tableLines(
        ['ID', 'USER', 'STATUS'],
        [
          ['1', '日本', 'x'],
          ['22', 'b', ''],
        ],
        null,
      ),
    ).toEqual(['ID  USER  STATUS', '1   日本  x', '22  b']);
  });

  it('fit the terminal: the widest columns give way; elsewhere nothing is cut', () => {
    const lines = tableLines(['ID', 'USER', 'STATUS'], rows, 50);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(50);
    expect(lines[2]).toContain('日本語の人');
    expect(tableLines(['ID', 'USER', 'STATUS'], rows, null).join('\n')).toContain(rows[0]![0]);
  });

  it('have one line for a row, whatever stands in it', () => {
    expect(tableLines(['A', 'B'], [['one\n  two', 'x']], null)).toEqual(['A        B', 'one two  x']);
  });

  it('keep something of every column on the narrowest terminal', () => {
    const [, first] = tableLines(['ID', 'USER', 'STATUS'], rows, 10);
    expect(first).toMatch(/^0189000…/);
  });
});

describe('a bar', () => {
  it.each([
    [0, '[------------------------]   0 %'],
    [0.5, '[############------------]  50 %'],
    [1, '[########################] 100 %'],
    [7, '[########################] 100 %'],
    [Number.NaN, '[------------------------]   0 %'],
  ])('of %d', (share, bar) => {
    expect(barOf(share)).toBe(bar);
  });
});
