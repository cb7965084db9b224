import type { LabelledPair } from '@slowwave/db';
import { decideLabel, type PairLabel } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { CITIES, disputes, LABEL, pair, type Texts } from '../fixtures/disputes.ts';
import { NOW } from '../fixtures/memories.ts';

describe.each(DATABASES)('labels of conflicts (%s)', (_name, open) => {
  const { rows, seed, report, waiting, list, labelWith, label, opened, memory } = disputes(open);

  describe('a label', () => {
    it.each(['contradictory', 'ambiguous'] as const)('%s waits for a person', async (type) => {
      const { conflict } = await opened(CITIES, { type });
      expect(conflict).toMatchObject({
        status: 'open',
        type,
        slot: 'home city',
        description: 'Two cities.',
        confidence: 0.9,
        resolvedBy: null,
        winner: null,
      });
    });

    it('compatible settles it, and nothing else changes', async () => {
      const { user, id, conflict } = await opened(CITIES, { type: 'compatible' });
      expect(conflict).toMatchObject({
        status: 'resolved',
        resolvedBy: 'code',
        resolution: 'compatible - both retained',
        resolvedAt: NOW,
      });
      expect([await memory(id('york')), await memory(id('oslo'))]).toMatchObject([
        { is_latest: true, version: 1 },
        { is_latest: true, version: 1 },
      ]);
      expect(await rows(sql`select 1 from slowwave.change_sets where user_id = ${user}`)).toEqual([]);
    });

    const DOGS = {
      narrow: 'Ana has a dog.',
      wide: 'Ana has a dog and a cat.',
    };
    const widerOf = (conflict: { a: { id: string } }, id: string) => (conflict.a.id === id ? 'a' : 'b');
    async function subsumed(texts: Texts, wider: string, supersede = true) {
      const seeded = await seed(texts);
      const [a, b] = Object.keys(texts).map(seeded.id) as [string, string];
      await report(seeded.user, [pair(a, b)]);
      const [found] = await waiting(seeded.user);
      const side = widerOf(found!, seeded.id(wider));
      const counts = await label(seeded.user, { type: 'subsumes', wider: side }, supersede);
      const [conflict] = await list(seeded.user);
      return { ...seeded, counts, conflict: conflict! };
    }

    it('subsumes lets the wider one stand for both, journalled', async () => {
      const { user, id, counts, conflict } = await subsumed(DOGS, 'wide');
      expect(counts).toEqual({ stored: 1, superseded: 1, stale: 0, left: 0 });
      expect(conflict).toMatchObject({
        status: 'resolved',
        resolvedBy: 'code',
        winner: id('wide'),
        resolution: `subsumed by ${id('wide')}`,
      });
      expect(await memory(id('narrow'))).toMatchObject({
        is_latest: false,
        memory_type: 'superseded',
        prior_type: 'regular',
        superseded_by: id('wide'),
        version: 2,
        valid_to: null,
      });
      const changed = await rows(sql`
        select s.kind, s.actor, c.table_name as "table", c.before->>'is_latest' as before, c.after->>'is_latest' as after
        from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} order by c.position`);
      expect(changed).toEqual([
        { kind: 'conflict', actor: null, table: 'memories', before: 'true', after: 'false' },
        { kind: 'conflict', actor: null, table: 'relations', before: null, after: null },
        { kind: 'conflict', actor: null, table: 'conflicts', before: null, after: null },
      ]);
      expect(
        await rows(sql`select relation_type as type, confidence, source_id as source from slowwave.relations
        where user_id = ${user}`),
      ).toEqual([{ type: 'UPDATES', confidence: 0.95, source: id('wide') }]);
    });

    it.each<[string, Texts]>([
      ['says less than the model thinks', { ...DOGS, narrow: 'Ana has a dog named Rex.' }],
      ['is less trusted', { ...DOGS, wide: [DOGS.wide, { trust: 0.5 }] }],
      ['is of another origin', { ...DOGS, wide: [DOGS.wide, { origin: 'tool' }] }],
      ['is seen by others', { ...DOGS, wide: [DOGS.wide, { visibility: 'shared' }] }],
      ['stands elsewhere', { ...DOGS, wide: [DOGS.wide, { workspace: 'w' }] }],
      ['has ended', { ...DOGS, wide: [DOGS.wide, { validTo: NOW }] }],
      ['happened at another time', { ...DOGS, narrow: [DOGS.narrow, { eventDate: NOW }] }],
      ['replaces a profile', { ...DOGS, narrow: [DOGS.narrow, { memoryType: 'static_profile' }] }],
    ])('subsumes keeps both when the wider one %s', async (_case, texts) => {
      const { id, counts, conflict } = await subsumed(texts, 'wide');
      expect(counts).toMatchObject({ stored: 1, superseded: 0 });
      expect(conflict).toMatchObject({
        status: 'resolved',
        winner: null,
        resolution: 'both retained: the wider one does not hold everything',
      });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true, version: 1 });
    });

    it('subsumes waits for a person who wants to see changes first', async () => {
      const { id, conflict } = await subsumed(DOGS, 'wide', false);
      expect(conflict).toMatchObject({ status: 'open', type: 'ambiguous' });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true });
    });

    it('changes nothing that changed while the model thought', async () => {
      const { user, id } = await seed(DOGS);
      await report(user, [pair(id('narrow'), id('wide'))]);
      const [found] = await waiting(user);
      const said: PairLabel = { ...LABEL, type: 'subsumes', wider: widerOf(found!, id('wide')) };
      const labelled = {
        pair: found!,
        label: said,
        decision: decideLabel(found!, said, { supersede: true }),
      };
      expect(labelled.decision.kind).toBe('supersede');
      // Neither version nor content tell of a change of trust.
      await rows(sql`update slowwave.memories set trust = 0.1 where id = ${id('wide')}::uuid`);
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1, superseded: 0 });
      await rows(sql`update slowwave.memories set trust = 0.8 where id = ${id('wide')}::uuid`);
      await rows(
        sql`update slowwave.memories set content_hash = repeat('c', 64) where id = ${id('wide')}::uuid`,
      );
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1, superseded: 0 });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true });
      expect((await list(user))[0]).toMatchObject({ status: 'reported', stale: true });
    });

    it('is stored once', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [found] = await waiting(user);
      const labelled = {
        pair: found!,
        label: LABEL,
        decision: decideLabel(found!, LABEL, { supersede: true }),
      };
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 1 });
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1 });
    });

    it('does not end a side of another dispute, and supersedes each memory once', async () => {
      const texts = { ...DOGS, rival: 'Ana has no dog.', wider: 'Ana has a dog and a cat and a bird.' };
      const { user, id } = await seed(texts);
      await report(user, [pair(id('narrow'), id('wide')), pair(id('narrow'), id('rival'))]);
      const pairs = await waiting(user);
      const labelled = pairs.map((found): LabelledPair => {
        const contested = [found.a.id, found.b.id].includes(id('rival'));
        const said: PairLabel = contested
          ? LABEL
          : { ...LABEL, type: 'subsumes', wider: widerOf(found, id('wide')) };
        return { pair: found, label: said, decision: decideLabel(found, said, { supersede: true }) };
      });
      expect(labelled.map(({ decision }) => decision.kind).sort()).toEqual(['open', 'supersede']);
      // The dispute may come after in the batch: it counts all the same.
      labelled.sort((one, other) => other.decision.kind.localeCompare(one.decision.kind));
      expect(await labelWith(user, labelled)).toMatchObject({ stored: 2, superseded: 0 });
      expect((await list(user)).map(({ status }) => status)).toEqual(['open', 'open']);

      const twice = await seed(texts);
      await report(twice.user, [
        pair(twice.id('narrow'), twice.id('wide')),
        pair(twice.id('narrow'), twice.id('wider')),
      ]);
      const both = (await waiting(twice.user)).map((found): LabelledPair => {
        const said: PairLabel = {
          ...LABEL,
          type: 'subsumes',
          wider: found.a.id === twice.id('narrow') ? 'b' : 'a',
        };
        return { pair: found, label: said, decision: decideLabel(found, said, { supersede: true }) };
      });
      expect(await labelWith(twice.user, both)).toEqual({ stored: 1, superseded: 1, stale: 0, left: 1 });
    });
  });
});
