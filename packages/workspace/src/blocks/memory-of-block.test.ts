import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBlocks } from './blocks.ts';
import { boundsOfDay, daysBefore, endOfDay, hasEnded } from './day.ts';
import { findEdits } from './edits.ts';
import { memoryOfBlock } from './memory-of-block.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const DAY = { date: '2026-05-01', ...boundsOfDay('2026-05-01', 'UTC') };
function memories(text: string, daily = false) {
  const path = daily ? '2026-05-01.md' : 'MEMORY.md';
  return readBlocks(text, { path, day: null }).map((block, place) =>
    memoryOfBlock(block, { path, day: daily ? DAY : null, at: AT, place }),
  );
}

describe('the memory of a block', () => {
  it('names what it is about where the block alone does not', () => {
    const text =
      '# Project Memory\n## Decisions\n- We use pnpm.\n## Ana\n- lives in Rome\n- Ana rows.\n### Server:\n- port 8443\n';
    expect(memories(text).map(({ content }) => content)).toEqual([
      'We use pnpm.',
      'Ana: lives in Rome',
      'Ana rows.',
      'Ana, Server: port 8443',
    ]);
  });

  it.each([
    ['## Preferences\n- tea', false, 'preference', 6],
    ['## Conventions\n- always tabs', false, 'preference', 7],
    ['## Decisions\n- PostgreSQL', false, 'fact', 6],
    ['## Lessons\n- test first', false, 'insight', 5],
    ['## Family\n- Ben is a brother', false, 'relationship', 5],
    ['- met Ben', true, 'event', 4],
    ['- met Ben', false, 'fact', 5],
  ])('%j is told by its headings', (text, daily, category, importance) => {
    expect(memories(text, daily)[0]).toMatchObject({
      category,
      importance,
      origin: 'import',
      documentDate: AT,
    });
  });
});

describe('a day', () => {
  it.each([
    ['2026-05-01', 'UTC', '2026-05-01T00:00:00.000Z', '2026-05-01T23:59:59.999Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['2026-05-01', 'Pacific/Auckland', '2026-04-30T12:00:00.000Z', '2026-05-01T11:59:59.999Z'],
  ])('%s in %s is from %s to %s', (day, timezone, from, to) => {
    const bounds = boundsOfDay(day, timezone);
    expect([bounds.from, bounds.to].map((at) => new Date(at).toISOString())).toEqual([from, to]);
  });

  it('ends where somebody lives, also when the clocks change', () => {
    expect(new Date(endOfDay('2026-05-01', 'UTC')).toISOString()).toBe('2026-05-01T23:59:59.999Z');
    expect(new Date(endOfDay('2026-05-01', 'Pacific/Auckland')).toISOString()).toBe(
      '2026-05-01T11:59:59.999Z',
    );
    expect(new Date(endOfDay('2026-03-29', 'Europe/Berlin')).toISOString()).toBe('2026-03-29T21:59:59.999Z');
    expect(new Date(endOfDay('2026-10-25', 'Europe/Berlin')).toISOString()).toBe('2026-10-25T22:59:59.999Z');
    expect(hasEnded('2026-05-01.md', Date.UTC(2026, 4, 1, 23), 'UTC')).toBe(false);
    expect([
      hasEnded('2026-05-01.md', Date.UTC(2026, 4, 2), 'UTC'),
      hasEnded('MEMORY.md', AT, 'UTC'),
    ]).toEqual([true, false]);
    expect(daysBefore('2026-03-01', 2)).toBe('2026-02-27');
  });
});

describe('an edit', () => {
  const block = (content: string, place: number, headings: string[] = []) => ({
    blockHash: `${content}|${place}`,
    occurrence: 1,
    content,
    headings,
    place,
  });

  it('is told from a deletion and an addition', () => {
    const gone = [block('Ana lives in Rome near the river', 0), block('The build takes nine minutes', 1)];
    const added = [block('Ana lives in Oslo near the river', 0), block('Ben plays chess on Sundays', 5)];
    expect([...findEdits(gone, added)]).toEqual([
      [`${added[0]!.blockHash} 1`, { blockHash: gone[0]!.blockHash, occurrence: 1 }],
    ]);
  });

  it('prefers the neighbour of two that are as alike, and knows what was only moved', () => {
    const gone = [
      block('Port 8443', 7),
      block('Port 8444', 2),
      block('Ana rows on the lake every day', 3, ['A']),
    ];
    const added = [block('Port 8445', 2), block('Ana rows on the lake every day', 9, ['B'])];
    const edits = findEdits(gone, added);
    expect(edits.get('Port 8445|2 1')?.blockHash).toBe('Port 8444|2');
    expect(edits.get('Ana rows on the lake every day|9 1')?.blockHash).toBe(
      'Ana rows on the lake every day|3',
    );
  });

  it('gives each block that went to one new block at most', () => {
    const any = fc.array(
      fc.record({ content: fc.constantFrom('aaa', 'aab', 'abb', 'zzz'), place: fc.nat(5) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(any, any, (old, now) => {
        const number = (list: { content: string; place: number }[], name: string) =>
          list.map((one, i) => ({ ...block(one.content, one.place), blockHash: `${name}${i}` }));
        const edits = [...findEdits(number(old, 'o'), number(now, 'n')).values()].map(
          ({ blockHash }) => blockHash,
        );
        expect(new Set(edits).size).toBe(edits.length);
      }),
    );
  });
});
