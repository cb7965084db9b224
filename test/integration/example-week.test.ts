import { type FusionView, listFusions } from '@slowwave/db';
import { createModels, createRecording } from '@slowwave/models';
import { createLogger } from '@slowwave/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTerminal } from '../../apps/standalone/src/terminal.ts';
import { liveWeek, WEEK_USER } from '../../apps/standalone/src/week/live.ts';
import { readWeekAnswers, replayed, WEEK_STATEMENTS } from '../../apps/standalone/src/week/models.ts';
import { tellWeek } from '../../apps/standalone/src/week/story.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';

let fixture: DatabaseFixture;
beforeAll(async () => {
  fixture = await serverFixture();
});
afterAll(() => fixture.drop());

const dayOf = ({ updatedAt }: FusionView) => new Date(updatedAt).toISOString().slice(0, 10);

it('liveWeek with the recorded answers: every prompt that has answers is answered, and the story shows statements with their notes', async () => {
  const { database } = fixture;
  const answers = await readWeekAnswers();
  const recording = createRecording(answers);
  const offline = createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } });
  const runs = await liveWeek({
    database,
    models: replayed(offline, recording),
    logger: createLogger('silent'),
    statements: WEEK_STATEMENTS,
    ...WEEK_USER,
    maxContentChars: 32_768,
    onProgress: () => {},
  });
  // A changed prompt, plan or example needs new answers: npm run bench:week -- --requests FILE writes the requests without one.
  const prompts = new Set(answers.map(({ prompt }) => prompt));
  const open = recording.open().filter(({ prompt }) => prompts.has(prompt));
  expect(open.map(({ key, prompt }) => ({ key, prompt }))).toEqual([]);
  expect(recording.used().size).toBe(answers.length);

  const fusions = await database.withTenant(WEEK_USER.tenant, (tx) =>
    listFusions(tx, { ...WEEK_USER, limit: 500 }),
  );
  const made = fusions.filter(({ status, kind }) => status === 'applied' && kind !== 'merge');
  expect(made.length).toBeGreaterThanOrEqual(6);
  expect(new Set(made.map(dayOf)).size).toBeGreaterThanOrEqual(2);

  const lines: string[] = [];
  const terminal = { ...createTerminal({ colour: false }), line: (text = '') => void lines.push(text) };
  await tellWeek(database, terminal, { ...WEEK_USER, runs });
  const story = lines.join('\n');
  const told = made.filter(
    ({ derived, sources }) =>
      derived !== null &&
      story.includes(`⇒ ${derived.content.split('\n')[0]}`) &&
      sources.every(({ content }) => story.includes(`- ${content}`)),
  );
  expect(told.length).toBeGreaterThanOrEqual(3);
});
