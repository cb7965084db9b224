import { insertMemories, type NewMemory, previewOf, readFusion, undo } from '@slowwave/db';
import { floorProblems, ORIGINS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { honestJudge } from '../fakes/fact-model.ts';
import { createLyingScript, LIES } from '../fakes/lying-writer.ts';
import { createStatementModel, type ShownItem, type StatementScript } from '../fakes/statement-model.ts';
import { startFailingModel } from '../fault/failing-model.ts';
import { createInvariants } from '../fault/invariants/index.ts';
import { createRandom } from '../fault/storm/random.ts';
import { createStage } from '../fixtures/batches.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { notesOfPeople, TOPICS } from '../fixtures/facts/people.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { dumpTables } from '../fixtures/tables.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
const ALLERGIES = ['Mia is allergic to peanuts.', 'Leo is allergic to peanuts.', 'Zoe is allergic to latex.'];
const TRUE = 'Mia and Leo are allergic to peanuts; Zoe to latex.';
const SPREAD = 'Mia, Leo and Zoe are allergic to peanuts.';
const DOSES = [
  'Mia takes 5 mg of cetirizine every morning.',
  'Leo takes 10 mg of cetirizine every morning.',
  'Zoe takes 20 mg of cetirizine every morning.',
];
const ALL_DOSES = 'Mia takes 5 mg, Leo 10 mg and Zoe 20 mg of cetirizine every morning.';
const TWO_DOSES = 'Mia takes 5 mg and Leo 10 mg of cetirizine every morning.';

const numbersOf = (notes: readonly { n: number; text: string }[], pattern: RegExp): number[] =>
  notes.filter(({ text }) => pattern.test(text)).map(({ n }) => n);
const tells =
  (text: string, of = /./): StatementScript['write'] =>
  (notes) => ({ statements: [{ sources: numbersOf(notes, of), text }], conflicts: [] });

describe.each(DATABASES)('statements of a writer that lies (%s)', (_name, open) => {
  const { database, rows, nextUser } = ownDatabase(open, tenant);

  async function seed(texts: readonly string[], more: (at: number) => Partial<NewMemory> = () => ({})) {
    const user = nextUser();
    const chain = texts.map((text, at) =>
      newMemory(user, `d${at}`, text, { documentDate: NOW - (90 - at) * DAY, ...more(at) }),
    );
    await seedPerson(database, { tenant, user, chains: [chain] });
    return user;
  }
  async function run(
    user: string,
    script: StatementScript,
    { judge = true, preview = false, at = NOW }: { judge?: boolean; preview?: boolean; at?: number } = {},
  ) {
    const shown: ShownItem[] = [];
    const model = createStatementModel({
      ...script,
      judge: (item) => {
        shown.push(item);
        return (script.judge ?? honestJudge)(item);
      },
    });
    const ended = await runTier(
      database,
      { tenant, user, tier: 'deep', at, ...(preview ? { preview } : {}) },
      { provider: model, statements: { judge } },
    );
    return { ...ended, kinds: model.kinds, counts: ended.step('fusion').counts!, shown };
  }
  const latest = async (user: string): Promise<string[]> => {
    const found = await rows<{ content: string }>(
      sql`select content from slowwave.memories where user_id = ${user} and is_latest order by content`,
    );
    return found.map(({ content }) => content);
  };
  const proposalsOf = async (user: string) => {
    const [request] = await rows<{ key: string }>(
      sql`select key from slowwave.fusions where user_id = ${user} and request is null and kind = 'fusion'`,
    );
    const view = await database.withTenant(tenant, (tx) =>
      readFusion(tx, { tenant, user, key: request!.key, at: NOW }),
    );
    return view!.proposals;
  };

  describe('an honest judge', () => {
    it('judged lane: a lie about its own sources, refused; the truth about them, accepted', async () => {
      const user = await seed(ALLERGIES);
      expect((await run(user, { write: tells(SPREAD) })).counts).toMatchObject({
        lanes: { differs: 1 },
        superseded: 0,
      });
      expect(await latest(user)).toEqual([...ALLERGIES].sort());
      const refused = { text: SPREAD, accepted: false, lane: 'differs' };
      expect(await proposalsOf(user)).toMatchObject([refused, { ...refused, mended: true }]);
      const other = await seed(ALLERGIES);
      expect((await run(other, { write: tells(TRUE) })).counts).toMatchObject({
        lanes: { judged: 1 },
        superseded: 3,
      });
      expect(await latest(other)).toEqual([TRUE]);
    });

    it('judged lane: what a note of the request says that is no source, refused, and not shown to the judge', async () => {
      const user = await seed([
        'Mia is allergic to peanuts.',
        'Leo is allergic to peanuts.',
        'Mia is allergic to latex.',
      ]);
      const statement = 'Mia and Leo are allergic to peanuts and latex';
      const { counts, shown } = await run(user, { write: tells(statement, /peanuts/) });
      expect(counts).toMatchObject({ lanes: { differs: 1 }, superseded: 0 });
      const items = shown.filter((item) => item.statement === statement);
      expect(items).toHaveLength(2);
      for (const { sources, added } of items) {
        expect(sources.map(({ text }) => text).join()).not.toContain('latex');
        expect(added).toEqual(['latex']);
      }
    });

    it('floor: the dose of a note of the request that is no source, refused without a vote', async () => {
      const user = await seed(DOSES);
      const { counts, kinds } = await run(user, { write: tells(ALL_DOSES, /Mia|Leo/) });
      expect(counts).toMatchObject({ lanes: { floor: 1 }, superseded: 0 });
      expect(kinds).not.toContain('judge');
      const other = await seed(DOSES);
      expect((await run(other, { write: tells(ALL_DOSES) })).counts).toMatchObject({ superseded: 3 });
    });

    it('fast lane: whole sentences of a note that is no source, not joined without a judge', async () => {
      const texts = [
        'Mia has a grey cat. It sleeps a lot.',
        'It sleeps a lot. Mia has a grey cat.',
        'It eats fish.',
      ];
      const text = 'Mia has a grey cat. It sleeps a lot. It eats fish.';
      const user = await seed(texts);
      const { counts } = await run(user, { write: tells(text, /cat/) }, { judge: false });
      expect(counts).toMatchObject({ lanes: { no_judge: 1 }, superseded: 0 });
      expect(await latest(user)).toEqual([...texts].sort());
      const other = await seed(texts);
      const joined = await run(other, { write: tells(text) }, { judge: false });
      expect(joined.counts).toMatchObject({ lanes: { repeat: 1 }, superseded: 3 });
    });

    it('repair: a lie in the place of what was refused, refused as well', async () => {
      const user = await seed(ALLERGIES);
      const lossy = 'Mia and Leo are allergic to peanuts.';
      const { counts, kinds } = await run(user, {
        write: (notes, isRepair) => tells(isRepair ? SPREAD : lossy)(notes, isRepair),
      });
      expect(kinds).toEqual(['write', 'judge', 'judge', 'repair', 'judge', 'judge']);
      expect(counts).toMatchObject({ lanes: { differs: 1 }, superseded: 0 });
      expect(await latest(user)).toEqual([...ALLERGIES].sort());
    });

    it('a reported conflict: neither its sources nor what they say stand in a statement', async () => {
      const texts = [...ALLERGIES, 'Anna is allergic to mustard.', 'Bruno is allergic to mustard.'];
      const conflicts = (notes: readonly { n: number; text: string }[]) => {
        const [a, b] = [numbersOf(notes, /Mia/)[0]!, numbersOf(notes, /Zoe/)[0]!];
        return [{ a, b, kind: 'contradictory', slot: 'what Zoe is allergic to' }];
      };
      const statement = 'Anna and Bruno are allergic to mustard and latex';
      const user = await seed(texts);
      const { counts } = await run(user, {
        write: (notes) => ({
          statements: [
            { sources: numbersOf(notes, /mustard/), text: statement },
            { sources: numbersOf(notes, /Mia|Leo|Zoe/), text: TRUE },
          ],
          conflicts: conflicts(notes),
        }),
      });
      expect(counts).toMatchObject({ superseded: 0 });
      expect(await latest(user)).toEqual([...texts].sort());
      const refused = { text: statement, accepted: false, lane: 'differs' };
      expect(await proposalsOf(user)).toMatchObject([refused, { ...refused, mended: true }]);
    });

    it('readFusion: a repetition of sources in a reported conflict, not shown as accepted', async () => {
      const texts = ['Mia has a grey cat. It sleeps a lot.', 'It sleeps a lot. Mia has a grey cat.'];
      const user = await seed(texts);
      const { counts } = await run(
        user,
        {
          write: (notes) => ({
            statements: [{ sources: notes.map(({ n }) => n), text: texts[0] }],
            conflicts: [{ a: 1, b: 2, kind: 'contradictory', slot: 'how much it sleeps' }],
          }),
        },
        { judge: false },
      );
      expect(counts).toMatchObject({ superseded: 0 });
      expect(await proposalsOf(user)).toEqual([]);
    });

    it('previewOf: a lie, nothing that would be joined; the run that follows joins nothing either', async () => {
      const user = await seed(ALLERGIES);
      const before = await dumpTables(database, tenant, user);
      const preview = await run(user, { write: tells(SPREAD) }, { preview: true });
      const view = () =>
        database.withTenant(tenant, (tx) => previewOf(tx, { tenant, user, runId: preview.run.id }));
      const [shown, ...more] = (await view())!.fusions;
      expect(shown).toMatchObject({ verdict: 'nothing', derived: null, covered: [] });
      expect(shown!.sources.map(({ fate }) => fate)).toEqual(['kept', 'kept', 'kept']);
      expect(more).toEqual([]);
      expect(await dumpTables(database, tenant, user)).toEqual(before);
      expect((await run(user, { write: tells(SPREAD) })).counts).toMatchObject({ superseded: 0 });
    });

    it.each([
      ['another dose', DOSES.slice(0, 2), TWO_DOSES, DOSES[2]!, 'floor'],
      [
        'something else of the same person',
        ALLERGIES.slice(0, 2),
        'Mia and Leo are allergic to peanuts.',
        'Leo is allergic to latex.',
        'differs',
      ],
    ])(
      'restatements: a note of %s, not taken for the statement',
      async (_what, texts, statement, note, lane) => {
        const user = await seed(texts);
        expect((await run(user, { write: tells(statement) })).counts).toMatchObject({ superseded: 2 });
        const memory = newMemory(user, 'later', note, { documentDate: NOW - 60 * DAY });
        await database.withTenant(tenant, (tx) =>
          insertMemories(tx, { tenant, memories: [memory], at: NOW }),
        );
        const { counts, shown } = await run(user, { write: tells(statement) });
        expect(counts).toMatchObject({ lanes: { [lane]: 1 }, superseded: 0 });
        expect(await latest(user)).toEqual([statement, note].sort());
        for (const { sources } of shown)
          if (sources.length > 1)
            expect(sources.map(({ text }) => text).sort()).toEqual([statement, note].sort());
      },
    );

    it('batch: nights of lies, and only what the own sources of each statement say is latest', async () => {
      const script = createLyingScript('batches');
      const model = await startFailingModel({ seed: 1, script, delayMs: [0, 0] });
      onTestFinished(() => model.stop());
      const stage = createStage(database, model, 'batched');
      const users = Array.from({ length: 3 }, (_, at) => `batched-${at}`);
      for (const [at, user] of users.entries())
        await seedPerson(database, { tenant: stage.tenant, user, chains: chainsOf(user, at) });
      for (const user of users) await stage.night(user);
      await stage.settle({ rounds: 5 });
      const { calls, batched } = model.counts();
      expect([batched > 0, calls - batched]).toEqual([true, 0]);
      const { proposed, judged } = script.counts();
      expect(LIES.reduce((sum, lie) => sum + proposed[lie], 0)).toBeGreaterThan(0);
      expect(judged.changed).toBeGreaterThan(0);
      expect((await statementsOf(stage.tenant)).length).toBeGreaterThan(0);
      expect(await overstated(stage.tenant)).toEqual([]);
    });
  });

  /** Chains of notes about people, one of each topic. */
  const chainsOf = (user: string, seedOf: number, more: (at: number) => Partial<NewMemory> = () => ({})) =>
    TOPICS.map((topic, list) => {
      const random = createRandom(seedOf).fork(topic);
      const texts = notesOfPeople(random, { topic, count: 4, codeOf: (nth) => `K${100 + 10 * list + nth}` });
      return texts.map((text, at) =>
        newMemory(user, `${topic}-${at}`, text, { documentDate: NOW - (90 - at) * DAY, ...more(at) }),
      );
    });
  const overstated = (of: string) => {
    const deps = { database, queues: null, redis: null, tenants: [of] };
    const tally = { kills: 0, timeouts: 0, refusals: 0, calls: 0, cuts: 0, flushedAt: null };
    return createInvariants(deps).check({ tally }, ['own-sources']);
  };
  interface Found {
    user: string;
    content: string;
    as: string;
    sources: { content: string; day: string; as: string }[];
  }
  /** Every statement with what it superseded; `as` is whose they are and who may see them. */
  const statementsOf = (of: string): Promise<Found[]> =>
    database.withTenant(of, (tx) =>
      tx.rows<Found>(sql`
        select d.user_id as "user", d.content, concat_ws(' ', d.user_id, d.origin, d.visibility) as as,
          jsonb_agg(jsonb_build_object('content', m.content, 'day', m.document_date::date,
            'as', concat_ws(' ', m.user_id, m.origin, m.visibility))) as sources
        from slowwave.memories d join slowwave.memories m on m.tenant = d.tenant and m.superseded_by = d.id
        where d.tenant = ${of} and d.memory_type = 'derived' group by d.tenant, d.user_id, d.id`),
    );

  it('a judge that accepts everything: floor, undo and isolation hold, and the invariant tells of the lies', async () => {
    const [home, away] = ['credulous', 'untouched'];
    const script: StatementScript = { ...createLyingScript('credulous'), judge: () => 'same' };
    const users = Array.from({ length: 4 }, (_, at) => `person-${at}`);
    // The same notes are another user's, of another origin and visibility, and another tenant's.
    const VISIBILITIES = ['private', 'shared'] as const;
    const mixed = (at: number): Partial<NewMemory> => ({
      origin: ORIGINS[at % 2]!,
      visibility: VISIBILITIES[(at >> 1) % 2]!,
    });
    for (const [at, user] of users.entries()) {
      const chains = chainsOf(user, 0);
      await seedPerson(database, { tenant: home, user, chains });
      await seedPerson(database, { tenant: away, user, chains: chainsOf(user, 0) });
      const more = chains
        .flat()
        .map((memory) => ({ ...memory, externalId: `mixed-${memory.externalId}`, ...mixed(at) }));
      await database.withTenant(home, (tx) => insertMemories(tx, { tenant: home, memories: more, at: NOW }));
    }
    // Conflicts that a writer reported are told, and stay.
    const dump = async (of: string) => {
      const dumps = await Promise.all(users.map((user) => dumpTables(database, of, user)));
      return dumps.map(({ memories, relations }) => ({ memories, relations }));
    };
    const before = { home: await dump(home), away: await dump(away) };
    const model = createStatementModel(script);
    const runs: string[] = [];
    for (const user of users.slice(0, 3)) {
      const target = { tenant: home, user, tier: 'deep' as const, at: NOW };
      const { run: ended } = await runTier(database, target, {
        provider: model,
        statements: { judge: true },
      });
      runs.push(ended.id);
    }
    const statements = await statementsOf(home);
    expect(statements.length).toBeGreaterThan(3);
    for (const { content, sources, as } of statements) {
      expect(floorProblems(sources, content)).toEqual([]);
      expect(new Set(sources.map((source) => source.as))).toEqual(new Set([as]));
    }
    const told = await overstated(home);
    expect(told.length).toBeGreaterThan(0);
    expect(JSON.stringify(told)).not.toMatch(/allergic|lent|every morning/);
    // Who was not asked about is as before, in this tenant and in the other one.
    expect(await dump(away)).toEqual(before.away);
    expect((await dump(home))[3]).toEqual(before.home[3]);
    for (const [at, runId] of runs.entries())
      await undo(database, { tenant: home, user: users[at]!, target: { run: runId }, at: NOW, actor: 'x' });
    expect(await statementsOf(home)).toEqual([]);
    expect(await dump(home)).toEqual(before.home);
  });
});
