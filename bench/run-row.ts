/** The process of one row: its name and the options as JSON are its arguments, and its results go to the process that started it. */
import { compareSides } from './compare.ts';
import { ratioText } from './figures.ts';
import { seededRandom, seedOf } from './random.ts';
import type { BenchContext } from './row.ts';
import type { RowMessage } from './row-process.ts';
import { ROWS } from './rows/index.ts';

const [id, json] = process.argv.slice(2);
const { quick, seed, rounds } = JSON.parse(json!) as { quick: boolean; seed: number; rounds: number };
const row = ROWS.find((one) => one.id === id)!;
const say = (line: string): void => void process.stderr.write(`${row.id}: ${line}\n`);
const { gc } = globalThis as { gc?: () => void };

const bench: BenchContext = {
  quick,
  seed,
  rounds,
  say,
  servers: {
    databaseUrl: process.env.TEST_DATABASE_URL!,
    redisUrl: process.env.TEST_REDIS_URL!,
  },
  random: seededRandom(seedOf(seed, row.id)),
  async compare(name, sides) {
    const compared = await compareSides(
      { rounds, nowMs: () => performance.now(), ...(gc ? { settle: gc } : {}) },
      sides,
    );
    say(`${name}: ${ratioText(compared.ratio)}`);
    return compared;
  },
};

async function measure(): Promise<RowMessage> {
  try {
    return { results: await row.run(bench) };
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

// Whoever started this is gone: nobody wants the result any more.
process.once('disconnect', () => process.exit(1));
const message = await measure();
process.send!(message, () => {
  process.removeAllListeners('disconnect');
  process.exit(0);
});
