import { expect, it } from 'vitest';
import type { ClusterOutcome } from '../outcome.ts';
import { type MetMemory, restatementGroups, trackGroups } from './groups.ts';

const memory = (externalId: string, restates?: string, content = 'Ana keeps the bees behind the house.') => ({
  tenant: 't',
  user: 'ana',
  externalId,
  content,
  metadata: restates ? { restates } : {},
});
const met = (id: string, category: MetMemory['category'] = 'fact'): MetMemory => ({
  id,
  category,
  origin: 'user',
});
const USAGE = { calls: 1, inputTokens: 100, outputTokens: 20 };

function ended(given: Partial<ClusterOutcome> & { memberIds: string[] }): ClusterOutcome {
  return {
    ...{ status: 'closed', key: given.memberIds.join(), conflicts: [], counts: {}, decided: [] },
    ...{ usage: USAGE, durationMs: 1 },
    ...given,
  } as unknown as ClusterOutcome;
}

it('restatementGroups: chains of restatements, one group of all of them, with its language', () => {
  const bienen = 'Die Bienen stehen hinter dem Haus, und der Honig ist gut.';
  const groups = restatementGroups([
    memory('a'),
    memory('b', 'a'),
    memory('alone'),
    memory('c', 'b'),
    memory('d', undefined, bienen),
    memory('e', 'd', bienen),
    memory('f', 'not there'),
  ]);
  expect(groups).toEqual([
    { tenant: 't', user: 'ana', language: 'en', ids: ['a', 'b', 'c'] },
    { tenant: 't', user: 'ana', language: 'de', ids: ['d', 'e'] },
  ]);
});

it('restatementGroups: the same ids of two users, two groups', () => {
  const other = (one: ReturnType<typeof memory>) => ({ ...one, user: 'ben' });
  const set = [memory('a'), memory('b', 'a'), other(memory('a')), other(memory('b', 'a'))];
  expect(restatementGroups(set).map(({ user, ids }) => [user, ids])).toEqual([
    ['ana', ['a', 'b']],
    ['ben', ['a', 'b']],
  ]);
});

const GROUPS = [{ language: 'en' }, { language: 'de' }, { language: null }];
const OF = new Map([
  ['a1', 0],
  ['a2', 0],
  ['a3', 0],
  ['b1', 1],
  ['b2', 1],
  ['c1', 2],
  ['c2', 2],
]);

it('trackGroups: two notes of a group in one window, met, by category where a plan joins only one', () => {
  const tracker = trackGroups(GROUPS, OF);
  tracker.met([met('a1'), met('a2', 'preference'), met('b1'), met('x')], false);
  expect(tracker.figures()).toMatchObject({ groups: 3, met: 0 });
  tracker.met([met('a1'), met('a2', 'preference'), met('b1')], true);
  tracker.met([met('b1'), met('b2')], false);
  tracker.met([met('b1'), met('b2')], false);
  expect(tracker.figures()).toMatchObject({
    met: 2,
    byLanguage: { en: { groups: 1, met: 1 }, de: { met: 1 }, other: { groups: 1, met: 0 } },
  });
});

it('trackGroups: requests and statements, how far each group came, and what it took', () => {
  const tracker = trackGroups(GROUPS, OF);
  tracker.ended(
    ended({
      ...{ status: 'committed', already: false, superseded: 3, derivedIds: ['s'] },
      memberIds: ['a1', 'a2', 'a3', 'b1', 'b2'],
      decided: [
        { lane: 'judged', sourceIds: ['a1', 'a2', 'a3'] },
        { lane: 'lost', sourceIds: ['b1', 'b2'] },
        { lane: 'form', sourceIds: [] },
      ],
    } as never),
  );
  tracker.ended(ended({ memberIds: ['c1', 'c2'] }));
  // The same request again costs no request more; what was not claimed offers nothing.
  tracker.ended(ended({ memberIds: ['c1', 'c2'], usage: { calls: 0, inputTokens: 0, outputTokens: 0 } }));
  tracker.ended(ended({ status: 'deferred', key: null, code: 'deadline', memberIds: ['b1', 'b2'] } as never));
  expect(tracker.figures()).toEqual({
    ...{ groups: 3, met: 0, offered: 3, proposed: 2, accepted: 1 },
    refused: { lost: 1 },
    byLanguage: {
      de: { groups: 1, met: 0, offered: 1, proposed: 1, accepted: 0 },
      en: { groups: 1, met: 0, offered: 1, proposed: 1, accepted: 1 },
      other: { groups: 1, met: 0, offered: 1, proposed: 0, accepted: 0 },
    },
    ...{ requests: 2, tokens: 360, saved: 2 },
  });
});

it('trackGroups: a note that says a statement again, a member of the group that the statement stands for', () => {
  const tracker = trackGroups(GROUPS, OF);
  tracker.ended(
    ended({
      ...{ status: 'committed', already: false, superseded: 2, derivedIds: ['s'] },
      memberIds: ['a1', 'x'],
      decided: [{ lane: 'judged', sourceIds: ['a1', 'x'] }],
    } as never),
  );
  expect(tracker.figures()).toMatchObject({ met: 0, offered: 0, requests: 1, saved: 1 });
  const again = (note: string, lane: string) =>
    tracker.ended(
      ended({
        key: note,
        ...{ status: 'committed', already: false, superseded: lane === 'judged' ? 1 : 0, derivedIds: [] },
        memberIds: ['s', note],
        decided: [{ lane, sourceIds: ['s', note] }],
      } as never),
    );
  again('a2', 'judged');
  again('b1', 'judged');
  again('b2', 'lost');
  expect(tracker.figures()).toMatchObject({
    ...{ met: 2, offered: 2, proposed: 2, accepted: 1, requests: 1, saved: 3 },
    refused: { lost: 1 },
  });
});
