import { type Database, forget, getWorkspaceRun, type Night, readProjectedLines } from '@slowwave/db';
import {
  createProjection,
  outsideRegion,
  type ProjectionOptions,
  type ProjectionResult,
  parseRegion,
} from '@slowwave/workspace';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Crashed, mortal } from '../fixtures/crash.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { makePlace, PLACES, type Place } from '../fixtures/workspace-places.ts';

const USER_TEXT = '# Notes\r\n\r\n- my own line\r\nno final line end';
const QUIET: Night = {
  fused: 0,
  merged: 0,
  conflicts: 0,
  open: 0,
  connected: 0,
  reflected: 0,
  derived: [],
  observations: [],
};
const RUN = (n: number): string => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe.each(DATABASES)('projection (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  const places: Place[] = [];

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(async () => {
    for (const place of places) await place.remove();
    await fixture?.drop();
  });

  describe.each(PLACES)('on %s', (kind) => {
    let at = NOW;
    const important = (names: string[]) => (user: string) =>
      names.map((name, i) =>
        newMemory(user, name, `Memory ${name}.`, { importance: 10 - (i % 3), documentDate: NOW - i * DAY }),
      );
    async function made(memories: Parameters<typeof makePlace>[2] = {}): Promise<Place> {
      at = NOW;
      const place = await makePlace(kind, database, { now: () => at, ...memories });
      places.push(place);
      return place;
    }
    const projectionOf = (place: Place, more: Partial<ProjectionOptions> = {}) =>
      createProjection({ files: place.files(), database, key: place.key, now: () => at, ...more });
    const night = (
      place: Place,
      n: number,
      more: Partial<ProjectionOptions> = {},
    ): Promise<ProjectionResult> => projectionOf(place, more).run({ runId: RUN(n), report: QUIET });
    const linesOf = async (place: Place): Promise<string[]> =>
      (parseRegion((await place.read('MEMORY.md')) ?? '', 'MEMORY.md')?.lines ?? []).map((line) =>
        line.replace(/^- | <!--.*$/g, ''),
      );
    const ledger = (place: Place) => database.withTenant('t', (tx) => readProjectedLines(tx, place.key));
    const idOf = async (place: Place, name: string): Promise<string> => {
      const [row] = await database.withTenant('t', (tx) =>
        tx.rows<{ id: string }>(
          sql`select id from slowwave.memories where user_id = ${place.key.user} and external_id = ${name}`,
        ),
      );
      return row!.id;
    };

    it('DR-04 writes lines in order with their homes, one diary entry, and nothing the second time', async () => {
      const place = await made({ memories: important(['a', 'b', 'c']) });
      await place.hand('MEMORY.md', USER_TEXT);
      const first = await night(place, 1);
      expect(first).toMatchObject({
        status: 'completed',
        repeated: false,
        report: { memory: { lines: 3, added: 3, noRoom: 0 }, dreams: { added: true, entries: 1 } },
      });
      const [memory, dreams] = [await place.read('MEMORY.md'), await place.read('DREAMS.md')];
      expect(memory!.startsWith(USER_TEXT)).toBe(true);
      expect(outsideRegion(memory!)).toBe(USER_TEXT);
      expect(memory!.split('\n').every((line, i, all) => i === all.length - 1 || line.endsWith('\r'))).toBe(
        true,
      );
      expect(await linesOf(place)).toEqual(['Memory a.', 'Memory b.', 'Memory c.']);
      const homes = await ledger(place);
      for (const { memoryId, line } of homes) expect(memory!.split('\n')[line - 1]).toContain(memoryId);
      expect(homes).toHaveLength(3);
      expect(dreams!.match(/slowwave:run /g)).toHaveLength(1);

      at += DAY;
      expect(await night(place, 1)).toMatchObject({
        status: 'completed',
        repeated: true,
        report: first.report,
      });
      expect([await place.read('MEMORY.md'), await place.read('DREAMS.md')]).toEqual([memory, dreams]);
      await night(place, 2);
      expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe(USER_TEXT);
      expect((await place.read('DREAMS.md'))!.startsWith(dreams!)).toBe(true);
    });

    it('makes no document where there is nothing to say', async () => {
      const place = await made();
      expect((await night(place, 1)).report.memory).toMatchObject({ lines: 0, chars: 0 });
      expect(await place.read('MEMORY.md')).toBeNull();
    });

    it('DR-06 keeps the whole document within its budget and drops the lowest, never the user’s text', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `${'long '.repeat(60)}${i}`);
      const place = await made({ memories: important(names) });
      const own = `${'my text '.repeat(800)}\n`;
      await place.hand('MEMORY.md', own);
      const { report } = await night(place, 1);
      const memory = (await place.read('MEMORY.md'))!;
      expect(memory.length).toBeLessThanOrEqual(10_000);
      expect(memory.length).toBeGreaterThan(9_400);
      expect(report.memory).toMatchObject({ lines: 9, noRoom: 31, chars: memory.length });
      expect(outsideRegion(memory)).toBe(own);
      const all = await made({ memories: important(names) });
      await night(all, 1, { maxChars: 1_000_000 });
      expect((await linesOf(all)).slice(0, 9)).toEqual(await linesOf(place));

      await place.hand('MEMORY.md', `${own}${own}${memory.slice(own.length)}`);
      expect((await night(place, 2)).report.memory).toMatchObject({ lines: 0, noRoom: 40, removed: 0 });
      expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe(`${own}${own}`);
    });

    it('DR-08 a line that a hand removed stays away; one that it changed or added is the user’s', async () => {
      const place = await made({ memories: important(['a', 'b', 'c']) });
      await place.hand('MEMORY.md', 'mine\n');
      await night(place, 1);
      const memory = (await place.read('MEMORY.md'))!;
      const edited = memory
        .replace(/- Memory a\..*\n/, '')
        .replace('Memory b.', 'Memory b, corrected.')
        .replace('<!-- slowwave:end -->', 'a line of my own\n<!-- slowwave:end -->');
      await place.hand('MEMORY.md', edited);
      const second = await night(place, 2);
      expect(second.report.memory).toMatchObject({ lines: 1, removed: 1, edited: 2, byHand: 2 });
      expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe(
        'mine\n\n- Memory b, corrected.\na line of my own',
      );
      expect(await linesOf(place)).toEqual(['Memory c.']);
      const after = await place.read('MEMORY.md');
      for (const n of [3, 4]) {
        at += DAY;
        expect((await night(place, n)).report.memory).toMatchObject({ removed: 0, edited: 0, byHand: 2 });
      }
      expect(await place.read('MEMORY.md')).toBe(after);
      // Taking the whole region out takes away what stood in it.
      await place.hand('MEMORY.md', outsideRegion(after!));
      expect((await night(place, 5)).report.memory).toMatchObject({ lines: 0, removed: 1 });
    });

    it('does not say twice what the user says, and takes out what was forgotten', async () => {
      const place = await made({ memories: important(['a', 'b', 'zebra-4711']) });
      await night(place, 1);
      const [a, forgotten] = [await idOf(place, 'a'), await idOf(place, 'zebra-4711')];
      const derived = [{ id: forgotten, content: 'Memory zebra-4711.', sources: 2 }];
      await projectionOf(place).run({ runId: RUN(2), report: { ...QUIET, fused: 1, derived } });
      expect(await place.read('DREAMS.md')).toContain('zebra-4711');
      const memory = (await place.read('MEMORY.md'))!;
      const line = new RegExp(`- Memory a\\. <!-- slowwave:${a} -->\n`).exec(memory)![0];
      await place.hand('MEMORY.md', `${line}${memory.replace(line, '')}`);
      await forget(database, { ...place.key, target: { memory: forgotten }, at, actor: 'ana' });
      at += DAY;
      await night(place, 3);
      expect(await linesOf(place)).toEqual(['Memory b.']);
      const texts = [await place.read('MEMORY.md'), await place.read('DREAMS.md')].join();
      expect(texts).not.toContain('zebra-4711');
      expect(texts).not.toContain(forgotten);
      expect(await place.read('MEMORY.md')).toContain(line);
    });

    it('DR-09 promotes what passes a gate and tells each gate’s count; thoughts of the assistant are none', async () => {
      const place = await made({
        memories: (user) => [
          newMemory(user, 'plain', 'Memory plain.', { importance: 6 }),
          newMemory(user, 'confirmed', 'Memory confirmed.', { importance: 2 }),
          newMemory(user, 'important', 'Memory important.', { importance: 7 }),
          newMemory(user, 'thought', 'Memory thought.', {
            importance: 9,
            origin: 'assistant',
            learnedFrom: 'self_reflection',
          }),
        ],
      });
      await database.withTenant('t', (tx) =>
        tx.rows(sql`update slowwave.memories set confirmations = 1
          where user_id = ${place.key.user} and external_id = 'confirmed'`),
      );
      const observations = [{ id: await idOf(place, 'thought'), content: 'Memory thought.', sources: 0 }];
      const { id, report } = await projectionOf(place).run({
        runId: RUN(1),
        report: { ...QUIET, reflected: 1, observations },
      });
      expect(report.promotion).toEqual({
        considered: 3,
        gates: { confirmed: 1, recalled: 0, important: 1 },
        passed: 2,
        held: 1,
        disputed: 0,
        thoughts: 1,
      });
      expect((await linesOf(place)).sort()).toEqual(['Memory confirmed.', 'Memory important.']);
      expect(await place.read('DREAMS.md')).toContain('Memory thought.');
      const run = await database.withTenant('t', (tx) => getWorkspaceRun(tx, place.key, id));
      expect(run).toMatchObject({ work: 'projection', status: 'completed', runId: RUN(1), report });
      expect(JSON.stringify(run)).not.toContain('Memory ');
    });

    it('DR-10 a preview changes nothing, a run does what it showed, an undo puts everything back', async () => {
      const place = await made({ memories: important(['a', 'b']) });
      await place.hand('MEMORY.md', USER_TEXT);
      await place.hand('DREAMS.md', '# Mine\n');
      const before = [await place.read('MEMORY.md'), await place.read('DREAMS.md')];
      const input = { runId: RUN(1), report: { ...QUIET, connected: 2 } };
      const preview = await projectionOf(place).preview(input);
      expect([await place.read('MEMORY.md'), await place.read('DREAMS.md')]).toEqual(before);
      expect(await ledger(place)).toEqual([]);
      expect(preview.documents.map((one) => one.before)).toEqual(before);
      expect(preview.documents[0]!.diff).toMatchObject({ line: 4, removed: ['no final line end'] });
      const { id, report } = await projectionOf(place).run(input);
      const after = [await place.read('MEMORY.md'), await place.read('DREAMS.md')];
      expect(preview.documents.map((one) => one.after)).toEqual(after);
      expect(report).toMatchObject({ ...preview.report, writes: expect.any(Array) });

      await place.hand('DREAMS.md', `${after[1]}changed since`);
      await expect(projectionOf(place).undo(id)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await place.read('MEMORY.md')).toBe(after[0]);
      await place.hand('DREAMS.md', after[1]!);
      expect(await projectionOf(place).undo(id)).toEqual({
        status: 'undone',
        paths: ['MEMORY.md', 'DREAMS.md'],
      });
      expect([await place.read('MEMORY.md'), await place.read('DREAMS.md')]).toEqual(before);
      expect(await ledger(place)).toEqual([]);
      expect(await projectionOf(place).undo(id)).toEqual({ status: 'already_undone' });
      expect(await projectionOf(place).undo(RUN(99))).toEqual({ status: 'unknown_run' });
      expect(await projectionOf(place).run(input)).toMatchObject({ status: 'undone', repeated: true });
      expect((await night(place, 2)).report.memory).toMatchObject({ lines: 2, byHand: 0 });
    });

    it.each([
      ['several_regions', 'MEMORY.md', '<!-- slowwave:begin -->\n<!-- slowwave:end -->\n'.repeat(2)],
      ['broken_region', 'MEMORY.md', 'mine\n<!-- slowwave:begin -->\n- x\n'],
      ['broken_entry', 'DREAMS.md', `<!-- slowwave:run ${RUN(7)} -->\n`],
    ])('is refused as %s and changes nothing', async (reason, path, content) => {
      const place = await made({ memories: important(['a']) });
      await place.hand(path, content);
      expect(await night(place, 1)).toMatchObject({ status: 'failed', reason, report: { writes: [] } });
      expect(await place.read(path)).toBe(content);
      expect(await place.names()).toEqual([path]);
      await place.hand(path, '');
      expect(await night(place, 1)).toMatchObject({ status: 'completed', repeated: false });
    });

    it('DR-03 does the work again when a hand comes in between, three times at most', async () => {
      const place = await made({ memories: important(['a']) });
      await place.hand('MEMORY.md', 'one\n');
      let edits = 0;
      const meddle = (most: number) => async (step: string) => {
        if (step === 'planned' && edits < most) {
          edits++;
          await place.hand('MEMORY.md', `edit ${edits}\n`);
        }
      };
      expect(await night(place, 1, { onStep: meddle(2) })).toMatchObject({ status: 'completed' });
      expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe('edit 2\n');
      edits = 0;
      at += DAY;
      await place.hand('MEMORY.md', 'three\n');
      expect(await night(place, 2, { onStep: meddle(9), maxChars: 9_000 })).toMatchObject({
        status: 'completed',
      });
      expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe('three\n');
    });

    it('DR-04 ends nowhere half: a process may end at every statement, and the next run makes it whole', async () => {
      for (let endsAt = 1; ; endsAt++) {
        const place = await made({ memories: important(['a', 'b', 'c']) });
        await place.hand('MEMORY.md', USER_TEXT);
        await night(place, 1);
        const standing = (await place.read('MEMORY.md'))!;
        // One line goes by hand, one is corrected, one is new: all of it must survive whatever happens.
        await place.hand(
          'MEMORY.md',
          standing.replace(/- Memory a\..*\r\n/, '').replace('Memory b.', 'Memory b, corrected.'),
        );
        await database.withTenant('t', (tx) =>
          tx.rows(sql`update slowwave.memories set importance = 10 where user_id = ${place.key.user}`),
        );
        const dying = mortal(database, endsAt);
        const projection = createProjection({
          files: place.files(dying.database),
          database: dying.database,
          key: place.key,
          now: () => at,
        });
        at += DAY;
        const ended = await projection.run({ runId: RUN(2), report: QUIET }).catch((error: unknown) => error);
        const isCrash = dying.isDead();
        expect(isCrash || (ended as ProjectionResult).status === 'completed').toBe(true);
        const memory = (await place.read('MEMORY.md'))!;
        expect(parseRegion(memory, 'MEMORY.md')).not.toBeNull();
        // The same run again half of the time, a new night otherwise.
        await night(place, endsAt % 2 === 0 ? 2 : 3);
        const whole = (await place.read('MEMORY.md'))!;
        expect(outsideRegion(whole)).toBe(`${USER_TEXT}\r\n- Memory b, corrected.`);
        expect(await linesOf(place)).toEqual(['Memory c.']);
        const dreams = (await place.read('DREAMS.md'))!;
        const entries = dreams.match(/slowwave:run [0-9a-f-]+ /g)!;
        expect(new Set(entries).size).toBe(entries.length);
        expect((await place.names()).filter((name) => !/^(MEMORY|DREAMS)\.md$/.test(name))).toEqual([]);
        await place.remove();
        if (!isCrash) break;
      }
    }, 300_000);
  });

  it('passes on that the database ended', async () => {
    const place = await makePlace('documents', database);
    const dying = mortal(database, 1);
    const projection = createProjection({
      files: place.files(),
      database: dying.database,
      key: place.key,
      now: () => NOW,
    });
    await expect(projection.run({ runId: RUN(1), report: QUIET })).rejects.toThrow(Crashed);
  });
});
