import { describe, expect, it } from 'vitest';
import { decideLabel, mayReplace } from './decide.ts';
import {
  accuserOf,
  type ConflictPair,
  type ConflictSide,
  newestWins,
  type PairLabel,
  validToOf,
} from './pair.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 15, 12);

const side = (id: string, content: string, more: Partial<ConflictSide> = {}): ConflictSide => ({
  id,
  contentHash: `hash of ${id}`,
  version: 1,
  content,
  memoryType: 'regular',
  origin: 'user',
  visibility: 'private',
  trust: 0.8,
  documentDate: NOW,
  eventDate: null,
  validFrom: null,
  validTo: null,
  workspace: null,
  archived: false,
  ...more,
});
const pairOf = (
  a: string,
  b: string,
  more: { a?: Partial<ConflictSide>; b?: Partial<ConflictSide> } = {},
): ConflictPair => ({
  id: 'c',
  a: side('a', a, more.a),
  b: side('b', b, more.b),
});
const DOGS = pairOf('Ana has a dog.', 'Ana has a dog and a cat.');
const label = (more: Partial<PairLabel> = {}): PairLabel => ({
  type: 'contradictory',
  wider: null,
  slot: 'home city',
  description: 'why',
  confidence: 0.9,
  ...more,
});
describe('what becomes of a label', () => {
  const decide = (pair: ConflictPair, more: Partial<PairLabel>, supersede = true) =>
    decideLabel(pair, label(more), { supersede });

  it('is decided by the code', () => {
    expect(decide(DOGS, { type: 'compatible' })).toEqual({
      kind: 'keep',
      resolution: 'compatible - both retained',
    });
    expect(decide(DOGS, {})).toEqual({ kind: 'open', type: 'contradictory', accuser: null });
    expect(decide(DOGS, { type: 'ambiguous' })).toEqual({ kind: 'open', type: 'ambiguous', accuser: null });
    expect(decide(DOGS, { type: 'subsumes', wider: 'b' })).toEqual({
      kind: 'supersede',
      winner: 'b',
      resolution: 'subsumed by b',
    });
    expect(decide(DOGS, { type: 'subsumes', wider: 'b' }, false)).toMatchObject({
      kind: 'open',
      type: 'ambiguous',
    });
    expect(decide(DOGS, { type: 'subsumes', wider: null })).toMatchObject({
      kind: 'open',
      type: 'ambiguous',
    });
    // The model has them the wrong way round.
    expect(decide(DOGS, { type: 'subsumes', wider: 'a' })).toEqual({
      kind: 'keep',
      resolution: 'both retained: the wider one does not hold everything',
    });
  });

  it.each<[string, Partial<ConflictSide>, Partial<ConflictSide>]>([
    ['another origin', { origin: 'assistant' }, {}],
    ['less trust', { trust: 0.79 }, {}],
    ['other eyes', { visibility: 'shared' }, {}],
    ['another place', { workspace: 'w' }, {}],
    ['the archive', { archived: true }, {}],
    ['an end', { validTo: NOW }, {}],
    ['no end', {}, { validTo: NOW }],
    ['no beginning', {}, { validFrom: NOW }],
    ['another day', { eventDate: NOW - DAY }, { eventDate: NOW }],
  ])('a wider memory with %s replaces nothing', (_case, wider, narrower) => {
    const [one, other] = [side('w', DOGS.b.content), side('n', DOGS.a.content)];
    expect(mayReplace(one, other)).toBe(true);
    expect(mayReplace({ ...one, ...wider }, { ...other, ...narrower })).toBe(false);
  });

  it.each(['static_profile', 'derived', 'superseded'] as const)(
    '%s is never replaced by the code',
    (memoryType) => {
      expect(mayReplace(side('w', DOGS.b.content), side('n', DOGS.a.content, { memoryType }))).toBe(false);
    },
  );

  it.each([
    ['Ana has a dog named Rex.', 'Ana has a dog and a cat.'],
    ['Ana has 2 dogs.', 'Ana has 3 dogs and a cat.'],
    ['Ana has no dog.', 'Ana has a dog and a cat.'],
    ['Ana likes jazz.', 'Ana has a dog and a cat.'],
  ])('%j is not held by %j', (narrower, wider) => {
    expect(mayReplace(side('w', wider), side('n', narrower))).toBe(false);
  });
});

describe('who is believed', () => {
  it.each<[Partial<ConflictSide>, Partial<ConflictSide>, string | null]>([
    [{}, {}, null],
    [{ trust: 0.5 }, {}, 'a'],
    [{}, { trust: 0.5 }, 'b'],
    [{ origin: 'assistant' }, { origin: 'tool' }, 'a'],
    [{ origin: 'user' }, { origin: 'import' }, 'b'],
    [{ origin: 'tool' }, { origin: 'import' }, null],
    [{ origin: 'assistant', trust: 0.9 }, { origin: 'user', trust: 0.5 }, null],
    [{ origin: 'assistant', trust: 0.5 }, { origin: 'user', trust: 0.9 }, 'a'],
  ])('of %j and %j it is %s that stays out alone', (a, b, accuser) => {
    expect(accuserOf(pairOf('x', 'y', { a, b }))).toBe(accuser);
  });

  it('the newest wins where that is safe', () => {
    const cities = (a: Partial<ConflictSide>, b: Partial<ConflictSide>) =>
      pairOf('Ana lives in York.', 'Ana lives in Oslo.', { a, b: { documentDate: NOW + DAY, ...b } });
    expect(newestWins(cities({}, {}), label())).toBe('b');
    expect(newestWins(cities({ documentDate: NOW + 2 * DAY }, {}), label())).toBe('a');
    expect(newestWins(cities({ trust: 0.1, origin: 'tool' }, {}), label())).toBe('b');
    expect(newestWins(cities({}, {}), label({ confidence: 0.7 }))).toBe('b');
    for (const more of [{ confidence: 0.69 }, { slot: '' }, { type: 'ambiguous' as const }])
      expect(newestWins(cities({}, {}), label(more))).toBeNull();
    expect(newestWins(cities({ documentDate: NOW + DAY }, {}), label())).toBeNull();
    for (const [a, b] of [
      [{}, { trust: 0.7 }],
      [{}, { origin: 'tool' }],
      [{ memoryType: 'static_profile' }, {}],
      [{}, { memoryType: 'static_profile' }],
      [{ visibility: 'shared' }, {}],
      [{ workspace: 'w' }, {}],
      [{}, { archived: true }],
    ] as const)
      expect(newestWins(cities(a, b), label()), JSON.stringify([a, b])).toBeNull();
  });

  it('what lost ends where the winner begins, within what is known of it', () => {
    const end = (loser: Partial<ConflictSide>, winner: Partial<ConflictSide>) =>
      validToOf(side('l', 'x', loser), side('w', 'y', winner));
    expect(end({}, {})).toBe(NOW);
    expect(end({}, { eventDate: NOW - DAY })).toBe(NOW - DAY);
    expect(end({}, { eventDate: NOW - DAY, validFrom: NOW - 2 * DAY })).toBe(NOW - 2 * DAY);
    expect(end({ validFrom: NOW + DAY }, {})).toBe(NOW + DAY);
    expect(end({ validTo: NOW - DAY }, {})).toBe(NOW - DAY);
    expect(end({ validTo: NOW + DAY }, {})).toBe(NOW);
    expect(end({ validFrom: NOW - DAY, validTo: NOW + DAY }, { validFrom: NOW - 2 * DAY })).toBe(NOW - DAY);
  });
});
