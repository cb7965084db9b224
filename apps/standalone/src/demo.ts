import type { Config } from '@slowwave/config';
import { type Database, getUser } from '@slowwave/db';
import { createRecording, type Models } from '@slowwave/models';
import { statementsOf } from '@slowwave/worker';
import type { Logger } from 'pino';
import { EXAMPLE_TENANT, type FoundBefore, liveDays, PEOPLE, pausePeople } from './example/live.ts';
import { EXAMPLE_STATEMENTS, priced, readExampleAnswers, replayed } from './example/models.ts';
import { tellExamples } from './example/story.ts';
import { type Service, startService } from './service.ts';
import type { Terminal } from './terminal.ts';

interface DemoContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
}

/**
 * The demonstration: the days of the example people under a virtual clock, told in short, and the service left running.
 * @returns the running service
 */
export async function runDemo({ config, logger, terminal }: DemoContext): Promise<Service> {
  // A configured language model answers for itself.
  const recording =
    config.model.provider === 'offline' ? priced(createRecording(await readExampleAnswers())) : null;
  terminal.progress('opening the embedded database');
  let before: FoundBefore | null = null;
  const service = await startService({
    config,
    logger,
    serve: true,
    async prepare({ database, models }) {
      if (await isKnown(database)) return;
      before = await live(database, models);
    },
  });

  async function live(database: Database, models: Models): Promise<FoundBefore> {
    const outcome = await liveDays({
      database,
      models: recording ? replayed(models, recording) : models,
      logger,
      ...(recording ? { statements: EXAMPLE_STATEMENTS } : statementsOf(config)),
      people: PEOPLE,
      maxContentChars: config.maxMemoryChars,
      onProgress: (text) => terminal.progress(text),
    });
    // What comes after these days has no recorded answer, and no run is to wait for one.
    if (recording) await pausePeople(database);
    return outcome;
  }

  try {
    const { database, models } = service;
    if (recording === null) terminal.line(`Models: ${models.description}`);
    else tellReplay(terminal, before === null ? null : recording.cost());
    terminal.line();
    await tellExamples({ database, models, people: PEOPLE, before: before ?? new Map() }, terminal);
    tellNext(terminal, service, config, recording !== null);
    return service;
  } catch (error) {
    await service.close();
    throw error;
  }
}

const isKnown = async (database: Database): Promise<boolean> => {
  const [{ user }] = PEOPLE as [(typeof PEOPLE)[number]];
  return (await database.withTenant(EXAMPLE_TENANT, (tx) => getUser(tx, EXAMPLE_TENANT, user))) !== null;
};

/** @param cost null: these days were lived when the folder was new */
function tellReplay(terminal: Terminal, cost: string | null): void {
  terminal.line(
    'Days of four example people in November 2026, under a clock of their own. No model was called and nothing was spent:',
  );
  const spent = cost === null ? '' : `; they would have cost ${cost}`;
  terminal.line(
    terminal.dim(`  the answers were recorded from a large language model, its writer and its judge${spent}`),
  );
  if (cost === null)
    terminal.line('  They were lived when this data folder was new; delete it to see them lived again.');
}

function tellNext(terminal: Terminal, service: Service, config: Config, isPaused: boolean): void {
  const { url, token } = service.http ?? { url: '', token: '' };
  const folder = config.database.kind === 'embedded' ? config.database.dataDir : '';
  const prefix = folder === '.slowwave' ? '' : `SLOWWAVE_DATA_DIR=${folder} `;
  terminal.line(terminal.bold(`Slowwave is running at ${url}`));
  terminal.line(`  dashboard        ${url}/dashboard`);
  terminal.line(`  operator token   ${token}`);
  terminal.line(`  data folder      ${folder} (delete it to start over)`);
  if (isPaused) {
    terminal.line(
      'The schedules of the four are paused, for what comes next is not recorded. With a model of your own:',
    );
    terminal.line(
      '  SLOWWAVE_MODEL_PROVIDER=anthropic SLOWWAVE_MODEL=… ANTHROPIC_API_KEY=… npx slowwave start',
    );
    terminal.line(`  ${prefix}npx slowwave resume --user kenji`);
  }
  terminal.line('Try next, in another terminal in this folder:');
  terminal.line(`  ${prefix}npx slowwave fusions --user kenji`);
  terminal.line('  printf "Zoe keeps bees\\nZoe sold honey at the market\\n" > notes.txt');
  terminal.line(`  ${prefix}npx slowwave import notes.txt --user zoe`);
  terminal.line(`  curl -H 'Authorization: Bearer ${token}' ${url}/v1/users/mara`);
  terminal.line('Ctrl-C stops it; nothing is lost.');
}
