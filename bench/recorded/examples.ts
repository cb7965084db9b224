import { parseArgs } from 'node:util';
import { migrate, openEmbedded } from '@slowwave/db';
import { createModels, createRecording } from '@slowwave/models';
import { createLogger } from '@slowwave/worker';
import { liveDays, PEOPLE } from '../../apps/standalone/src/example/live.ts';
import {
  EXAMPLE_ANSWERS,
  EXAMPLE_STATEMENTS,
  readExampleAnswers,
  replayed,
} from '../../apps/standalone/src/example/models.ts';
import { pruneAnswers, writeOpenRequests } from './answers.ts';

const USAGE = `npm run bench:examples -- --requests FILE [--prune]
lives the days of the example people with their recorded answers, and writes the requests that have none yet
--prune   when nothing is missing, drops the answers that no request needs`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { requests: { type: 'string' }, prune: { type: 'boolean', default: false } },
  });
  if (!values.requests) throw new Error(USAGE);
  const recording = createRecording(await readExampleAnswers());
  const database = await openEmbedded({ dataDir: null });
  try {
    await migrate(database);
    const offline = createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } });
    await liveDays({
      database,
      models: replayed(offline, recording),
      logger: createLogger('error'),
      statements: EXAMPLE_STATEMENTS,
      people: PEOPLE,
      maxContentChars: 32_768,
      onProgress: (text) => console.error(text),
    });
  } finally {
    await database.close();
  }
  const open = recording.open();
  await writeOpenRequests(values.requests, open);
  console.log(`recorded answers: ${recording.used().size} used, ${open.length} requests without one`);
  if (values.prune && open.length === 0)
    console.log(`${await pruneAnswers(EXAMPLE_ANSWERS, recording.used())} answers dropped`);
  return 0;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 2;
});
