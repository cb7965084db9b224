import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createModels } from '@slowwave/models';
import { createLogger } from '@slowwave/worker';
import { evaluate } from '../../apps/standalone/src/evaluation/evaluate.ts';
import { evaluationLines } from '../../apps/standalone/src/evaluation/lines.ts';
import { recallPicture } from '../../apps/standalone/src/evaluation/picture.ts';
import { readEvaluationSet } from '../../apps/standalone/src/evaluation/read.ts';
import { finalLog } from './final-log.ts';

const USAGE = `npm run bench:memory                  recall before and after nights, on the half of the set to look at
npm run bench:memory -- --final       on both halves; noted in docs/memory-quality.md, once for each change that is judged by it
--nights N       simulated nights (7)
--people A,B     only these
--out FOLDER     writes the figures as JSON and the pictures as SVG`;

const DATA = new URL('./data/', import.meta.url);
const LOG = new URL('../../docs/memory-quality.md', import.meta.url);
const MAX_CHARS = 32_768;

async function filesOf(half: 'look' | 'held-out', people: readonly string[] | null): Promise<string[]> {
  const folder = new URL(`${half}/`, DATA);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  return names
    .filter((name) => people === null || people.includes(path.basename(name, '.jsonl')))
    .map((name) => fileURLToPath(new URL(name, folder)));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      nights: { type: 'string', default: '7' },
      people: { type: 'string' },
      out: { type: 'string' },
      final: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const nights = Number(values.nights);
  if (!Number.isInteger(nights) || nights < 0) throw new Error(`--nights takes a whole number\n${USAGE}`);
  const people = values.people?.split(',') ?? null;
  for (const half of values.final ? (['look', 'held-out'] as const) : (['look'] as const)) {
    const files = await filesOf(half, people);
    if (files.length === 0) throw new Error(`nobody of ${values.people} is in the half ${half}\n${USAGE}`);
    const report = await evaluate({
      set: await readEvaluationSet(files, MAX_CHARS),
      files: files.map((file) => path.basename(file)),
      models: createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } }),
      logger: createLogger('silent'),
      nights,
      maxContentChars: MAX_CHARS,
      onProgress: (text) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${half}: ${text}`),
    });
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    console.log(`\nhalf: ${half}`);
    for (const line of evaluationLines(report, null)) console.log(line);
    if (values.out) {
      await mkdir(values.out, { recursive: true });
      await writeFile(path.join(values.out, `${half}.json`), `${JSON.stringify(report, null, 2)}\n`);
      await writeFile(path.join(values.out, `${half}.svg`), recallPicture(report));
    }
    if (values.final && people === null) {
      const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
      await appendFile(LOG, finalLog(report, { half, commit, date: new Date().toISOString().slice(0, 10) }));
    }
  }
  return 0;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 2;
});
