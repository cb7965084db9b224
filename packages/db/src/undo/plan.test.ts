import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planUndo } from './plan.ts';
import type { TouchedColumn, TouchedRow } from './touched.ts';

type Row = Record<string, string>;

/** One step in the life of a row: what it was made, what was changed, or that it went. */
interface Step {
  set: string;
  before: Row | null;
  after: Row | null;
}

/** What the database would say of the steps, in any order, when the row is `now`. */
function touchedBy(steps: readonly Step[], now: Row | null, more: Partial<TouchedRow> = {}): TouchedRow[] {
  return steps.map(({ set, before, after }, position): TouchedRow => {
    const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
    const columns = [...names].map(
      (name): TouchedColumn => [name, before?.[name] ?? null, after?.[name] ?? null, now?.[name] ?? null],
    );
    return {
      set,
      position,
      table: 'memories',
      key: '{"id":"m"}',
      ids: { id: 'm' },
      existed: before !== null,
      exists: after !== null,
      moved: false,
      present: now !== null,
      latest: true,
      versioned: false,
      columns: columns.filter(([, was, is, stands]) => was !== is || is !== stands),
      context: false,
      ...more,
    };
  });
}

const plan = (steps: Step[], now: Row | null, context = false) =>
  planUndo(touchedBy(steps, now), { context });

describe('planning an undo', () => {
  it('puts a changed column back and leaves the others', () => {
    const steps = [
      { set: 's', before: { trust: '1', category: '"fact"' }, after: { trust: '2', category: '"fact"' } },
    ];
    const { updates, broken, swapped } = plan(steps, { trust: '2', category: '"fact"' });
    expect(updates).toMatchObject([{ ids: { id: 'm' }, patch: new Map([['trust', '1']]) }]);
    expect([broken, swapped]).toEqual([[], [{ set: 's', position: 0 }]]);
  });

  it('refuses what was changed since, by its columns', () => {
    const steps = [
      { set: 's', before: { trust: '1', category: '"a"' }, after: { trust: '2', category: '"b"' } },
    ];
    expect(plan(steps, { trust: '3', category: '"b"' }).broken).toMatchObject([{ columns: ['trust'] }]);
    expect(plan(steps, null).broken).toMatchObject([{ columns: null }]);
  });

  it('looks at what was left alone only when it is asked to', () => {
    const steps = [
      { set: 's', before: { trust: '1', category: '"a"' }, after: { trust: '2', category: '"a"' } },
    ];
    const now = { trust: '2', category: '"b"' };
    expect(plan(steps, now).broken).toEqual([]);
    expect(plan(steps, now, true).broken).toMatchObject([{ columns: ['category'] }]);
    // That it faded or was recalled is nobody's business.
    const faded = [{ set: 's', before: { trust: '1', peak: '0.5' }, after: { trust: '2', peak: '0.5' } }];
    expect(plan(faded, { trust: '2', peak: '0.9' }, true).broken).toEqual([]);
  });

  it('takes away what was made, however it faded since, but not when it says something else', () => {
    const made = [{ set: 's', before: null, after: { content: '"a"', peak: '0.5' } }];
    expect(plan(made, { content: '"a"', peak: '0.9' })).toMatchObject({
      deletes: [{ set: 's' }],
      broken: [],
    });
    expect(plan(made, { content: '"b"', peak: '0.5' }).broken).toMatchObject([{ columns: ['content'] }]);
    expect(plan(made, null).broken).toMatchObject([{ columns: null }]);
    expect(
      planUndo(touchedBy(made, { content: '"b"', peak: '1' }), { context: false, exceptMemory: 'm' }),
    ).toEqual({
      updates: [],
      inserts: [],
      deletes: [],
      moves: [],
      swapped: [],
      broken: [],
    });
  });

  it('brings back what went, unless something is in its place', () => {
    const gone = [{ set: 's', before: { content: '"a"' }, after: null }];
    expect(plan(gone, null).inserts).toMatchObject([{ set: 's', row: new Map([['content', '"a"']]) }]);
    expect(plan(gone, { content: '"a"' }).broken).toMatchObject([{ columns: null }]);
  });

  it('never puts other words into what another memory stands for', () => {
    const steps = [{ set: 's', before: { content: '"a"' }, after: { content: '"b"' } }];
    const touched = (latest: boolean) => touchedBy(steps, { content: '"b"' }, { latest });
    expect(planUndo(touched(true), { context: false }).broken).toEqual([]);
    expect(planUndo(touched(false), { context: false }).broken).toMatchObject([{ columns: ['is_latest'] }]);
    const reopened = [
      {
        set: 's',
        before: { content: '"a"', is_latest: 'true' },
        after: { content: '"b"', is_latest: 'false' },
      },
    ];
    const both = touchedBy(reopened, { content: '"b"', is_latest: 'false' }, { latest: false });
    expect(planUndo(both, { context: false }).updates).toHaveLength(1);
  });

  it('moves what came from the cold table back there, and knows it by its words', () => {
    const returned = [{ set: 's', before: null, after: { content_hash: '"h"', version: '3' } }];
    const touched = (hash: string) =>
      touchedBy(returned, { content_hash: hash, version: '9' }, { moved: true });
    expect(planUndo(touched('"h"'), { context: false })).toMatchObject({
      moves: [{ set: 's' }],
      broken: [],
      deletes: [],
    });
    expect(planUndo(touched('"x"'), { context: false }).broken).toMatchObject([
      { columns: ['content_hash'] },
    ]);
  });

  const value = fc.constantFrom('"a"', '"b"', '"c"');
  const row = fc.record({ trust: value, category: value, peak: value });

  it('finds the beginning of any number of changes, in whatever order it sees them', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 2, maxLength: 8 }), fc.integer(), (states, seed) => {
        const steps = states.slice(1).map((after, i) => ({ set: `s${i}`, before: states[i]!, after }));
        const shuffled = steps
          .map((step, i) => ({ step, place: (i * 7919 + seed) % 101 }))
          .sort((a, b) => a.place - b.place)
          .map(({ step }) => step);
        const now = states.at(-1)!;
        const { updates, broken } = plan(shuffled, now);
        expect(broken).toEqual([]);
        const patched = { ...now, ...Object.fromEntries(updates[0]?.patch ?? []) };
        expect(patched).toEqual(states[0]);
      }),
    );
  });

  it('sees that somebody else changed it in between', () => {
    fc.assert(
      fc.property(value, value, value, value, (a, b, c, d) => {
        fc.pre(a !== b && b !== c && c !== d && a !== d);
        // From a to b and from c to d by us: from b to c somebody else.
        const steps = [
          { set: '1', before: { trust: a }, after: { trust: b } },
          { set: '2', before: { trust: c }, after: { trust: d } },
        ];
        expect(plan(steps, { trust: d }).broken).toMatchObject([{ columns: ['trust'] }]);
      }),
    );
  });
});
