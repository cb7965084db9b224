/**
 * npm run bench [-- NAME … --quick --seed N --rounds N --json FILE]
 *
 * Measures the product's own code beside plainly written baselines, one row of the table of goals after the other, each in a process of
 * its own: what one row leaves in the heap or in compiled functions changes no other. Prints the table to standard output and progress to
 * standard error.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { goalText } from './figures.ts';
import { type BenchOptions, readOptions, USAGE } from './options.ts';
import { measureApart } from './row-process.ts';
import { GOALS } from './rows/index.ts';
import { exitCodeOf, type Outcome, tableOf } from './table.ts';

interface Servers {
  env: { TEST_DATABASE_URL: string; TEST_REDIS_URL: string };
  descriptions: string[];
  stop(): Promise<void>;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** What holds the largest user of any row in memory, as a server in service would; PostgreSQL's own default does not. */
const SHARED_BUFFERS = '1GB';

/** The scripts are plain JavaScript without types. */
async function startServers(): Promise<Servers> {
  const href = new URL('../scripts/servers/start.mjs', import.meta.url).href;
  const script = (await import(href)) as {
    startServers(options: { postgres: Record<string, string> }): Promise<Servers>;
  };
  return script.startServers({ postgres: { shared_buffers: SHARED_BUFFERS } });
}

function figuresOf(options: BenchOptions, servers: Servers, outcomes: readonly Outcome[]) {
  return {
    measuredAt: new Date().toISOString(),
    quick: options.quick,
    seed: options.seed,
    rounds: options.rounds,
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    servers: servers.descriptions,
    rows: outcomes.map(({ row: { id, measure, against, goal }, ...rest }) => ({
      id,
      measure,
      against,
      goal,
      ...rest,
    })),
  };
}

async function measure(options: BenchOptions): Promise<number> {
  const servers = await startServers();
  try {
    for (const description of servers.descriptions) say(`servers: ${description}`);
    const outcomes: Outcome[] = [];
    for (const row of GOALS.filter(({ id }) => options.ids.includes(id))) {
      if (!('run' in row)) {
        outcomes.push({ row, seconds: 0, missing: true });
        continue;
      }
      say(`${row.id}: ${row.measure}, against ${row.against}`);
      outcomes.push(await measureApart(row, { ...options, env: servers.env }));
    }
    if (options.json !== null) {
      writeFileSync(options.json, `${JSON.stringify(figuresOf(options, servers, outcomes), null, 2)}\n`);
    }
    for (const line of tableOf(outcomes)) print(line);
    if (options.quick) print('Small data: nothing here says whether a goal is met.');
    return exitCodeOf(outcomes, options.quick);
  } finally {
    await servers.stop();
  }
}

const parsed = readOptions(
  process.argv.slice(2),
  GOALS.map(({ id }) => id),
);
if (parsed.kind === 'refused') {
  for (const error of parsed.errors) say(error);
  process.exitCode = 2;
} else if (parsed.kind === 'help') {
  print(USAGE);
} else if (parsed.kind === 'list') {
  for (const { id, measure: what, against, goal } of GOALS) {
    print(`${id.padEnd(4)} ${what}, against ${against}: ${goalText(goal)}`);
  }
} else {
  process.exitCode = await measure(parsed.options);
}
