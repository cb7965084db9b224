import { type FusionView, listConflicts, listFusions, readFusion } from '@slowwave/db';
import { createModels, createRecording } from '@slowwave/models';
import { createLogger } from '@slowwave/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DAYS_END,
  EXAMPLE_TENANT,
  type FoundBefore,
  liveDays,
  PEOPLE,
  pausePeople,
} from '../../apps/standalone/src/example/live.ts';
import {
  EXAMPLE_STATEMENTS,
  readExampleAnswers,
  replayed,
} from '../../apps/standalone/src/example/models.ts';
import { tellExamples } from '../../apps/standalone/src/example/story.ts';
import { createSimulation } from '../../apps/standalone/src/simulation/simulation.ts';
import { createTerminal } from '../../apps/standalone/src/terminal.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';

const DAY = 86_400_000;
const tenant = EXAMPLE_TENANT;
const dayOf = ({ updatedAt }: FusionView) => new Date(updatedAt).toISOString().slice(0, 10);

describe('liveDays with the recorded answers', () => {
  let fixture: DatabaseFixture;
  let before: FoundBefore;
  let answers: Awaited<ReturnType<typeof readExampleAnswers>>;
  let recording: ReturnType<typeof createRecording>;
  const models = createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } });
  const logger = createLogger('silent');

  beforeAll(async () => {
    fixture = await serverFixture();
    answers = await readExampleAnswers();
    recording = createRecording(answers);
    before = await liveDays({
      database: fixture.database,
      models: replayed(models, recording),
      logger,
      statements: EXAMPLE_STATEMENTS,
      people: PEOPLE,
      maxContentChars: 32_768,
      onProgress: () => {},
    });
  });
  afterAll(() => fixture.drop());

  const fusionsOf = (user: string) =>
    fixture.database.withTenant(tenant, (tx) => listFusions(tx, { tenant, user, limit: 500 }));
  const statementsOf = (fusions: readonly FusionView[]) =>
    fusions.filter(
      ({ status, kind, request }) => status === 'applied' && kind !== 'merge' && request !== null,
    );

  /** Requests without a recorded answer. A changed prompt, plan or example needs new ones. */
  const open = () =>
    recording
      .open()
      .map(({ key, prompt }) => ({ key, prompt, record: 'npm run bench:examples -- --requests FILE' }));

  it('every request has a recorded answer, and every answer is used', () => {
    expect(open()).toEqual([]);
    expect(recording.used().size).toBe(answers.length);
  });

  it('each person has statements, judged and in two languages; some were refused; a contradiction waits', async () => {
    const lanes: Record<string, number> = {};
    const made: FusionView[] = [];
    for (const { user } of PEOPLE) {
      const fusions = await fusionsOf(user);
      const statements = statementsOf(fusions);
      expect(statements.length, user).toBeGreaterThanOrEqual(4);
      made.push(...statements);
      const judged = fusions.filter(
        ({ status, request }) => status === 'closed' || (status === 'applied' && request !== null),
      );
      for (const { key, status, kind } of judged) {
        const detail = await fixture.database.withTenant(tenant, (tx) =>
          readFusion(tx, { tenant, user, key, at: DAYS_END }),
        );
        const proposals = detail?.proposals ?? [];
        if (status === 'closed') for (const { lane } of proposals) lanes[lane] = (lanes[lane] ?? 0) + 1;
        // What was applied by votes shows them still.
        else
          expect(
            proposals.some(({ accepted }) => accepted),
            `${kind} ${key}`,
          ).toBe(true);
      }
    }
    expect(made.length).toBeGreaterThanOrEqual(24);
    expect(new Set(made.map(dayOf)).size).toBeGreaterThanOrEqual(2);
    expect(made.some(({ derived }) => /\p{Script=Hiragana}/u.test(derived!.content))).toBe(true);
    const { judged = 0, repeat = 0, ...refused } = lanes;
    expect(judged).toBeGreaterThanOrEqual(20);
    expect(Object.values(refused).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4);
    const conflicts = await fixture.database.withTenant(tenant, (tx) =>
      listConflicts(tx, { tenant, status: 'open', limit: 10 }),
    );
    expect(conflicts.length).toBeGreaterThanOrEqual(1);
  });

  it('tellExamples: at most forty lines, with statements in full, what was refused, and recall before and after', async () => {
    const lines: string[] = [];
    const terminal = { ...createTerminal({ colour: false }), line: (text = '') => void lines.push(text) };
    await tellExamples({ database: fixture.database, models, people: PEOPLE, before }, terminal);
    const story = lines.join('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    for (const { user } of PEOPLE)
      expect(story).toMatch(new RegExp(`^ {2}${user} .* statements now stand for`, 'm'));
    const made = (await Promise.all(PEOPLE.map(({ user }) => fusionsOf(user)))).flat();
    const told = statementsOf(made).filter(({ derived }) => story.includes(`⇒ ${derived!.content}`));
    expect(told).toHaveLength(3);
    expect(story).toContain('refused on');
    expect(story).toContain('a contradiction that waits for a person');
    expect(story).toMatch(/recall found before\n {2}1\. .*\n {2}2\. .*\nand finds now\n {2}1\. /);
  });

  it('two more days with the tiers paused: nothing runs, and nothing is asked', async () => {
    await pausePeople(fixture.database);
    const asked = recording.open().length;
    const runs: unknown[] = [];
    const simulation = createSimulation({
      database: fixture.database,
      provider: replayed(models, recording).provider,
      embedder: models.embedder,
      logger,
      start: DAYS_END,
      onRun: (run) => runs.push(run),
    });
    await simulation.advance(DAYS_END + 2 * DAY);
    expect(runs).toEqual([]);
    expect(recording.open()).toHaveLength(asked);
  });
});
