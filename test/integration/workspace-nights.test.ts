import { copyFileSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, insertMemories, type Night } from '@slowwave/db';
import {
  createNotesImport,
  createProjection,
  outsideEntries,
  outsideRegion,
  parseRegion,
} from '@slowwave/workspace';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mortal, mortal } from '../fixtures/crash.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { makePlace, PLACES, type Place, type PlaceKind } from '../fixtures/workspace-places.ts';
import { inScope } from '../scope.ts';

const NIGHTS = 30;
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
const STEPS = [
  'planned',
  'temp',
  'written',
  'renamed',
  'recorded',
  'diary_planned',
  'diary_written',
] as const;
/** Where the process of a night ends: nowhere, at a step of a write, or at one of its statements. */
const ENDS = [null, ...STEPS, 5, 11, 17, 23, 31, 41] as const;
type End = (typeof ENDS)[number];

const runId = (n: number, attempt: number): string =>
  `01890000-0000-7000-8000-${String(n * 100 + attempt).padStart(12, '0')}`;
const dayOf = (at: number): string => `${new Date(at).toISOString().slice(0, 10)}.md`;

/** What a temporary file looks like that nobody was left to remove. */
function leaveTemporary(place: Place, at: number): void {
  if (place.rootDir === null) return;
  const folder = join(place.rootDir, '.fusion', 'memory');
  const name = readdirSync(folder).find((one) => one.endsWith('.tmp'));
  if (name === undefined) return;
  const left = join(folder, `.slowwave-${'0'.repeat(8)}.tmp`);
  copyFileSync(join(folder, name), left);
  utimesSync(left, at / 1_000, at / 1_000);
}

describe.each(DATABASES)('thirty nights (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  it.each(inScope<PlaceKind>({ change: ['folder'], rest: PLACES }))(
    'DR-05 DR-07 leave on %s the user’s text as it was and import nothing twice',
    async (kind) => {
      let at = NOW;
      const place = await makePlace(kind, database, { now: () => at });
      const { key } = place;
      /** What the user wrote, as it must stand. */
      const mine = {
        memory: '# Mine\r\nno end',
        dreams: '# Dreams of mine\n',
        days: new Map<string, string>(),
      };
      const removed = new Set<string>();
      const ends = new Set<End>();
      await place.hand('MEMORY.md', mine.memory);
      await place.hand('DREAMS.md', mine.dreams);

      /** Adds to the user's part of MEMORY.md, whatever else stands there. */
      async function jot(text: string): Promise<void> {
        const standing = (await place.read('MEMORY.md'))!;
        await place.hand('MEMORY.md', `${text}${standing}`);
        mine.memory = text + mine.memory;
      }
      async function note(day: string, text: string): Promise<void> {
        const next = (mine.days.get(day) ?? '') + text;
        mine.days.set(day, next);
        await place.hand(day, next);
      }
      async function remember(n: number): Promise<void> {
        const content = `What the agent learned: fact-${n}-x.`;
        const memory = newMemory(key.user, `m${n}`, content, { importance: 9, documentDate: at });
        await database.withTenant('t', (tx) => insertMemories(tx, { tenant: 't', memories: [memory], at }));
      }
      /** What hands do to the managed lines: one goes every fifth night, one is corrected every seventh. */
      async function meddle(n: number): Promise<void> {
        const standing = (await place.read('MEMORY.md'))!;
        const line = parseRegion(standing, 'MEMORY.md')?.lines.at(-1);
        if (line === undefined || (n % 5 !== 0 && n % 7 !== 0)) return;
        const token = /fact-\d+-x/.exec(line)![0];
        removed.add(token);
        if (n % 5 === 0) return place.hand('MEMORY.md', standing.replace(`${line}\r\n`, ''));
        const corrected = `- Corrected by hand: edit-${n}-x.`;
        await place.hand(
          'MEMORY.md',
          standing.replace(line, `${corrected}${line.slice(line.indexOf(' <!--'))}`),
        );
        mine.memory += `\r\n${corrected}`;
      }

      /** One process that imports and projects, and ends where it is told to. */
      async function sleep(
        n: number,
        attempt: number,
        end: End,
        during: () => Promise<void>,
      ): Promise<boolean> {
        const process: Mortal = mortal(database, typeof end === 'number' ? end : null);
        let left = n < NIGHTS / 2 ? 1 : 2;
        let meddled = false;
        const dieAt = (step: string): void => {
          if (step !== end || --left > 0) return;
          if (step === 'written') leaveTemporary(place, at - 2 * 3_600_000);
          process.die();
        };
        const files = place.files(process.database, {
          onStep: dieAt,
          newId: () => {
            dieAt('temp');
            return globalThis.crypto.randomUUID();
          },
        });
        const shared = { files, database: process.database, key, now: () => at };
        const projection = createProjection({
          ...shared,
          async onStep(step) {
            if (step === 'planned' && !meddled) {
              meddled = true;
              await during();
            }
            // The two writes of a projection have steps of their own names.
            if (step === 'planned' || step === 'recorded' || step.startsWith('diary')) {
              if (step === end) left = 1;
              dieAt(step);
            }
          },
        });
        try {
          await createNotesImport({ ...shared, timezone: 'UTC' }).run();
          const result = await projection.run({ runId: runId(n, attempt), report: QUIET });
          expect(result).toMatchObject({ status: 'completed' });
        } catch (error) {
          if (!process.isDead()) throw error;
          ends.add(end);
        }
        return !process.isDead();
      }

      for (let n = 1; n <= NIGHTS; n++) {
        at += DAY;
        const [today, yesterday] = [dayOf(at), dayOf(at - DAY)];
        await remember(n);
        if (n % 3 === 0) await jot(`- My own words: own-${n}-x.\r\n`);
        await note(yesterday, `- Late last night: late-${n}-x.\n`);
        await note(today, `- This morning: note-${n}-x.\n`);
        await meddle(n);
        const during = async (): Promise<void> => {
          await note(today, `- While it ran: during-${n}-x.\n`);
          await jot(`- While it ran: jotted-${n}-x.\r\n`);
        };
        const ended = await sleep(n, 1, ENDS[n % ENDS.length]!, during);
        for (const [day, text] of mine.days) expect(await place.read(day)).toBe(text);
        parseRegion((await place.read('MEMORY.md'))!, 'MEMORY.md');
        // Tried again: the same run or, as a worker does it, a new one.
        if (!ended) expect(await sleep(n, n % 2 === 0 ? 1 : 2, null, async () => undefined)).toBe(true);
        expect(outsideRegion((await place.read('MEMORY.md'))!)).toBe(mine.memory);
        expect(outsideEntries((await place.read('DREAMS.md'))!)).toBe(mine.dreams);
      }

      at += DAY;
      expect(await sleep(NIGHTS + 1, 1, null, async () => undefined)).toBe(true);
      const ofFolders: readonly End[] = ['temp', 'written', 'renamed'];
      expect([...ends].sort()).toEqual(
        ENDS.filter((end) => end !== null && (kind === 'folder' || !ofFolders.includes(end))).sort(),
      );
      const [memory, dreams] = [(await place.read('MEMORY.md'))!, (await place.read('DREAMS.md'))!];
      expect(memory.length).toBeLessThanOrEqual(10_000);
      for (const token of removed)
        expect(parseRegion(memory, 'MEMORY.md')!.lines.join()).not.toContain(token);
      const entries = dreams.match(/slowwave:run [0-9a-f-]+ /g)!;
      expect(new Set(entries).size).toBe(entries.length);
      expect((await place.names()).filter((name) => !name.endsWith('.md'))).toEqual([]);
      const contents = (
        await database.withTenant('t', (tx) =>
          tx.rows<{ content: string }>(
            sql`select content from slowwave.memories where user_id = ${key.user} and is_latest and archived_at is null`,
          ),
        )
      ).map(({ content }) => content);
      const tokens = [memory, ...mine.days.values()]
        .join('\n')
        .match(/(own|late|note|during|jotted|edit)-\d+-x/g)!;
      const expected = [...new Set(tokens), ...Array.from({ length: NIGHTS }, (_, i) => `fact-${i + 1}-x`)];
      const times = (token: string): number => contents.filter((content) => content.includes(token)).length;
      expect(expected.filter((token) => times(token) !== 1)).toEqual([]);
      expect(contents.filter((content) => content.includes('slowwave'))).toEqual([]);
      expect(contents).toHaveLength(expected.length + 1);
      await place.remove();
    },
    300_000,
  );
});
